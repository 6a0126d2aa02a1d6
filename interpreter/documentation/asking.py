"""Inputs in words: what may be answered, what stands when nothing is, who answers."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.documentation.blocks import Block, Inline, Link, Paragraph, Term, joined, sentence
from interpreter.documentation.senses import Sense
from interpreter.documentation.wording import Wording
from interpreter.model import Input, Keys, Range

# Longer lists of ids are told by the name of their table.
MOST_KEYS = 8


class InputWording:
    """Tells inputs in a scope of names."""

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self.lexicon = wording.lexicon
        self.say = wording.say

    def blocks(self, spec: Input) -> tuple[Block, ...]:
        """What may be answered on one line, then when, and who answers."""
        first = [self.domain(spec), *self._bounds(spec)]
        more = [*self._conditions(spec)]
        told = Paragraph(sentence(joined([one for one in first if one], self.say("semicolon"))))
        return (told, *(Paragraph(sentence(one), "aside") for one in more))

    def domain(self, spec: Input) -> Inline:
        if spec.flag is not None:
            return self.say("yes_no")
        if spec.int is not None:
            return self.range(spec.int)
        if spec.key is not None:
            return self.say("one_in", what=self.keys(spec.key, spec))
        if spec.set_of is not None:
            return self._among(spec.count, self.keys(spec.set_of, spec), "any_in")
        if spec.pick is not None:
            return self._among(spec.count, self.wording.code(spec.pick), "one_in")
        if spec.one is not None:
            return self.say("one_of_kind", kind=self.lexicon.kind_label(spec.one))
        return self.say("free_text")

    def range(self, declared: Range) -> Inline:
        low, high = (self.wording.code(end) if end is not None else None for end in (declared.low, declared.high))
        if low is not None and high is not None:
            return self.say("range", low=low, high=high)
        return self.say("at_least", low=low) if low is not None else self.say("at_most", high=high or "")

    def keys(self, keys: Keys, spec: Input) -> Inline:
        """The ids, or the table that lists them."""
        if len(keys.ids) > MOST_KEYS and keys.table is not None:
            label = self.lexicon.term(self.lexicon.system.tables[keys.table].label, keys.table)
            return (Link(label, self.lexicon.anchor("table", keys.table)),)
        names = [(Term(self.lexicon.names.key(key, keys, spec.labels)),) for key in keys.ids]
        return joined(names, (", ",))

    def _among(self, count: Range | None, what: Inline, otherwise: str) -> Inline:
        low = count.low.text if count is not None and count.low is not None else ""
        high = count.high.text if count is not None and count.high is not None else ""
        if count is None or (low in ("", "0") and not high):
            return self.say(otherwise if count is None else "any_in", what=what)
        if low == high:
            return self.say("exactly_in", count=low, what=what)
        if low in ("", "0") and high == "1":
            return self.say("none_or_one_in", what=what)
        if low in ("", "0"):
            return self.say("up_to_in", high=high, what=what)
        if not high:
            return self.say("from_in", low=low, what=what)
        return self.say("between_in", low=low, high=high, what=what)

    def _bounds(self, spec: Input) -> Iterator[Inline]:
        if spec.where is not None:
            ids = spec.key or spec.set_of
            things = self.wording.sense(spec.pick) if spec.pick is not None else Sense()
            item = Sense(self.wording.say("each_item"), ids=ids) if ids else self.wording.item(things)
            inner = self.wording.within(item=item, key=self.wording.key_of(things))
            yield self.say("where", test=inner.test(spec.where))
        if spec.for_each is not None:
            role = self.wording.scope.get(spec.for_each)
            yield self.say("each_answers", who=role.words if role else self.lexicon.names.who(spec.for_each))
        yield self._default(spec)
        if spec.optional:
            yield self.say("optional")
        if spec.beyond == "clamp":
            yield self.say("clamped")

    def _conditions(self, spec: Input) -> Iterator[Inline]:
        if spec.when is not None:
            said = self.lexicon.names.label(spec.or_say, "") if spec.or_say else ""
            refused = (*self.say("semicolon"), *self.say("else_say", text=said)) if said else ()
            yield (*self.say("only_when", test=self.wording.test(spec.when)), *refused)
        if spec.asked:
            yield self.say("answered_by", who=self._someone(spec.asked))
        if spec.hidden_from:
            yield self.say("hidden_from", who=self._someone(spec.hidden_from))

    def _default(self, spec: Input) -> Inline:
        if spec.default is not None:
            keys = spec.key or spec.set_of
            return self.say("default", value=self.wording.code(spec.default, Sense(ids=keys, labels=spec.labels)))
        if spec.flag is not None:
            return self.say("default", value=self.say("yes" if spec.flag else "no"))
        return ()

    def _someone(self, name: str) -> Inline:
        known = self.wording.scope.get(name)
        if known is not None:
            return known.words
        if name == "item.owner":
            return self.say("owner")
        return (self.lexicon.names.who(name),)
