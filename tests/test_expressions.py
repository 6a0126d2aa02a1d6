"""Expressions, line by line: each line of tests/expressions/*.txt is a test."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from interpreter.expressions import (
    CODES,
    FUNCTIONS,
    LARGEST,
    RESERVED,
    EvaluationError,
    Expression,
    Family,
    Fault,
    Flag,
    Key,
    Many,
    Names,
    Number,
    Optional,
    Register,
    Select,
    Text,
    Thing,
    Type,
    analyse,
    call,
    children,
    constant,
    describe,
    evaluate,
    infer,
    join,
    may_fail,
    names_used,
    negation,
    parse,
    prepare,
    rank,
    reads,
    register,
    select,
    substitute,
)

DATA = Path(__file__).parent / "expressions"


def lines(name: str) -> list[tuple[str, ...]]:
    """The lines of a data file, cut at ` :: `."""
    found = []
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# "):
            plain = re.sub(r"\\u([0-9A-F]{4})", lambda match: chr(int(match[1], 16)), line).replace("\\n", "\n")
            found.append(tuple(plain.replace("\\\\", "\\").split(" :: ")))
    return found


def identified(rows: list[tuple[str, ...]]) -> list[object]:
    return [pytest.param(*row, id=ascii(row[0])[1:-1]) for row in rows]


def parsed(text: str) -> Expression:
    result = parse(text)
    assert isinstance(result, Expression), result
    return result


def agree(faults: tuple[Fault, ...], expected: str) -> None:
    """Faults against `code column words & code column words`."""
    wanted = [part.split(" ", 2) for part in expected.split(" & ")]
    assert [(fault.code, str(fault.start + 1)) for fault in faults] == [(each[0], each[1]) for each in wanted], faults
    for fault, (_, _, words) in zip(faults, wanted, strict=True):
        assert words in f"{fault.message} {fault.hint}", fault


# ------------------------------------------------------------------------------------------------ spelling


@pytest.mark.parametrize(("text", "expected"), identified(lines("spelling.txt")))
def test_spelling(text: str, expected: str) -> None:
    result = parse(text)
    if expected == "ok":
        assert isinstance(result, Expression), result
    else:
        assert isinstance(result, tuple)
        agree(result, expected)


@pytest.mark.parametrize("text", identified(lines("sketches.txt")))
def test_the_sketches_parse_as_python_does(text: str) -> None:
    """Ours and Python's own tree are the same, but for `is`, and for columns."""
    ours = ast.unparse(parsed(text).tree)
    theirs = ast.unparse(ast.parse(text, mode="eval").body)
    assert ours == theirs.replace(" is not ", " != ").replace(" is ", " == ")


@pytest.mark.parametrize(
    "text", ["(" * 10_000 + "1" + ")" * 10_000, "-" * 900 + "1", "1+" * 900 + "1", "x[" * 300, "9" * 1999]
)
def test_c47_a_monster_is_refused_before_it_is_read(text: str) -> None:
    result = parse(text)
    assert isinstance(result, tuple)
    assert result[0].code in ("E0302", "E0304")


def test_every_node_stands_where_its_text_is() -> None:
    text = "\u00c9nergie +\n  min(e\u0301l, 'd\u00e9') * t.\u00e9toile"
    tree = parsed(text).tree
    shown = {text[node.col_offset : node.end_col_offset] for node in ast.walk(tree) if isinstance(node, ast.expr)}
    assert {"\u00c9nergie", "e\u0301l", "'d\u00e9'", "t.\u00e9toile", "min(e\u0301l, 'd\u00e9')"} <= shown


def test_c45_names_are_compared_composed_and_look_alikes_stay_apart() -> None:
    assert names_used(parsed("E\u0301nergie + \ufb01n").tree) == ("\u00c9nergie", "\ufb01n")


def test_names_used_are_those_that_stand_free() -> None:
    tree = parsed("count(allies, item.level > key.level + x) + max(y, item.z) + first(item, item)").tree
    assert names_used(tree) == ("allies", "x", "y", "item")


def test_reserved_words_cannot_be_names() -> None:
    assert {"or", "true", "for", "None"} <= RESERVED
    assert {"class", "raise", "from", "self"}.isdisjoint(RESERVED)


