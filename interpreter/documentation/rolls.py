"""Dice in words: which are thrown, what is done to them, what is read from them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from interpreter.documentation.blocks import Inline, Item, joined, merged
from interpreter.documentation.senses import Sense
from interpreter.documentation.wording import COMPARED, Wording
from interpreter.expressions import parse
from interpreter.model import Code, Drop, Explode, Extremes, Group, Keep, Keys, Operation, Replace, RerollDice, RollSpec

OF_DIE = ("face", "first", "value", "sides")
SHOWN = {"less": "show_below", "most": "show_most", "more": "show_above", "least": "show_least"}


class DiceWording:
    """Tells one roll."""

    def __init__(self, wording: Wording, roll: RollSpec) -> None:
        lexicon = wording.lexicon
        dice = {name: Sense(lexicon.say(f"die_{name}"), number=True) for name in OF_DIE}
        labels = {name: group.label for name, group in roll.groups.items() if group.label is not None}
        dice["group"] = Sense(lexicon.say("die_group"), ids=Keys(tuple(roll.groups)), labels=labels)
        self.wording = wording
        self.on_die = wording.within(**dice)
        self.roll = roll
        self.say = wording.say

    # ------------------------------------------------------------------ which dice

    def thrown(self) -> Inline:
        if not self.roll.groups:
            return self.dice(self.roll.dice, self.roll.die)
        parts = [self._group(name, group) for name, group in self.roll.groups.items()]
        return merged(joined(parts, self.say("and_dice")))

    def _group(self, name: str, group: Group) -> Inline:
        words = self.wording.lexicon.term(group.label, name)
        return self.say("group_named", dice=self.dice(group.dice, group.die), name=words)

    def dice(self, count: Code | None, die: Code | None) -> Inline:
        """`2d6`, or so many of a die."""
        if die is None:
            return (count.text,) if count is not None and _is_dice(count.text) else self.wording.code(count)
        number = self.wording.sense(count, inside=6).words if count is not None else ("1",)
        return self.say("dice_of", count=number, die=self._die(die))

    def _die(self, die: Code) -> Inline:
        declared = self.wording.lexicon.system.dice.get(die.text)
        if declared is not None:
            return self.wording.lexicon.term(declared.label, die.text)
        return (die.text,) if _is_dice(die.text) else self.wording.code(die)

    # ------------------------------------------------------------------ what follows

    def details(self) -> Iterator[Item]:
        """Operations in order, the rule for no dice, then readings."""
        for name, group in self.roll.groups.items():
            for operation in group.do:
                words = self.wording.lexicon.term(group.label, name)
                yield Item(self.say("only_group", name=words, what=self.operation(operation)))
        yield from (Item(self.operation(one)) for one in self.roll.do)
        yield from self._empty()
        yield from (Item(words) for words in self.readings())

    def _empty(self) -> Iterator[Item]:
        empty = self.roll.empty
        if empty is not None:
            dice = self.dice(empty.dice, self.roll.die)
            inner = tuple(Item(self.operation(one)) for one in empty.do)
            yield Item(self.say("no_dice", dice=dice))
            yield from inner

    def operation(self, operation: Operation) -> Inline:
        return _OPERATIONS[type(operation)](self, operation)

    def _explode(self, one: Explode) -> Inline:
        words = self.say("explode_new" if one.into == "new_die" else "explode_same", test=self.shown(one.explode))
        if one.at_most is None:
            return words
        return (*words, " ", *self.say("explode_limit", what=self.wording.code(one.at_most)))

    def _reroll(self, one: RerollDice) -> Inline:
        limit: Inline = ()
        if one.how_many is not None:
            limit = self.say("reroll_limit", what=self.wording.code(one.how_many))
        if one.how_often is not None:
            until = one.how_often.text == "until"
            limit += self.say("reroll_until") if until else self.say("times", what=self.wording.code(one.how_often))
        return self.say("reroll", test=self.shown(one.reroll), limit=limit)

    def _keep(self, one: Keep) -> Inline:
        return self._ranked("keep", one.keep)

    def _drop(self, one: Drop) -> Inline:
        return self._ranked("drop", one.drop)

    def _ranked(self, what: str, ranked: Any) -> Inline:
        end = "highest" if ranked.highest is not None else "lowest"
        return self.say(f"{what}_{end}", what=self.wording.code(getattr(ranked, end)))

    def _replace(self, one: Replace) -> Inline:
        return self.say("replace", test=self.shown(one.replace), what=self.wording.code(one.by))

    # ------------------------------------------------------------------ readings

    def readings(self) -> Iterator[Inline]:
        for name, code in self.roll.count.items():
            yield self._count(self._reading(name), code)
        for name, summed in self.roll.sum.items():
            yield self._sum(self._reading(name), summed)
        for end in ("highest", "lowest"):
            for name, few in getattr(self.roll, end).items():
                yield self._extremes(end, self._reading(name), few)
        for name, kind in self.roll.sets.items():
            yield self.say(f"set_{kind}", name=self._reading(name))

    def _reading(self, name: str) -> Inline:
        return self.wording.lexicon.term(getattr(self.roll, "labels", {}).get(name), name)

    def _count(self, name: Inline, code: Code) -> Inline:
        simple = self._simple(code)
        if simple is not None:
            return self.say("read_count", name=name, test=simple)
        return self.say("read_count_if", name=name, test=self.on_die.code(code))

    def _sum(self, name: Inline, summed: Code | Mapping[str, Code]) -> Inline:
        if isinstance(summed, Code):
            return self.say("read_sum", name=name, what=self.on_die.code(summed))
        parts = [self.say("face_gives", faces=self._faces(f), what=self.wording.code(c)) for f, c in summed.items()]
        return self.say("read_faces", name=name, what=joined(parts, (", ",)))

    def _extremes(self, end: str, name: Inline, few: Extremes) -> Inline:
        what = self.on_die.code(few.of)
        if few.dice is None:
            return self.say(f"read_{end}", name=name, what=what)
        return self.say(f"read_{end}_of", name=name, what=what, dice=self.wording.code(few.dice))

    def _faces(self, written: str) -> Inline:
        low, dots, high = written.partition("..")
        if not dots:
            symbol = self.wording.lexicon.system.symbols.get(low)
            return self.wording.lexicon.term(symbol, low) if symbol is not None else (written,)
        if low and high:
            return self.say("range", low=low, high=high)
        return self.say("at_least", low=low) if low else self.say("at_most", high=high)

    # ------------------------------------------------------------------ conditions on a die

    def shown(self, code: Code) -> Inline:
        """« qui font 6 »; other conditions after « tels que »."""
        return self._simple(code) or self.say("for_which", test=self.on_die.code(code))

    def _simple(self, code: Code) -> Inline | None:
        parsed = parse(code.text)
        tree = None if isinstance(parsed, tuple) else parsed.tree
        if not isinstance(tree, ast.Compare) or len(tree.ops) > 1:
            return None
        if not isinstance(tree.left, ast.Name) or tree.left.id not in ("face", "value"):
            return None
        operator, other = tree.ops[0], tree.comparators[0]
        if isinstance(operator, ast.Eq | ast.Is):
            return self.say("show_equal", what=self.on_die.node(other).words)
        if isinstance(operator, ast.In) and isinstance(other, ast.List):
            faces = [self.on_die.node(one).words for one in other.elts]
            return self.say("show_equal", what=joined(faces, self.say("or")))
        word = COMPARED.get(type(operator))
        return self.say(SHOWN[word], what=self.on_die.node(other).words) if word else None


def _is_dice(text: str) -> bool:
    head, d, tail = text.partition("d")
    return bool(d) and head.isdigit() | (head == "") and tail[:1].isdigit()


_OPERATIONS: Mapping[type[Operation], Callable[[DiceWording, Any], Inline]] = {
    Explode: DiceWording._explode,
    RerollDice: DiceWording._reroll,
    Keep: DiceWording._keep,
    Drop: DiceWording._drop,
    Replace: DiceWording._replace,
}
