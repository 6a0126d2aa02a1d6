"""What the interpreter itself says to players, in every language that it speaks."""

from __future__ import annotations

from collections.abc import Iterable

from interpreter.asked import Refused
from interpreter.model import Label, Path
from interpreter.problems import nearest, some_of

FIRST = "en"  # of which every text is there
TEXTS = {
    "en": {
        # what is answered before an action begins
        "wanted": "`{name}`: an answer is wanted.",
        "closed": "`{name}` cannot be used now.",
        "unknown_input": "There is no input `{name}`.",
        "did_you_mean": "Did you mean `{name}`?",
        "there_is": "There is {names}.",
        "each": "`{name}` wants an answer for each of `{role}`.",
        "not_among": "`{name}`: `{answer}` is not among what can be chosen ({known}).",
        "several_fit": "`{name}`: `{answer}` could be several of what can be chosen ({known}).",
        "nothing": "none",
        "how_many": "`{name}`: {number} chosen, {count} wanted.",
        "not_whole": "`{name}`: `{answer}` is not a whole number.",
        "outside": "`{name}`: {answer} is outside {range}.",
        "no_flag": "`{name}`: `{answer}` is neither true nor false.",
        "no_answer": "`{name}`: `{answer}` is no answer.",
        "how_many_different": "`{name}`: {count} different ones are wanted.",
        # who takes part
        "no_action": "There is no action `{name}`.",
        "no_role": "`{action}` has no role `{role}`; it has {known}.",
        "which": "Which {kinds} is `{role}`? There are {number}.",
        "no_sheet": "There is no sheet `{sheet}` for the role `{role}`.",
        "no_such_sheet": "There is no sheet `{sheet}`.",
        "wrong_kind": "`{sheet}` is a {kind}; `{role}` is a {kinds}.",
        "nobody": "`{role}` is one {kinds} or more, and there is none.",
        "too_many": "`{role}` is one sheet, not {number}.",
        "twice": "`{role}`: `{sheet}` is named twice.",
        # what happens on the way
        "require": "What the action requires does not hold.",
        "pay": "There is not enough to pay with.",
        "not_waiting": "This action waits for no answer.",
        "other_dice": "These dice were thrown for another roll.",
        "closed_option": "`{option}` cannot be chosen now.",
        "no_option": "`{option}` is no option of `{choice}`: {known}.",
        "options_wanted": "`{choice}` takes {low} to {high} different options.",
        "number_wanted": "`{choice}` is a whole number from {low} to {high}.",
        "text_wanted": "`{choice}` is a text.",
        "too_large": "The action is too large for the things in play.",
        "endless_choices": "The action made {number} choices without an end.",
        "endless_steps": "The action made {number} steps without an end.",
        # a run that was suspended
        "other_format": "This run was saved in format {found}; this program reads format {known}.",
        "other_system": "This run belongs to the system `{found}`, not to `{known}`.",
        "other_rules": "The rules have changed since this run was suspended; begin the action again.",
        "no_run": "This is no suspended run.",
        "no_wait": "This run stands at no place where a run can wait.",
        "no_register": "This run has a value `{name}` that the rules do not know.",
        "or": "or",
    },
    "fr": {
        "wanted": "`{name}` : il faut une réponse.",
        "closed": "`{name}` ne peut pas servir maintenant.",
        "unknown_input": "Il n’y a pas de question `{name}`.",
        "did_you_mean": "Vouliez-vous dire `{name}` ?",
        "there_is": "Il y a {names}.",
        "each": "`{name}` : il faut une réponse pour chacun de `{role}`.",
        "not_among": "`{name}` : `{answer}` n’est pas parmi les choix possibles ({known}).",
        "several_fit": "`{name}` : `{answer}` peut désigner plusieurs des choix possibles ({known}).",
        "nothing": "aucun",
        "how_many": "`{name}` : {number} choisis, il en faut {count}.",
        "not_whole": "`{name}` : `{answer}` n’est pas un nombre entier.",
        "outside": "`{name}` : {answer} sort de {range}.",
        "no_flag": "`{name}` : `{answer}` n’est ni oui ni non.",
        "no_answer": "`{name}` : `{answer}` n’est pas une réponse.",
        "how_many_different": "`{name}` : il en faut {count}, toutes différentes.",
        "no_action": "Il n’y a pas d’action `{name}`.",
        "no_role": "`{action}` n’a pas de rôle `{role}` ; elle a {known}.",
        "which": "`{role}` : qui ({kinds}) ? Il y en a {number}.",
        "no_sheet": "Il n’y a pas de feuille `{sheet}` pour le rôle `{role}`.",
        "no_such_sheet": "Il n’y a pas de feuille `{sheet}`.",
        "wrong_kind": "`{sheet}` est de la sorte {kind} ; `{role}` veut {kinds}.",
        "nobody": "`{role}` veut au moins une feuille ({kinds}), et il n’y en a pas.",
        "too_many": "`{role}` est une seule feuille, pas {number}.",
        "twice": "`{role}` : `{sheet}` est nommé deux fois.",
        "require": "Ce que l’action exige n’est pas rempli.",
        "pay": "Il n’y a pas de quoi payer.",
        "not_waiting": "Cette action n’attend pas de réponse.",
        "other_dice": "Ces dés ont été lancés pour un autre jet.",
        "closed_option": "`{option}` ne peut pas être choisi maintenant.",
        "no_option": "`{option}` n’est pas une option de `{choice}` : {known}.",
        "options_wanted": "`{choice}` veut {low} à {high} options différentes.",
        "number_wanted": "`{choice}` est un nombre entier de {low} à {high}.",
        "text_wanted": "`{choice}` est un texte.",
        "too_large": "L’action est trop grande pour ce qui est en jeu.",
        "endless_choices": "L’action a fait {number} choix sans finir.",
        "endless_steps": "L’action a fait {number} étapes sans finir.",
        "other_format": "Cette partie d’action est au format {found} ; ce programme lit le format {known}.",
        "other_system": "Cette partie d’action est du jeu `{found}`, pas de `{known}`.",
        "other_rules": "Les règles ont changé depuis que cette action a été suspendue ; recommencez-la.",
        "no_run": "Ce n’est pas une action suspendue.",
        "no_wait": "Cette action ne s’est pas arrêtée là où une action peut attendre.",
        "no_register": "Cette action a une valeur `{name}` que les règles ne connaissent pas.",
        "or": "ou",
    },
}