@pytest.mark.parametrize("word", sorted(set(keyword.kwlist) - RESERVED))
def test_words_that_only_python_reserves_are_names(word: str) -> None:
    expression = parsed(f"2 * {word} - é.{word}[{word}] if {word} > 1 else '{word}'")
    assert names_used(expression.tree) == (word, "é")


# --------------------------------------------------------------------------------------------------- types


class Lazy(Mapping[str, Type]):
    """The parts of a sheet, worked out when asked for one by one, as sheets that refer to each other need."""

    def __init__(self, names: str) -> None:
        self.kinds = names.split()

    def __getitem__(self, name: str) -> Type:
        if name not in self.kinds:
            raise KeyError(name)
        return PARTS[name]() if name in PARTS else KINDS[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    def values(self) -> object:  # type: ignore[override]
        raise AssertionError("nobody walks all parts of a sheet")

    items = values  # type: ignore[assignment]


ATTRIBUTES = Key(("dominance", "corps", "esprit"), name="attributs")
STEPS = Key(
    ("endormi", "eveille", "attentif", "vigilant", "feroce", "revele"),
    {"concentration": Number(True, 0, 2)},
    ordered=True,
    name="crans",
)
FORM = Key(("humain", "loup"))
ISSUE = Key(("esquive", "touche", "blesse"))
NEURI = Thing(
    "neuri",
    Lazy("attributs alpha present forme aux_commandes objectif vecus relations pregnance main blessures talents"),
)
RELATION = Thing("relation", Lazy("nom avec cochee owner"), nature="record")
CREATURE = Thing("creature", Lazy("endurance habilete morte issue"))
KINDS: dict[str, Type] = {
    "attributs": Family(ATTRIBUTES, Number(True, 0, 6)),
    "alpha": Flag(),
    "present": Flag(),
    "cochee": Flag(),
    "morte": Flag(),
    "forme": FORM,
    "aux_commandes": Key(("homme", "loup")),
    "objectif": Text(),
    "nom": Text(),
    "main": Number(True, 0, 20),
    "habilete": Number(True, 0, 20),
    "endurance": Number(True, 0, 20),
    "blessures": Number(True, 0, 10, {"start": Number(True, 0, 10), "max": Number(True, 10, 10)}),
    "talents": Many(Key(("combattant", "desosse"), name="talents"), 4, 4),
    "issue": ISSUE,
}
PARTS = {
    "vecus": lambda: Many(VECU, 0, 5),
    "relations": lambda: Many(RELATION, 0, 8),
    "avec": lambda: Thing("neuri", NEURI.members, others=("pnj",)),
    "owner": lambda: NEURI,
    "pregnance": lambda: Key(STEPS.ids, {**STEPS.row, "start": STEPS}, ordered=True, name="crans"),
}
TRAIT = Key(
    ("force", "volonte", "empathie"),
    {"domaine": Key(("physique", "mental"), {"reserve": Key(("effort", "sang_froid"))}, name="domaines")},
    name="caracteristiques",
)
VECU = Thing("vecu", {"nom": Text(), "niveau": Number(True, 1, 5)}, nature="record")
ARMOUR = Key(("legere", "lourde"))
WEAPON = Key(
    ("dague", "hache"),
    {
        "label": Text(),
        "legere": Number(True, 1, 4),
        "lourde": Number(True, 0, 2),
        "aucune": Optional(Number(True, 5, 6)),
        "prise": FORM,
    },
    name="table.armes",
)
SCOPE = Names(
    {
        "self": NEURI,
        "target": NEURI,
        "a": NEURI,
        "meute": Thing("meute", {"membres": Many(NEURI, 0, 6), "lien": Number(True, 0, None)}),
        "attribut": ATTRIBUTES,
        "vecus": Many(VECU, 0, 2),
        "memoire": Optional(VECU),
        "piocheurs": Many(NEURI, 1, None),
        "voulu": Family(NEURI, Number(True, 0, 20)),
        "difficulte": Key(("facile", "moyen"), {"label": Text(), "succes": Number(True, 1, 5)}, name="difficultes"),
        "x": Number(True, 0, 10),
        "endless": Number(True, 0),
        "f": Flag(),
        "fi": Flag(),
        "nom": Text(),
    },
    Names(
        {
            "y": Number(True, -5, 5),
            "z": Number(True, 1, 6),
            "r": Number(False, 0, 10),
            "e": CREATURE,
            "cible": CREATURE,
            "ennemis": Many(CREATURE, 1, 4),
            "esquive": Flag(),
            "arme": WEAPON,
            "armes": Family(WEAPON, WEAPON),
            "armure": ARMOUR,
            "protection": Key((*ARMOUR.ids, "magique")),
            "abri": Optional(ARMOUR),
            "source": Key(("effort", "sang_froid", "combat")),
            "reserves": Family(Key(("effort", "sang_froid", "combat")), Number(True, 0, 30)),
            "caracteristique": TRAIT,
            "caracteristiques": Family(TRAIT, Number(True, 1, 5)),
            "during": Thing("during", {"combat": Flag()}, nature="namespace"),
            "jet": Thing("jet", {"succes": Number(True, 0), "dice": Number(True, 0)}, nature="roll"),
        }
    ),
)
WANTS: dict[str, Type] = {
    "number": Number(False),
    "whole": Number(),
    "0..6": Number(True, 0, 6),
    "flag": Flag(),
    "text": Text(),
    "crans": STEPS,
    "issue": ISSUE,
    "source": Key(("effort", "sang_froid", "combat")),
    "neuri": NEURI,
    "relation": RELATION,
    "maybe relation": Optional(RELATION),
    "members": Many(NEURI),
}


def shown(type_: Type | None) -> str:
    """A type as the data files write it; numbers by their bounds, as fractions where they need not be whole."""
    if not isinstance(type_, Number):
        return describe(type_) if type_ is not None else "none"
    if type_.low is type_.high is None:
        return "any"
    ends = ["" if end is None else str(end) if type_.whole else ratio(Fraction(end)) for end in (type_.low, type_.high)]
    return "..".join(ends)


def ratio(number: Fraction) -> str:
    return f"{number.numerator}/{number.denominator}"


@pytest.mark.parametrize(("text", "expected"), identified(lines("types.txt")))
def test_types(text: str, expected: str) -> None:
    match = re.fullmatch(r"(?:\[([^\]]*)\] )?(?:\[([^\]]*)\] )?(.*)", text)
    assert match
    want, assumed, code = match.groups()
    assuming = [parsed(assumed)] if assumed else []
    type_, faults = infer(parsed(code), SCOPE, WANTS[want] if want else None, assuming)
    if re.match(r"E\d{4} ", expected):
        agree(faults, expected)
    else:
        assert (faults, shown(type_)) == ((), expected)


def test_checking_gives_a_tree_where_ids_are_constants() -> None:
    text = "self.forme is loup and self.attributs[corps] > attribut_min"
    typed = analyse(parsed(text), Names({"attribut_min": Number()}, SCOPE))
    assert ast.unparse(typed.tree) == "self.forme == 'loup' and self.attributs['corps'] > attribut_min"
    assert typed.names == ("self", "attribut_min")
    assert typed.members == (("neuri", "forme"), ("neuri", "attributs"))
    assert typed.types[typed.tree] == Flag()
    assert {typed.types[node] for node in ast.walk(typed.tree) if isinstance(node, ast.Constant)} == {FORM, ATTRIBUTES}


def test_a_tree_can_be_checked_in_two_scopes() -> None:
    """The same words can be a name in one place and an id in another."""
    expression = parsed("self.forme is loup")
    wolf = Names({"loup": FORM}, SCOPE)
    assert analyse(expression, SCOPE).names == ("self",)
    assert [fault.code for fault in analyse(expression, wolf).faults] == ["E0313"]
    assert analyse(expression, SCOPE).faults == ()


def test_what_does_not_hold_can_be_assumed() -> None:
    contrary = negation(parsed("x == 0 or not given(memoire)"))
    assert infer(parsed("memoire.niveau / x > 1"), SCOPE, Flag(), [contrary]) == (Flag(), ())


def test_members_of_every_kind_of_a_reference_are_read() -> None:
    typed = analyse(parsed("first(self.relations, item.avec.alpha)"), SCOPE)
    assert ("pnj", "alpha") in typed.members
    assert ("relation", "avec") in typed.members


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Number(True, 0, 3), Number(False, 1, 9), Number(False, 0, 9)),
        (Flag(), Flag(), Flag()),
        (Flag(), Text(), None),
        (Key(("a", "b"), name="k"), Key(("a",), name="k"), Key(("a", "b"), name="k")),
        (Key(("a", "b")), Key(("b", "c")), None),
        (Optional(Flag()), Flag(), Optional(Flag())),
        (Many(Flag(), 1, 2), Many(Flag(), 0, 1), Many(Flag(), 0, 2)),
        (NEURI, CREATURE, None),
        (NEURI, Thing("neuri", others=("pnj",)), Thing("neuri", others=("pnj",))),
    ],
)
def test_join(one: Type, other: Type, both: Type | None) -> None:
    assert join(one, other) == both
    assert join(other, one) == both


