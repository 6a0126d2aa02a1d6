"""Expressions as written to trees over registers, for one run: every name becomes a register, a constant or a choice
of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from interpreter.bound import (
    Bound,
    Family,
    Literal,
    Many,
    Missing,
    Reference,
    ResolutionError,
    Scalar,
    Scope,
    Space,
    constant,
    rank_of,
    select,
    space,
    tree_of,
)
from interpreter.chains import in_order, linked
from interpreter.expressions import Register, Select, parse, substitute
from interpreter.fields import FieldInfo, whole
from interpreter.layout import Entity, Layout
from interpreter.lists import EXTREMES, LIST_FUNCTIONS, Judged, extreme, things_of
from interpreter.model import Code, Keys, Label, System, Table, Value
from interpreter.modified import Part, compose
from interpreter.table_rows import table_range
from interpreter.trees import FALSE, TRUE, any_of, both, call, compare, fold


@lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr:
    """The syntax tree of an expression that passed `check`."""
    expression = parse(text)
    if isinstance(expression, tuple):
        raise ResolutionError(expression[0].message)
    return expression.tree


class Resolver:
    """Resolves names against a layout. Derived values are computed where they are read, so they are always current."""

    def __init__(self, system: System, layout: Layout) -> None:
        self.system = system
        self.layout = layout
        self.language = ""
        self._derived: dict[tuple[str, str], Bound] = {}
        self._open: list[tuple[str, str]] = []

    # ------------------------------------------------------------------ entry points

    def syntax(self, code: Code) -> ast.expr:
        return parsed(code.text)

    def bound(self, code: Code, scope: Scope) -> Bound:
        return self.visit(parsed(code.text), scope)

    def tree(self, code: Code | None, scope: Scope, want: Keys | None = None) -> ast.expr:
        """The tree of a single value; a bare id is an id of `want`."""
        if code is None:
            return TRUE
        return tree_of(self.visit(parsed(code.text), scope))

    def rank(self, code: Code, scope: Scope, keys: Keys) -> ast.expr:
        """The tree of a named step's rank."""
        return self.rank_tree(self.visit(parsed(code.text), scope), keys)

    def rank_tree(self, bound: Bound, keys: Keys) -> ast.expr:
        if isinstance(bound, Scalar) and isinstance(bound.tree, ast.Constant) and isinstance(bound.tree.value, int):
            return bound.tree
        return rank_of(bound, keys)

    def condition(self, code: Code | None, scope: Scope) -> ast.expr | None:
        """A guard, or None when there is none or it always holds."""
        if code is None:
            return None
        tree = substitute(self.tree(code, scope), {})
        return None if isinstance(tree, ast.Constant) and tree.value is True else tree

    def value(
        self, spec: Value, scope: Scope, owner: Entity | None, targets: Iterable[str]
    ) -> tuple[ast.expr, tuple[Part, ...]]:
        """A number with its modifiers, its own and those that things and effects of its owner bring."""
        return compose(self, spec, scope, owner, frozenset(targets))

    # ------------------------------------------------------------------ the walk

    def visit(self, node: ast.expr, scope: Scope) -> Bound:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise ResolutionError(f"{type(node).__name__} has no meaning here")
        return handler(self, node, scope)

    def _constant(self, node: ast.Constant, scope: Scope) -> Bound:
        return Literal(node.value) if isinstance(node.value, str) else Scalar(node)

    def _name(self, node: ast.Name, scope: Scope) -> Bound:
        found = scope.get(node.id)
        return found if found is not None else self._world(node.id) or Literal(node.id)

    def _world(self, name: str) -> Bound | None:
        """Names that every expression may use: shared sheets, periods, assumptions, tables."""
        sheet = self.system.sheets.get(name)
        if sheet is not None and sheet.only_one:
            shared = self.layout.of_kind(name)
            return shared[0] if shared else None
        if name in self.system.periods:
            return space(name, {"members": self.members(name)})
        return _WORLD[name](self) if name in _WORLD else None

    def members(self, period: str) -> Many:
        kind = self.system.periods[period].members
        things = self.layout.of_kind(kind) if kind else ()
        return Many(tuple((self.flag(f"{period}.member.{thing.id}"), thing) for thing in things))

    def flag(self, name: str) -> ast.expr:
        return Register(self.layout.world(name))

    def _during(self) -> Space:
        return Space("during", lambda name: Scalar(self.flag(f"{name}.open")) if name in self.system.periods else None)

    def _assume(self) -> Space:
        def find(name: str) -> Bound | None:
            assumption = self.system.assumptions.get(name)
            return self.bound(assumption.value, {}) if assumption and assumption.value else None

        return Space("assume", find)

    def _tables(self) -> Space:
        return Space("table", lambda name: self.rows(name) if name in self.system.tables else None)

    def rows(self, name: str) -> Family:
        table = self.system.tables[name]
        keys = Keys(tuple(table.rows), name, table.ordered)
        return Family({key: constant(key, keys) for key in table.rows}, keys)

    # ------------------------------------------------------------------ members

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Bound:
        return self.member(self.visit(node.value, scope), node.attr)

    def member(self, base: Bound, name: str) -> Bound:
        """`base.name`."""
        match base:
            case Entity():
                return self._entity_member(base, name)
            case Reference(tree=tree, candidates=candidates):
                return select(tree, {thing.id: self._entity_member(thing, name) for thing in candidates})
            case Many(items=items):
                return Many(tuple(_flatten((guard, self.member(item, name)) for guard, item in items)))
            case Family(items=members):
                found = members.get(name)
            case Space(find=find):
                found = find(name)
            case Scalar():
                found = self._scalar_member(base, name)
            case _:
                found = Missing()
        if found is None:
            raise ResolutionError(f"there is no `{name}` here")
        return found

    def _entity_member(self, entity: Entity, name: str) -> Bound:
        if name == "owner" and entity.owner is not None:
            return entity.owner
        infos = entity.kind.find(name)
        if infos:
            if infos[0].key is None:
                return self.field(entity, infos[0])
            keys = getattr(infos[0].spec, "keys", None)
            return Family({str(info.key): self.field(entity, info) for info in infos}, keys)
        if (entity.id, name) in self.layout.items:
            ids = self.layout.items[entity.id, name]
            return Many(tuple((None, self.layout.entities[i]) for i in ids if i in self.layout.entities))
        if name in entity.kind.sheet.derived:
            return self._derive(entity, name)
        if name in self.system.effects:
            return Scalar(self.flag(f"effect.{name}.{entity.id}"))
        if name in ("name", "nom") and entity.owner is None:
            return Scalar(Register(self.layout.name_slot(entity)))
        raise ResolutionError(f"`{entity.kind.name}` has no `{name}`")

    def field(self, entity: Entity, info: FieldInfo) -> Bound:
        """The value of a field as expressions read it."""
        tree: ast.expr = Register(self.layout.value_slot(entity, info))
        gauge = (entity, info) if info.section == "gauges" else None
        if gauge and getattr(info.spec, "keeps", False):
            _, high = self.bounds(entity, info)
            tree = tree if high is None else call("min", tree, high)
        if info.sort == "one":
            kinds = getattr(info.spec, "one", ())
            return Reference(tree, tuple(thing for kind in kinds for thing in self.layout.of_kind(kind)))
        if gauge and info.ids:
            return Scalar(
                Select(tree, {i: ast.Constant(key) for i, key in enumerate(info.ids.ids)}), info.ids, tree, gauge
            )
        rank = None
        if info.ids and info.ids.ordered and info.sort != "set":
            rank = Select(tree, {key: ast.Constant(i) for i, key in enumerate(info.ids.ids)})
        return Scalar(tree, info.ids, rank, gauge, info.sort == "set", info.sort == "flag")

    def _derive(self, entity: Entity, name: str) -> Bound:
        """A derived value; those of its sheet that it reads come first, so that a long chain needs no deep call."""
        if (entity.id, name) not in self._derived:
            derived = entity.kind.sheet.derived
            for other in in_order(derived, name, self._formula):
                if (entity.id, other) not in self._derived and (entity.id, other) not in self._open:
                    self._derive_now(entity, other)
        return self._derived.get((entity.id, name)) or self._derive_now(entity, name)

    def _formula(self, spec: Value) -> ast.expr | None:
        code = spec.base or spec.each
        return None if code is None else self.syntax(code)

    def _derive_now(self, entity: Entity, name: str) -> Bound:
        place = (entity.id, name)
        if place in self._open:
            chain = " → ".join(part for _, part in [*self._open, place])
            raise ResolutionError(f"a derived value depends on itself: {chain}")
        self._open.append(place)
        try:
            found = self._compute(entity, name, entity.kind.sheet.derived[name])
        finally:
            self._open.pop()
        self._derived[place] = found
        return found

    def _compute(self, entity: Entity, name: str, spec: Value) -> Bound:
        scope: dict[str, Bound] = {"self": entity}
        if spec.keys is not None and spec.each is not None:
            each = {key: self.bound(spec.each, {**scope, "each": constant(key, spec.keys)}) for key in spec.keys.ids}
            return Family(each, spec.keys)
        if not spec.modifiers and spec.min is None and spec.max is None and spec.base is not None:
            plain = self.bound(spec.base, scope)
            if not isinstance(plain, Scalar) or plain.keys:
                return plain
        tree, _ = self.value(spec, scope, entity, (name, f"self.{name}", f"owner.{name}"))
        return Scalar(linked(tree, self.layout, f"{entity.id}.{name}"))

    def _scalar_member(self, base: Scalar, name: str) -> Bound | None:
        if base.gauge is not None:
            entity, info = base.gauge
            if name == "start":
                return Scalar(Register(self.layout.start_slot(entity, info)), base.keys)
            if name in ("min", "max"):
                bound = self.bounds(entity, info)[0 if name == "min" else 1]
                return Missing() if bound is None else Scalar(bound, base.keys)
        return self.column(base, name)

    def column(self, base: Scalar, name: str) -> Bound | None:
        """`key.column`: the cell of the key's row."""
        table = self.system.tables.get(base.keys.table or "") if base.keys else None
        if name == "sides" and base.keys is not None and table is None:
            return select(base.tree, {die: constant(self.sides(die)) for die in base.keys.ids})
        if table is None or name not in table.columns:
            return None
        if base.rank is not None and not isinstance(base.rank, Select):
            return select(base.rank, {i: self.cell(table, key, name) for i, key in enumerate(table.rows)})
        return select(base.tree, {key: self.cell(table, key, name) for key in table.rows})

    def sides(self, die: str) -> int:
        spec = self.system.dice.get(die)
        faces = [face for face in spec.faces if isinstance(face, int)] if spec else [whole(die[1:]) or 0]
        return max(faces, default=0)

    def cell(self, table: Table, key: str, column: str) -> Bound:
        value, kind = table.rows[key].get(column), table.columns[column]
        if isinstance(value, Label):
            return constant(value.texts.get(self.language) or next(iter(value.texts.values()), ""))
        return constant(value, kind if isinstance(kind, Keys) else None)

    # ------------------------------------------------------------------ bounds of gauges

    def bounds(self, entity: Entity, info: FieldInfo) -> tuple[ast.expr | None, ast.expr | None]:
        """The lowest and highest value that a number may have now, as trees; ranks for named steps."""
        if info.section == "gauges" and info.ids is not None:
            return ast.Constant(0), ast.Constant(len(info.ids.ids) - 1)
        spec, scope = info.spec, {"self": entity}
        declared = getattr(spec, "range", None) or getattr(spec, "int", None)
        low = self._bound(getattr(spec, "min", None) or (declared.low if declared else None), entity, info, scope)
        high_code = getattr(spec, "max", None)
        if isinstance(high_code, Mapping):
            high_code = high_code.get(info.key)
        high = self._bound(high_code or (declared.high if declared else None), entity, info, scope)
        return low, high

    def _bound(self, code: Code | None, entity: Entity, info: FieldInfo, scope: Scope) -> ast.expr | None:
        if code is None:
            return None
        if code.text == "start":
            return Register(self.layout.start_slot(entity, info))
        return substitute(self.tree(code, self.keyed(scope, info)), {})

    def keyed(self, scope: Scope, info: FieldInfo) -> Scope:
        keys = getattr(info.spec, "keys", None)
        return scope if info.key is None else {**scope, "each": constant(info.key, keys)}

    # ------------------------------------------------------------------ operators

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Bound:
        base = self.visit(node.value, scope)
        if isinstance(base, Scalar) and isinstance(node.slice, ast.IfExp):
            test, *ids = node.slice.test, node.slice.body, node.slice.orelse
            return self._conditional(ast.IfExp(test, *(ast.Subscript(node.value, one) for one in ids)), scope)
        return self._at(base, self.visit(node.slice, scope))

    def _at(self, base: Bound, index: Bound) -> Bound:
        """`base[index]`; of a list of families, what each gives."""
        if isinstance(base, Many):
            return Many(tuple((guard, self._at(item, index)) for guard, item in base.items))
        if isinstance(base, Missing):
            return base
        if isinstance(base, Scalar):
            return self._cell_at(base, index)
        if not isinstance(base, Family):
            raise ResolutionError("only a family of values can be looked up by a key")
        if base.keys is not None and base.keys.table and isinstance(index, Scalar) and index.keys is None:
            return self._look_up(self.system.tables[base.keys.table], base.keys, index.tree)
        subject = tree_of(index)
        if isinstance(subject, ast.Constant):
            return base.items.get(str(subject.value), Missing())
        return select(subject, {key: item for key, item in base.items.items()})  # noqa: C416 (keys of a wider type)

    def _cell_at(self, row: Scalar, column: Bound) -> Bound:
        """The cell of a key's row in a column that is a key too."""
        subject = tree_of(column)
        ids = [str(subject.value)] if isinstance(subject, ast.Constant) else getattr(column, "keys", Keys()).ids
        return select(subject, {name: self.column(row, name) or Missing() for name in ids})

    def _look_up(self, table: Table, keys: Keys, number: ast.expr) -> Scalar:
        """The row of a table whose rows are numbers or ranges."""
        rows = [(key, *table_range(key, table)) for key in table.rows]
        tree: ast.expr = ast.Constant(rows[-1][0])
        for key, low, high in reversed(rows[:-1]):
            ends = ([] if low is None else [compare(number, ast.GtE(), ast.Constant(low))]) + (
                [] if high is None else [compare(number, ast.LtE(), ast.Constant(high))]
            )
            tree = ast.IfExp(ast.BoolOp(ast.And(), ends) if len(ends) > 1 else ends[0], ast.Constant(key), tree)
        return Scalar(tree, keys)

    def _compare(self, node: ast.Compare, scope: Scope) -> Bound:
        operands = [self.visit(operand, scope) for operand in (node.left, *node.comparators)]
        parts = [
            self.pair(left, operator, right)
            for left, operator, right in zip(operands, node.ops, operands[1:], strict=False)
        ]
        tree = parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)
        return Scalar(fold(tree))

    def pair(self, left: Bound, operator: ast.cmpop, right: Bound) -> ast.expr:
        if isinstance(operator, ast.In | ast.NotIn):
            inside = self._inside(left, right)
            return inside if isinstance(operator, ast.In) else ast.UnaryOp(ast.Not(), inside)
        operator = {ast.Is: ast.Eq(), ast.IsNot: ast.NotEq()}.get(type(operator), operator)
        keys = _keys(left) or _keys(right)
        if (
            keys is not None
            and keys.ordered
            and (_ranked(left) or _ranked(right) or not isinstance(operator, ast.Eq | ast.NotEq))
        ):
            return compare(rank_of(left, keys), operator, rank_of(right, keys))
        return compare(tree_of(left), operator, tree_of(right))

    def _inside(self, left: Bound, right: Bound) -> ast.expr:
        if isinstance(right, Scalar):
            return compare(tree_of(left), ast.In(), right.tree)
        items = right.items if isinstance(right, Many) else ()
        return any_of([both(guard, self.pair(left, ast.Eq(), item)) for guard, item in items])

    def _list(self, node: ast.List | ast.Tuple, scope: Scope) -> Bound:
        return Many(tuple((None, self.visit(item, scope)) for item in node.elts))

    def _boolean(self, node: ast.BoolOp, scope: Scope) -> Bound:
        """Stops at the first part that settles it, so that what it guards is not looked at."""
        settled = isinstance(node.op, ast.Or)
        trees: list[ast.expr] = []
        for value in node.values:
            tree = fold(tree_of(self.visit(value, scope)))
            if isinstance(tree, ast.Constant):
                if tree.value is settled:
                    trees.append(tree)
                    break
                continue
            trees.append(tree)
        if not trees:
            return Scalar(ast.Constant(not settled))
        return Scalar(fold(ast.BoolOp(node.op, trees)) if len(trees) > 1 else trees[0])

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Bound:
        return Scalar(fold(ast.UnaryOp(node.op, tree_of(self.visit(node.operand, scope)))))

    def _binary(self, node: ast.BinOp, scope: Scope) -> Bound:
        left, right = tree_of(self.visit(node.left, scope)), tree_of(self.visit(node.right, scope))
        return Scalar(fold(ast.BinOp(left, node.op, right)))

    def _conditional(self, node: ast.IfExp, scope: Scope) -> Bound:
        test = fold(tree_of(self.visit(node.test, scope)))
        if isinstance(test, ast.Constant):
            return self.visit(node.body if test.value else node.orelse, scope)
        yes, no = self.visit(node.body, scope), self.visit(node.orelse, scope)
        keys = _keys(yes) or _keys(no)
        things = [*things_of(yes), *things_of(no)]
        tree = ast.IfExp(test, tree_of(yes), tree_of(no))
        if things:
            return Reference(tree, tuple(dict.fromkeys(things)))
        rank = ast.IfExp(test, rank_of(yes, keys), rank_of(no, keys)) if keys and keys.ordered else None
        if keys is None and isinstance(yes, Literal) and isinstance(no, Literal):
            return Scalar(Select(test, {True: tree_of(yes), False: tree_of(no)}))
        return Scalar(tree, keys, rank)

    # ------------------------------------------------------------------ functions

    def _call(self, node: ast.Call, scope: Scope) -> Bound:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name == "given":
            return Scalar(self._given(self.visit(node.args[0], scope)))
        if name in ("sum", "count", "any", "all", "first", "highest", "lowest"):
            return self._over_list(name, node.args, scope)
        return Scalar(fold(call(name, *(tree_of(self.visit(argument, scope)) for argument in node.args))))

    def _given(self, bound: Bound) -> ast.expr:
        if isinstance(bound, Missing):
            return FALSE
        if isinstance(bound, Many):
            return any_of([TRUE if guard is None else guard for guard, _ in bound.items])
        if isinstance(bound, Entity):
            return TRUE
        if isinstance(bound, Scalar) and bound.many:
            return fold(compare(bound.tree, ast.NotEq(), ast.Constant(())))  # type: ignore[arg-type]
        return fold(compare(tree_of(bound), ast.NotEq(), ast.Constant(None)))

    def _over_list(self, name: str, arguments: list[ast.expr], scope: Scope) -> Bound:
        subject = self.visit(arguments[0], scope)
        if name in EXTREMES:
            otherwise = tree_of(self.visit(arguments[1], scope)) if len(arguments) > 1 else ast.Constant(0)
            return extreme(EXTREMES[name], [(guard, item) for guard, _, item in self.items(subject)], otherwise)
        if isinstance(subject, Scalar) and subject.many:
            return self._over_set(subject, arguments[1:], name, scope)
        items = list(self.items(subject))
        judged = [
            (guard, item, self._judge(arguments[1], scope, key, item) if len(arguments) > 1 else None)
            for guard, key, item in items
        ]
        return LIST_FUNCTIONS[name](judged)

    def _over_set(self, subject: Scalar, predicates: list[ast.expr], name: str, scope: Scope) -> Bound:
        """A set of ids: each possible id, if it is in."""
        judged: list[Judged] = [
            (guard, item, self._judge(predicates[0], scope, None, item) if predicates else None)
            for guard, item in self.chosen(subject)
        ]
        return LIST_FUNCTIONS[name](judged)

    def chosen(self, subject: Scalar) -> Iterable[tuple[ast.expr, Scalar]]:
        """Every id that a set can hold, each with the condition that it does."""
        for key in subject.keys.ids if subject.keys else ():
            yield compare(ast.Constant(key), ast.In(), subject.tree), constant(key, subject.keys)

    def _judge(self, predicate: ast.expr, scope: Scope, key: Bound | None, item: Bound) -> ast.expr:
        inner = {**scope, "item": item, **({} if key is None else {"key": key})}
        return fold(tree_of(self.visit(predicate, inner)))

    def items(self, subject: Bound) -> Iterable[tuple[ast.expr | None, Bound | None, Bound]]:
        """(condition, key, item) for each item of a list or family."""
        if isinstance(subject, Many):
            return [(guard, None, item) for guard, item in subject.items]
        if isinstance(subject, Family):
            return [(None, constant(key, subject.keys), item) for key, item in subject.items.items()]
        if isinstance(subject, Entity):
            return [(None, None, subject)]
        if isinstance(subject, Reference):
            return [(compare(subject.tree, ast.Eq(), ast.Constant(t.id)), None, t) for t in subject.candidates]
        if isinstance(subject, Missing):
            return []
        if isinstance(subject, Scalar) and subject.many:
            return [(guard, None, item) for guard, item in self.chosen(subject)]
        raise ResolutionError("a list is wanted")


