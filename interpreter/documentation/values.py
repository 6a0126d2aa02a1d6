"""Numbers with their modifiers in words, those that things and effects bring included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.documentation.blocks import (
    Block,
    Inline,
    Item,
    Items,
    Paragraph,
    Strong,
    joined,
    merged,
    plain,
    sentence,
)
from interpreter.documentation.scopes import record_scope, self_scope
from interpreter.documentation.senses import SUM, Lexicon, Scope
from interpreter.documentation.wording import MINUS, Wording
from interpreter.model import Code, Modifier, Node, OutsideModifier, Value


class ValueWording:
    """Tells values in a scope of names."""

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self.lexicon = wording.lexicon
        self.say = wording.say

    def blocks(self, value: Value, targets: tuple[str, ...]) -> tuple[Block, ...]:
        """What a value starts from, then what changes it, then its bounds. `targets` are its names from outside."""
        items = [*self._base(value)]
        items += [Item(self.modifier(name, one)) for name, one in value.modifiers.items()]
        items += [Item(spans) for spans in outside_parts(self.lexicon, targets)]
        items += [*self._bounds(value)]
        if len(items) == 1:
            return (Paragraph(sentence(items[0].spans)),)
        return (Items(tuple(items), "parts"),)

    def _base(self, value: Value) -> Iterator[Item]:
        if value.base is not None:
            yield Item(self.wording.code(value.base))
        if value.each is not None:
            yield Item(self.wording.code(value.each))

    def _bounds(self, value: Value) -> Iterator[Item]:
        if value.stages:
            labels = [self._label(name, value.modifiers.get(name)) for name in value.stages]
            yield Item(self.say("stages", what=joined(labels, (", ",))))
        for word, code in (("min", value.min), ("max", value.max)):
            if code is not None:
                yield Item(self.say(word, what=self.wording.code(code)))

    def _label(self, name: str, modifier: Modifier | None) -> Inline:
        return self.lexicon.term(modifier.label if modifier else None, name)

    def modifier(self, name: str, modifier: Modifier) -> Inline:
        """« + somme de Niveau (Vécus) : Vécus, si … »."""
        amount = self.amount(modifier)
        label: Inline = self._label(name, modifier)
        told = plain(label).casefold() not in plain(amount).casefold()
        spans = merged((*amount, *((" — ", *label) if told else ())))
        notes = [*self._conditions(modifier)]
        return (*spans, *((", ", *joined(notes, (", ",))) if notes else ()))

    def _conditions(self, modifier: Modifier) -> Iterator[Inline]:
        if modifier.when is not None:
            yield self.say("only_when", test=self.wording.test(modifier.when))
        if modifier.best_of is not None:
            yield self.say("best_of", group=plain(self.lexicon.term(None, modifier.best_of)))

    def amount(self, modifier: Modifier) -> Inline:
        parts: list[Inline] = []
        for word, code in (("multiplied", modifier.multiply), ("divided", modifier.divide), ("becomes", modifier.set)):
            if code is not None:
                parts.append(self.say(word, what=self.wording.sense(code, inside=6).words))
        if modifier.add is not None:
            parts.append((Strong(signed(self.wording, modifier.add)),))
        if isinstance(modifier, OutsideModifier) and modifier.cancel is not None:
            parts.append(self.say("cancels", what=plain(self.lexicon.term(None, modifier.cancel))))
        if modifier.round is not None:
            parts.append(self.say("rounded", how=self.say(modifier.round)))
        return joined(parts, (", ",))


def signed(wording: Wording, code: Code) -> Inline:
    """A number with its sign in front."""
    told = wording.sense(code, inside=SUM)
    first = told.words[0] if told.words else ""
    if isinstance(first, str) and first.startswith(MINUS):
        return merged((f"{MINUS}\u202f{first.removeprefix(MINUS)}", *told.words[1:]))
    return merged(("+\u202f", *told.words))


# ---------------------------------------------------------------------- from outside


def outside_parts(lexicon: Lexicon, targets: tuple[str, ...]) -> Iterator[Inline]:
    """What things and effects change in a value of these names."""
    for kind, label, scope, modifiers in _sources(lexicon):
        for name, modifier in modifiers.items():
            if modifier.to in targets:
                told = ValueWording(Wording(lexicon, scope)).modifier(name, _named(modifier, label))
                own = plain(kind)
                yield told if own.casefold() in plain(told).casefold() else (*told, " (", *kind, ")")


def _named(modifier: OutsideModifier, holder: Node) -> OutsideModifier:
    """A modifier without a label is called like what brings it."""
    if modifier.label is not None or holder.label is None:
        return modifier
    values = {name: getattr(modifier, name) for name in modifier.FIELDS}
    return OutsideModifier(**{**values, "label": holder.label})


def _sources(lexicon: Lexicon) -> Iterator[tuple[Inline, Node, Scope, Mapping[str, OutsideModifier]]]:
    for name, record in lexicon.system.records.items():
        yield lexicon.kind_label(name), record, record_scope(lexicon, name), record.modifiers
    for name, effect in lexicon.system.effects.items():
        label = lexicon.term(effect.label, name)
        yield label, effect, self_scope(lexicon, effect.on), effect.modifiers


def changed_by(lexicon: Lexicon, scope: Scope, modifiers: Mapping[str, OutsideModifier]) -> Items | None:
    """What a thing or an effect changes elsewhere, as a list."""
    wording = ValueWording(Wording(lexicon, scope))
    items = []
    for name, modifier in modifiers.items():
        value = target_label(lexicon, modifier.to)
        cancelled = modifier.cancel is not None
        spans = (
            lexicon.say("cancels", what=plain(cancelled_label(lexicon, modifier)))
            if cancelled
            else wording.modifier(name, modifier)
        )
        items.append(Item((*lexicon.say("changes_value", value=value), *lexicon.say("then"), *spans)))
    return Items(tuple(items)) if items else None


def target_label(lexicon: Lexicon, to: str) -> Inline:
    """A number by its path: `action.value`, `*.value`, or a derived value."""
    head, _, name = to.rpartition(".")
    for action in lexicon.system.actions.values():
        if head not in ("*", "") and action is not lexicon.system.actions.get(head):
            continue
        for phases in (action, *action.sides.values()):
            if name in phases.values:
                return lexicon.term(phases.values[name].label, name)
    for sheet in lexicon.system.sheets.values():
        if name in sheet.derived:
            return lexicon.term(sheet.derived[name].label, name)
    return lexicon.term(None, name)


def cancelled_label(lexicon: Lexicon, modifier: OutsideModifier) -> Inline:
    """The modifier that another one cancels."""
    _, _, name = modifier.to.rpartition(".")
    for action in lexicon.system.actions.values():
        for phases in (action, *action.sides.values()):
            found = phases.values[name].modifiers.get(modifier.cancel or "") if name in phases.values else None
            if found is not None:
                return lexicon.term(found.label, modifier.cancel or "")
    return lexicon.term(None, modifier.cancel or "")
