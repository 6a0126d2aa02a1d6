"""Steps in words, one teller for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from string import Formatter
from typing import Any

from interpreter.documentation.blocks import Inline, Item, Items, Link, Strong, joined, lowered, merged, plain, sentence
from interpreter.documentation.rolls import DiceWording
from interpreter.documentation.scopes import loop_sense
from interpreter.documentation.senses import OR, SIGN, Sense
from interpreter.documentation.wording import MINUS, Wording
from interpreter.expressions import names_used, parse
from interpreter.model import (
    Add,
    Apply,
    Ask,
    Begin,
    Call,
    Change,
    Choose,
    Clear,
    Code,
    Emit,
    End,
    Fill,
    Finish,
    ForEach,
    If,
    Join,
    Label,
    Let,
    Lift,
    Move,
    Names,
    Option,
    Outcome,
    Pay,
    Remove,
    Repeat,
    Require,
    Reroll,
    Roll,
    Say,
    Set,
    Step,
    Steps,
)


class StepWording:
    """Tells steps in a scope of names; `outcomes` are those of the action, for `finish`."""

    def __init__(self, wording: Wording, outcomes: Mapping[str, Outcome] | None = None) -> None:
        self.wording = wording
        self.lexicon = wording.lexicon
        self.say = wording.say
        self.outcomes = outcomes or {}

    def items(self, steps: Steps) -> tuple[Item, ...]:
        return tuple(item for step in steps for item in self.item(step))

    def listed(self, steps: Steps) -> tuple[Items, ...]:
        """The steps as a list, or nothing."""
        items = self.items(steps)
        return (Items(items, "steps"),) if items else ()

    def item(self, step: Step) -> Iterator[Item]:
        """One step: several items where it does several things, below their condition."""
        items = tuple(_TELLERS[type(step)](self, step))
        if step.when is None or not items:
            yield from items
        else:
            yield self._headed(self.say("if", test=self.wording.test(step.when)), items)

    def label(self, label: Label | None, otherwise: str = "") -> str:
        return self.lexicon.names.label(label, otherwise) if label is not None else otherwise

    # ------------------------------------------------------------------ values and gauges

    def _let(self, step: Let) -> Iterator[Item]:
        for name, code in step.let.items():
            words, told = self._named(name), self.wording.code(code)
            if plain(words) == plain(told):
                continue
            parsed = parse(code.text)
            again = not isinstance(parsed, tuple) and name in names_used(parsed.tree)
            yield Item(self.say("set_to", target=words, what=told) if again else self.say("let", name=words, what=told))

    def _named(self, name: str) -> Inline:
        known = self.wording.scope.get(name)
        return known.words if known is not None else self.lexicon.term(None, name)

    def target(self, text: str) -> Sense:
        return self.wording.sense(Code(text))

    def _set(self, step: Set) -> Iterator[Item]:
        for text, code in step.set.items():
            target = self.target(text)
            if code.text in ("true", "false"):
                yield Item(self.say("set_yes" if code.text == "true" else "set_no", target=target.words))
            else:
                yield Item(self.say("set_to", target=target.words, what=self.wording.code(code, target)))

    def _change(self, step: Change) -> Iterator[Item]:
        for text, code in step.change.items():
            yield Item(self._added(self.target(text).words, code))

    def _added(self, target: Inline, code: Code) -> Inline:
        told = self.wording.sense(code)
        first = told.words[0] if told.words else ""
        if isinstance(first, str) and first.startswith(MINUS):
            rest = merged((first.removeprefix(MINUS), *told.words[1:]))
            return self.say("take" if told.tight >= SIGN else "take_long", target=target, what=rest)
        return self.say("add" if told.tight >= SIGN else "add_long", target=target, what=told.words)

    def _pay(self, step: Pay) -> Iterator[Item]:
        for text, code in step.pay.items():
            words = self.say("pay", what=self.wording.code(code), target=self.target(text).words)
            yield Item(sentence((*words, *(self.say("pay_say", text=self.label(step.say)) if step.say else ()))))

    def _move(self, step: Move) -> Iterator[Item]:
        move = step.move
        amount, source, target = (self.wording.code(one) for one in (move.amount, move.from_, move.to))
        yield Item(self.say("move", what=amount, source=source, target=target))

    def _fill(self, step: Fill) -> Iterator[Item]:
        yield Item(self.say("fill", target=self.wording.code(step.fill)))

    def _clear(self, step: Clear) -> Iterator[Item]:
        yield Item(self.say("clear", target=self.wording.code(step.clear)))

    # ------------------------------------------------------------------ lists

    def _add(self, step: Add) -> Iterator[Item]:
        target = self.target(step.to.text)
        what = self._new(target.kind, step.add) if isinstance(step.add, Mapping) else self.wording.code(step.add)
        yield Item(self.say("add_long", target=target.words, what=what))

    def _new(self, kind: str, fields: Mapping[str, Code]) -> Inline:
        """A record with what it is given."""
        record = Sense(self.lexicon.kind_label(kind), kind=kind, implied=True)
        given = [self._field_given(record, name, code) for name, code in fields.items()]
        told = self.say("with", what=joined(given, (", ",))) if given else ()
        return merged((*record.words, *told))

    def _field_given(self, record: Sense, name: str, code: Code) -> Inline:
        field = reduce(self.wording.member, name.split("."), record)
        return self.say("given_as", name=field.words, what=self.wording.code(code, field))

    def _remove(self, step: Remove) -> Iterator[Item]:
        what = self.wording.code(step.remove)
        if step.from_ is None:
            yield Item(self.say("remove", what=what))
        else:
            yield Item(self.say("take_long", target=self.target(step.from_.text).words, what=what))

    # ------------------------------------------------------------------ dice

    def _roll(self, step: Roll) -> Iterator[Item]:
        for name, roll in step.roll.items():
            dice = DiceWording(self.wording, roll)
            words = self.lexicon.term(roll.label, name)
            details = tuple(dice.details())
            thrown = self.say("throw_named", name=(Strong(words),), dice=dice.thrown())
            yield Item((*thrown, "."), (Items(details),) if details else ())

    def _reroll(self, step: Reroll) -> Iterator[Item]:
        sense = self.wording.scope.get(step.reroll)
        words = sense.words if sense else self.lexicon.term(None, step.reroll)
        if step.where is not None and step.where.text == "false":
            yield Item(self.say("look_again", roll=words))
            return
        limit: Inline = ()
        if step.how_many is not None:
            limit = self.say("reroll_limit", what=self.wording.code(step.how_many))
        if step.where is None or sense is None or sense.roll is None:
            yield Item(self.say("again_all", roll=words, limit=limit))
            return
        test = DiceWording(self.wording, sense.roll).shown(step.where)
        yield Item(self.say("again", roll=words, test=test, limit=limit))

    # ------------------------------------------------------------------ choices

    def _choose(self, step: Choose) -> Iterator[Item]:
        who = self._whom(step.who)
        by = self.say("choose_by", who=who) if who else ()
        name = self.lexicon.term(None, step.choose)
        question: Inline = (self.label(step.label, ""),) if step.label else name
        if step.label and not step.options:
            question = (*question, *self.say("named_as", name=name))
        spans = self.say("choose", by=by, question=(Strong(question), *self._domain(step)))
        options = [self._option(name, option) for name, option in step.options.items()]
        yield Item(spans, (Items(tuple(options)),) if options else ())

    def _whom(self, names: Names) -> Inline:
        """Who chooses; the one who acts goes without saying."""
        told = [sense.words if (sense := self.wording.scope.get(n)) else (self.lexicon.names.who(n),) for n in names]
        return () if list(names) in ([], ["self"]) else joined(told, self.say("and"))

    def _domain(self, step: Choose) -> Inline:
        """Among what it is chosen, when the options are not listed."""
        parts: list[Inline] = []
        if step.number is not None:
            low, high = (self.wording.code(end) for end in (step.number.low, step.number.high))
            parts.append(self.say("number_chosen", low=low, high=high))
        item: Sense | None = None
        if step.from_ is not None:
            things = self.wording.sense(step.from_)
            item = self.wording.item(things)
            parts.append(self.say("one_in", what=things.words))
        if step.key is not None:
            item = Sense(self.say("each_item"), ids=step.key)
            parts.append(self.say("one_in", what=", ".join(self.lexicon.names.key(k, step.key) for k in step.key.ids)))
        if step.where is not None and item is not None:
            parts.append(self.say("where", test=self.wording.within(item=item).test(step.where)))
        if step.count is not None:
            low, high = (self.wording.code(end) for end in (step.count.low, step.count.high))
            parts.append(low if plain(low) == plain(high) else self.say("range", low=low, high=high))
        if step.hidden:
            parts.append(self.say("in_secret"))
        return (" — ", *joined(parts, self.say("semicolon"))) if parts else ()

    def _option(self, name: str, option: Option) -> Item:
        spans: list[Inline] = [(Strong((self.label(option.label, "") or plain(self.lexicon.term(None, name)),)),)]
        notes: list[Inline] = []
        if option.when is not None:
            notes.append(self.say("only_when", test=self.wording.test(option.when)))
        if option.or_say is not None:
            notes.append(self.say("else_say", text=self.label(option.or_say)))
        for text, code in option.pay.items():
            target = self.target(text).words
            notes.append(self.say("costs", what=merged((*self.wording.code(code), " ", *target))))
        if option.once_per is not None:
            notes.append(self.say("once_per", period=self._period(option.once_per)))
        if notes:
            spans.append((" — ", *joined(notes, self.say("semicolon"))))
        return Item(joined(spans, ()), self.listed(option.do))

    def _period(self, name: str) -> Inline:
        period = self.lexicon.system.periods.get(name)
        return self.lexicon.term(period.label if period else None, name)

    def _ask(self, step: Ask) -> Iterator[Item]:
        question: Inline = (self.label(step.label),) if step.label else self.wording.code(step.ask)
        who = self._whom((step.who,)) if step.who else ()
        yield Item(self.say("ask", who=who or self.say("who_acts"), question=(Strong(question),)))

    # ------------------------------------------------------------------ flow

    def _if(self, step: If) -> Iterator[Item]:
        yield self._headed(self.say("if", test=self.wording.test(step.if_)), self.items(step.then))
        if step.else_:
            yield self._headed(self.say("else"), self.items(step.else_))

    def _headed(self, head: Inline, items: tuple[Item, ...]) -> Item:
        """Steps below a condition; a single one stands beside it."""
        if len(items) == 1:
            return replace(items[0], spans=merged((*head, " ", *lowered(items[0].spans))))
        return Item(head, (Items(items, "steps"),) if items else ())

    def _for_each(self, step: ForEach) -> Iterator[Item]:
        name, _, rest = step.for_each.text.partition(" in ")
        things = self.wording.sense(replace(step.for_each, text=rest.strip()))
        thing = loop_sense(self.lexicon, name.strip(), things)
        inner = StepWording(self.wording.within(**{name.strip(): thing}), self.outcomes)
        where = self.say("for_each_where", test=inner.wording.test(step.where)) if step.where else ()
        order = self.say("in_order", order=inner.order(step.order)) if step.order else ()
        spans = self.say("for_each", kind=thing.words, what=things.words, where=where, order=order)
        yield Item(spans, inner.listed(step.do))

    def order(self, codes: tuple[Code, ...]) -> Inline:
        """`high x`, `low y` in words."""
        parts = []
        for code in codes:
            end, _, rest = code.text.partition(" ")
            told = self.wording.sense(replace(code, text=rest))
            end = f"{end}_flag" if told.flag else end
            parts.append(self.say(f"order_{end}", what=told.words))
        return joined(parts, (", ",))

    def _repeat(self, step: Repeat) -> Iterator[Item]:
        loop, how = step.repeat, []
        if loop.while_ is not None:
            how.append(self.say("while", test=self.wording.test(loop.while_)))
        if loop.times is not None:
            how.append(self.say("times", what=self.wording.sense(loop.times, inside=OR).words))
        if loop.until is not None:
            how.append(self.say("until", test=self.wording.test(loop.until)))
        if loop.at_most is not None:
            how.append(self.say("at_most_times", what=self.wording.sense(loop.at_most, inside=OR).words))
        yield Item(self.say("repeat", how=joined(how, ())), self.listed(loop.do))

    def _call(self, step: Call) -> Iterator[Item]:
        procedure = self.lexicon.system.procedures.get(step.call)
        words = self.lexicon.term(procedure.label if procedure else None, step.call)
        link = Link(words, self.lexicon.anchor("procedure", step.call))
        given = [self._handed(step.call, name, code) for name, code in step.with_.items()]
        told = self.say("with", what=joined([one for one in given if one], (", ",))) if any(given) else ()
        yield Item(self.say("call", what=(Strong((link,)),), given=told))

    def _handed(self, called: str, name: str, code: Code) -> Inline:
        """What a procedure is given; what is called the same on both sides goes without saying."""
        procedure = self.lexicon.system.procedures.get(called)
        label = procedure.inputs[name].label if procedure and name in procedure.inputs else None
        told = self.wording.code(code)
        words = self.lexicon.term(label, name) if name != "self" else self.say("who_acts")
        return () if plain(words) == plain(told) else self.say("given_as", name=words, what=told)

    def _require(self, step: Require) -> Iterator[Item]:
        words = self.say("require", test=self.wording.test(step.require))
        yield Item(sentence((*words, *(self.say("pay_say", text=self.label(step.say)) if step.say else ()))))

    def _finish(self, step: Finish) -> Iterator[Item]:
        declared = self.outcomes.get(step.finish)
        words = self.lexicon.term(declared.label if declared else None, step.finish)
        yield Item(self.say("finish", what=(Strong(words),)))

    # ------------------------------------------------------------------ telling, periods, effects

    def _tell(self, step: Say) -> Iterator[Item]:
        spans = self.say("tell", text=filled(self.wording, self.label(step.say)))
        if step.hidden_from:
            spans += (" (", *self.say("hidden_from", who=self.lexicon.names.who(step.hidden_from)), ")")
        yield Item(spans)

    def _whose(self, code: Code | None) -> Inline:
        return self.say("for_whom", who=self.wording.code(code)) if code is not None else ()

    def _begin(self, step: Begin) -> Iterator[Item]:
        yield Item(self.say("begin", what=self._period(step.begin), who=self._whose(step.with_)))

    def _join(self, step: Join) -> Iterator[Item]:
        yield Item(self.say("join", what=self._period(step.join), who=self.wording.code(step.with_)))

    def _end(self, step: End) -> Iterator[Item]:
        yield Item(self.say("end", what=self._period(step.end)))

    def _effect(self, name: str, whose: Code | None, what: str) -> Iterator[Item]:
        effect = self.lexicon.system.effects.get(name)
        words = self.lexicon.term(effect.label if effect else None, name)
        who = self.wording.code(whose) if whose is not None else self.say("who_acts")
        yield Item(self.say(what, who=who, what=words))

    def _apply(self, step: Apply) -> Iterator[Item]:
        yield from self._effect(step.apply, step.to, "apply")

    def _lift(self, step: Lift) -> Iterator[Item]:
        yield from self._effect(step.lift, step.from_, "lift")

    def _emit(self, step: Emit) -> Iterator[Item]:
        yield Item(self.say("emit", what=self.lexicon.term(None, step.emit)))


def filled(wording: Wording, text: str) -> Inline:
    """A sentence with its expressions in words."""
    spans: list[Any] = []
    for before, code, _, _ in Formatter().parse(text):
        spans.append(before)
        if code:
            spans += wording.code(Code(code))
    return merged(spans)


_TELLERS: Mapping[type[Step], Callable[[StepWording, Any], Iterator[Item]]] = {
    Let: StepWording._let,
    Set: StepWording._set,
    Change: StepWording._change,
    Pay: StepWording._pay,
    Move: StepWording._move,
    Fill: StepWording._fill,
    Clear: StepWording._clear,
    Add: StepWording._add,
    Remove: StepWording._remove,
    Roll: StepWording._roll,
    Reroll: StepWording._reroll,
    Choose: StepWording._choose,
    Ask: StepWording._ask,
    If: StepWording._if,
    ForEach: StepWording._for_each,
    Repeat: StepWording._repeat,
    Call: StepWording._call,
    Require: StepWording._require,
    Say: StepWording._tell,
    Begin: StepWording._begin,
    Join: StepWording._join,
    End: StepWording._end,
    Apply: StepWording._apply,
    Lift: StepWording._lift,
    Emit: StepWording._emit,
    Finish: StepWording._finish,
}