# ------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize(("text", "expected"), identified(lines("values.txt")))
def test_values(text: str, expected: str) -> None:
    typed = analyse(parsed(text), Names({}))
    if expected.startswith("E"):
        codes = [fault.code for fault in typed.faults]
        if not codes:
            with pytest.raises(EvaluationError) as caught:
                evaluate(typed.tree, ())
            codes = [caught.value.code]
        assert codes == [expected]
        return
    assert typed.faults == ()
    value = evaluate(typed.tree, ())
    wanted = {"true": True, "false": False}.get(expected) if expected[0] in "tf" else Fraction(expected)
    assert value == wanted
    assert type(value) is (bool if expected[0] in "tf" else Fraction if "/" in expected else int)


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_the_manual_of_functions_is_true(function: object) -> None:
    assert function is FUNCTIONS[function.name]  # type: ignore[attr-defined]
    signature, about, example, value = function.signature, function.about, function.example, function.value  # type: ignore[attr-defined]
    assert signature.startswith(f"{function.name}(")  # type: ignore[attr-defined]
    assert about.endswith(".")
    tree = parsed(example).tree
    if not names_used(tree):
        assert str(evaluate(tree, ())) == value


def test_c48_conditions_stop_as_soon_as_they_can() -> None:
    x = register(0)
    guarded = ast.BoolOp(ast.And(), [compare(x, ast.NotEq(), 0), compare(divide(10, x), ast.Gt(), 2)])
    assert evaluate(guarded, [0]) is False
    assert evaluate(guarded, [4]) is True
    with pytest.raises(EvaluationError) as caught:
        evaluate(divide(10, x), [0])
    assert caught.value.code == "E0340"