def _keys(bound: Bound) -> Keys | None:
    return bound.keys if isinstance(bound, Scalar) else None


def _ranked(bound: Bound) -> bool:
    """Whether the rank is at hand without looking it up."""
    return isinstance(bound, Scalar) and bound.rank is not None and isinstance(bound.tree, Select)


def _flatten(items: Iterable[tuple[ast.expr | None, Bound]]) -> Iterable[tuple[ast.expr | None, Bound]]:
    for guard, item in items:
        if isinstance(item, Many):
            for inner, thing in item.items:
                yield (inner if guard is None else both(guard, inner)), thing
        else:
            yield guard, item


_WORLD: Mapping[str, Callable[[Resolver], Bound]] = {
    "during": Resolver._during,
    "assume": Resolver._assume,
    "table": Resolver._tables,
}
_HANDLERS: Mapping[type[ast.expr], Callable[[Resolver, object, Scope], Bound]] = {
    ast.Constant: Resolver._constant,  # type: ignore[dict-item]
    ast.Name: Resolver._name,  # type: ignore[dict-item]
    ast.Attribute: Resolver._attribute,  # type: ignore[dict-item]
    ast.Subscript: Resolver._subscript,  # type: ignore[dict-item]
    ast.Compare: Resolver._compare,  # type: ignore[dict-item]
    ast.List: Resolver._list,  # type: ignore[dict-item]
    ast.Tuple: Resolver._list,  # type: ignore[dict-item]
    ast.BoolOp: Resolver._boolean,  # type: ignore[dict-item]
    ast.UnaryOp: Resolver._unary,  # type: ignore[dict-item]
    ast.BinOp: Resolver._binary,  # type: ignore[dict-item]
    ast.IfExp: Resolver._conditional,  # type: ignore[dict-item]
    ast.Call: Resolver._call,  # type: ignore[dict-item]
}
