"""The program's own words about odds, in each language that it speaks; English stands in for the others."""

from __future__ import annotations

from collections.abc import Mapping


def tell(language: str, what: str, /, **values: object) -> str:
    """A phrase with its values put in."""
    phrases = PHRASES.get(language.partition("-")[0], PHRASES["en"])
    return phrases[what].format(**values)


PHRASES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "percent": "%",
        "point": ".",
        "between": "{low}–{high}",
        "colon": ": ",
        "mean": "mean {mean}",
        "always": "always {value}",
        "at_most": "≤ {value}",
        "at_least": "≥ {value}",
        "span": "{low}–{high}",
        "together": "{names} together",
        "start": "{what} at the start",
        "dice_of": "the dice of {what}",
        "gauges": "Afterwards",
        "refused": "Refused on the way",
        "never_ends": "Never ends",
        "cut_off": "Not followed to its end",
        "unfinished": "Given up as too long",
        "worth": "{goal}{colon}{worth} with the best choices",
        "worst_worth": "{goal}{colon}{worth} with the worst choices",
        "best": "What to choose for {goal}",
        "worst": "What to choose to make {goal} least likely",
        "whenever": "always",
        "when": "when {tests}",
        "and": " and ",
        "is": "{name} is {value}",
        "is_not": "{name} is not {value}",
        "more_lines": "… and {count} more lines; --format json has them all",
        "exact": "exact; {count} situations looked at",
        "floats": "computed with floats; {count} situations looked at",
        "sampled": "SAMPLED, not exact: {count} runs with the seed {seed}; where the true chance lies, 95 times of 100,"
        " stands beside each",
        "answers_first": "choices take their first open option",
        "answers_best": "choices as the exact odds find best",
        "answers_worst": "choices as the exact odds find worst",
        "answers_policy": "choices by the policy {name}",
        "mean_between": "mean {mean} ({low}–{high})",
        "in_percent": "{what}, in %",
        "nothing": "nothing",
        "answer_none": "none",
    },
    "fr": {
        "percent": "\u00a0%",
        "point": ",",
        "between": "{low}–{high}",
        "colon": " : ",
        "mean": "{mean} en moyenne",
        "always": "toujours {value}",
        "at_most": "≤ {value}",
        "at_least": "≥ {value}",
        "span": "{low}–{high}",
        "together": "{names} ensemble",
        "start": "{what} au départ",
        "dice_of": "les dés de {what}",
        "gauges": "Ensuite",
        "refused": "Refusé en chemin",
        "never_ends": "Sans fin",
        "cut_off": "Pas suivi jusqu’au bout",
        "unfinished": "Abandonné, trop long",
        "worth": "{goal}{colon}{worth} avec les meilleurs choix",
        "worst_worth": "{goal}{colon}{worth} avec les pires choix",
        "best": "Que choisir pour {goal}",
        "worst": "Que choisir pour que {goal} soit le moins probable",
        "whenever": "toujours",
        "when": "si {tests}",
        "and": " et ",
        "is": "{name} est {value}",
        "is_not": "{name} n’est pas {value}",
        "more_lines": "… et {count} lignes de plus ; --format json les donne toutes",
        "exact": "exact ; {count} situations examinées",
        "floats": "calculé en flottants ; {count} situations examinées",
        "sampled": "ÉCHANTILLONNÉ, pas exact : {count} parties avec la graine {seed} ; à côté de chacune, où se trouve"
        " la vraie probabilité, 95 fois sur 100",
        "answers_first": "chaque choix prend sa première option ouverte",
        "answers_best": "les choix que les probabilités exactes trouvent les meilleurs",
        "answers_worst": "les choix que les probabilités exactes trouvent les pires",
        "answers_policy": "les choix selon la ligne de conduite {name}",
        "mean_between": "{mean} en moyenne ({low}–{high})",
        "in_percent": "{what}, en %",
        "nothing": "rien",
        "answer_none": "aucun",
    },
}