def compare(left: ast.expr, op: ast.cmpop, value: object) -> ast.expr:
    return ast.Compare(left, [op], [constant(value)])


def divide(value: object, divisor: ast.expr) -> ast.expr:
    return ast.BinOp(constant(value), ast.Div(), divisor)


def test_a_refusal_says_which_characters_asked_for_it() -> None:
    tree = parsed("1 + 10 / (2 - 2)").tree
    with pytest.raises(EvaluationError) as caught:
        evaluate(tree, ())
    assert caught.value.position == (10, 15)


def test_select_computes_only_its_case() -> None:
    tree = select(register(0), {"a": register(1), "b": divide(1, constant(0))})
    assert evaluate(tree, ["a", 7]) == 7
    with pytest.raises(EvaluationError) as caught:
        evaluate(tree, ["c", 7])
    assert caught.value.code == "E0343"
    assert reads(tree) == (0, 1)


def test_ordered_ids_are_compared_by_rank() -> None:
    ids = ("endormi", "eveille", "feroce")
    tree = ast.Compare(rank(register(0), ids), [ast.GtE()], [rank(constant("eveille"), ids)])
    assert [evaluate(tree, [id_]) for id_ in ids] == [False, True, True]


LISTS = [
    (call("sum", [register(0), register(1), constant(4)]), [1, Fraction(1, 2)], Fraction(11, 2)),
    (call("sum", []), [], 0),
    (call("count", [register(0), register(1)]), [True, False], 1),
    (call("any", [register(0), register(1)]), [False, True], True),
    (call("any", []), [], False),
    (call("all", [register(0), register(1)]), [False, True], False),
    (call("all", []), [], True),
    (call("first", [register(0), constant("a"), register(1), constant("b")]), [False, True], "b"),
    (call("first", [register(0), constant("a")]), [False], None),
    (call("highest", [register(0), constant(3), register(1), constant(5), constant(9)]), [True, False], 3),
    (call("highest", [register(0), constant(3), constant(9)]), [False], 9),
    (call("lowest", [register(0), constant(3), register(1), constant(5)]), [True, True], 3),
    (call("given", [register(0)]), [None], False),
    (call("given", [register(0)]), [0], True),
    (ast.Compare(register(0), [ast.In()], [constant((1, 2))]), [2], True),
    (ast.Compare(register(0), [ast.NotIn()], [ast.List([register(1)], ast.Load())]), [2, 2], False),
    (ast.Compare(register(0), [ast.Is()], [register(1)]), [Fraction(1, 2), Fraction(1, 2)], True),
]