def refusal(code: str, what: str, path: Path = (), /, **values: object) -> Refused:
    """A refusal in these words. `code` says which kind it is."""
    return refused_as(code, said(what, **values), path)


def demand(code: str, words: Label | None, path: Path = ()) -> Refused:
    """The refusal of a `require` or a price that does not hold, in the rules' own words if they have some."""
    return refused_as(code, words or said(code), path)


def refused_as(code: str, text: Label, path: Path = ()) -> Refused:
    return Refused(code, in_language(text, FIRST), text, path)


def said(what: str, /, **values: object) -> Label:
    """One of these texts with its values, which may be such texts themselves."""
    return Label({language: text.format(**_in(language, values)) for language, text in _each(what)})


def listed(words: Iterable[str]) -> Label:
    """Names of which one is meant: `a or b`."""
    return Label({language: f" {text} ".join(words) for language, text in _each("or")})


def with_nearest(text: Label, name: str, known: Iterable[str]) -> Label:
    """A text on a name that is not known, with the nearest one that is, or with what there is."""
    names = list(known)
    close = nearest(name, names)
    if close:
        return joined((text, said("did_you_mean", name=close)))
    return joined((text, said("there_is", names=", ".join(some_of(names))))) if names else text


def joined(texts: Iterable[Label], between: str = " ") -> Label:
    """Several texts one after the other, in each language that one of them has."""
    every = list(texts)
    languages = dict.fromkeys(language for text in every for language in text.texts)
    return Label({language: between.join(in_language(text, language) for text in every) for language in languages})


def in_language(text: Label, language: str) -> str:
    """A text in a language, or in the first that it has."""
    return text.texts.get(language) or next(iter(text.texts.values()), "")


def _each(what: str) -> list[tuple[str, str]]:
    return [(language, texts[what]) for language, texts in TEXTS.items()]


def _in(language: str, values: dict[str, object]) -> dict[str, object]:
    return {name: in_language(value, language) if isinstance(value, Label) else value for name, value in values.items()}