@pytest.mark.parametrize(("tree", "registers", "expected"), LISTS)
def test_lists_written_out(tree: ast.expr, registers: list[object], expected: object) -> None:
    assert evaluate(tree, registers) == expected
    known = substitute(tree, dict(enumerate(registers)))
    assert isinstance(known, ast.Constant)
    assert known.value == expected


MISFITS = [
    ast.BinOp(constant("a"), ast.Mult(), constant(10**9)),
    ast.BinOp(constant(True), ast.Add(), constant(1)),
    ast.BinOp(constant(2), ast.Pow(), constant(9)),
    ast.BinOp(constant(1), ast.LShift(), constant(9)),
    ast.UnaryOp(ast.USub(), constant("a")),
    ast.UnaryOp(ast.Not(), constant(1)),
    ast.BoolOp(ast.And(), [constant(1), constant(True)]),
    ast.IfExp(constant(1), constant(1), constant(1)),
    ast.Compare(constant("a"), [ast.Lt()], [constant("b")]),
    ast.Compare(constant(1), [ast.Lt()], [constant("b")]),
    ast.Compare(constant("a"), [ast.In()], [constant("abc")]),
    ast.Name("x", ast.Load()),
    ast.Attribute(constant("a"), "upper", ast.Load()),
    ast.Call(ast.Attribute(constant("a"), "upper", ast.Load()), [], []),
    ast.Subscript(constant("abc"), constant(0), ast.Load()),
    ast.JoinedStr([constant("a")]),
    ast.Lambda(ast.arguments([], [], None, [], [], None, []), constant(1)),
    call("open", [constant("x")]),
    call("rand", []),
    call("sum", [constant("a")]),
    call("highest", []),
    call("min", [constant(1), constant("a")]),
    call("abs", [constant(1), constant(2)]),
]


@pytest.mark.parametrize("tree", MISFITS, ids=ast.dump)
def test_nothing_of_simpleeval_or_python_leaks(tree: ast.expr) -> None:
    """Trees that the checker never lets through are still refused, by our own error, at once."""
    with pytest.raises(EvaluationError) as caught:
        evaluate(tree, ())
    assert caught.value.code == "E0342"


def test_values_stay_within_bounds() -> None:
    product = ast.BinOp(register(0), ast.Mult(), register(1))
    assert evaluate(product, [10**6, 10**6]) == LARGEST
    for registers in ([10**6, 10**6 + 1], [-(10**7), 10**6], [Fraction(1, 10**7), Fraction(1, 10**7)]):
        with pytest.raises(EvaluationError) as caught:
            evaluate(product, registers)
        assert caught.value.code == "E0341"


@pytest.mark.parametrize("reading", range(6))
def test_what_is_remembered_keeps_equal_values_of_different_sorts_apart(reading: int) -> None:
    tree = call("first", [part for slot in range(reading) for part in (constant(True), register(slot))])
    compiled = prepare(tree)
    for _ in range(2):
        for value in (1, True, Fraction(1), 0, False):
            found = compiled([value] * 6)
            plain = int(value) if isinstance(value, Fraction) else value
            assert found is None if reading == 0 else (found == value and type(found) is type(plain))


def test_what_fails_is_not_remembered() -> None:
    compiled = prepare(divide(10, register(0)))
    for _ in range(2):
        with pytest.raises(EvaluationError):
            compiled([0])
        assert compiled([5]) == 2


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("interpreter.expressions.evaluate"), "MOST_REMEMBERED", 3)
    compiled = prepare(ast.BinOp(register(0), ast.Add(), constant(1)))
    assert [compiled([value]) for value in range(10)] == list(range(1, 11))


# ------------------------------------------------------------------------------------------------- folding

FOLDS = [
    ("r0 + 0", {}, "R0"),
    ("r0 - 0 + 0 * 1", {}, "R0"),
    ("r0 * r1", {1: 1}, "R0"),
    ("r0 + r1 + r2", {1: 2, 2: 3}, "R0 + 2 + 3"),
    ("(r0 if r1 > 3 else r2)", {1: 5}, "R0"),
    ("r0 > 1 and r1 > 1", {1: 2}, "R0 > 1"),
    ("r0 > 1 and r1 > 1", {1: 0}, "False"),
    ("r0 > 1 or r1 > 1", {1: 2}, "True"),
    ("10 / r0 > 1 and r1 > 1", {1: 0}, "10 / R0 > 1 and False"),
    ("r1 > 1 and 10 / r0 > 1", {1: 0}, "False"),
    ("10 / r1 > 1 and r0 > 1", {1: 0}, "10 / 0 > 1 and R0 > 1"),
    ("1 < r1 < r0", {1: 0}, "False"),
    ("r0 < r1 < 1", {1: 5}, "False"),
    ("10 / r0 < r1 < 1", {1: 5}, "10 / R0 < 5 < 1"),
    ("sum(r0, r1, r2)", {1: 2, 2: 3}, "sum(R0, 5)"),
    ("any(r0, r1)", {1: False}, "any(R0)"),
    ("any(r0, r1)", {1: True}, "True"),
    ("all(r0, r1)", {1: True}, "all(R0)"),
    ("all(10 / r0 > 1, r1)", {1: False}, "all(10 / R0 > 1, False)"),
    ("count(r0, r1, r2)", {1: False, 2: True}, "count(R0, True)"),
    ("first(r0, 1, r1, 2)", {0: False}, "first(R1, 2)"),
    ("first(r0, 1, r1, 2)", {0: True}, "1"),
    ("min(r0, r1)", {0: 4, 1: 3}, "3"),
    ("r0 in [r1, 2]", {1: 1}, "R0 in (1, 2)"),
]


class Resolver(ast.NodeTransformer):
    """Names r0, r1 … to registers."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return register(int(node.id[1:]), node) if re.fullmatch(r"r\d", node.id) else node


class Shown(ast.NodeTransformer):
    """Registers to names, so that a tree can be shown."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return ast.Name(f"R{node.slot}", ast.Load()) if isinstance(node, Register) else super().generic_visit(node)


@pytest.mark.parametrize(("text", "values", "expected"), FOLDS)
def test_folding(text: str, values: dict[int, object], expected: str) -> None:
    tree = Resolver().visit(parsed(text).tree)
    folded = substitute(tree, values)
    assert ast.unparse(Shown().visit(folded)) == expected


def test_folding_a_select() -> None:
    tree = select(register(0), {"a": register(1), "b": constant(2)})
    assert substitute(tree, {0: "b"}).value == 2  # type: ignore[attr-defined]
    assert reads(substitute(tree, {0: "a"})) == (1,)
    assert reads(substitute(tree, {1: 5})) == (0,)
    missing = substitute(tree, {0: "c"})
    assert isinstance(missing, Select)
    with pytest.raises(EvaluationError):
        evaluate(missing, ())
    assert may_fail(tree)
    assert len(list(children(tree))) == 3


# -------------------------------------------------------------------------------------------------- faults


def test_every_code_of_the_table_is_met_in_these_tests() -> None:
    met = set(re.findall(r"E0\d{3}", "".join(path.read_text(encoding="utf-8") for path in DATA.glob("*.txt"))))
    met |= set(re.findall(r"E0\d{3}", Path(__file__).read_text(encoding="utf-8")))
    assert met >= set(CODES) - {"E0301"}
    assert isinstance(parse(" \n "), tuple)
    assert parse("")[0].code == "E0301"  # type: ignore[index]


def test_faults_come_in_order_joined_and_never_too_many() -> None:
    faults = parse("\u00a0\u00a0a \u2265 b " + "? " * 50)
    assert isinstance(faults, tuple)
    assert [(fault.start, fault.end) for fault in faults[:2]] == [(0, 2), (4, 5)]
    assert len(faults) == 10


def test_messages_can_be_printed_anywhere() -> None:
    for text in ("\ud800 \x00 \x1b[0m", "a\u202eb", "'\x07'"):
        for fault in parse(text):  # type: ignore[union-attr]
            assert f"{fault.message}{fault.hint}".isprintable()
