"""Which small faults can be put into a source file, and the file with one of them.

Left out, because no test should notice them: docstrings, annotations and type aliases, decorators, what an error or
a warning says, ``__repr__`` and ``_repr_html_``, abstract methods, ``strict=`` of ``zip``, and text that is more than
one word.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Put = Callable[[ast.AST], None]

OTHER: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
WORD = re.compile(r"[\w.:/-]+")
SHOWN_ONLY = ("__repr__", "_repr_html_")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Attributes
    ----------
    path : str
        The file, relative to the root of the repository.
    index : int
        Its place among the mutants of the file.
    line, column : int
        Where it is.
    statement : int
        Line of the statement around it: tests that reach this line may notice it.
    deferred : bool
        Whether it is inside a function, and not run when the module is imported.
    what : str
        The change, in one line.
    """

    path: str
    index: int
    line: int
    column: int
    statement: int
    deferred: bool
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    """Return all faults that can be put into a file."""
    found = _Search(ast.parse(path.read_text(encoding="utf-8"))).found
    name = path.relative_to(root).as_posix()
    return [
        Mutant(name, index, node.lineno, node.col_offset, statement.lineno, deferred, what)  # type: ignore[attr-defined]
        for index, (node, statement, deferred, what, _) in enumerate(found)
    ]


def mutated(mutant: Mutant, root: Path) -> ast.Module:
    """Return the tree of the file with the fault in it; every line keeps its number."""
    tree = ast.parse((root / mutant.path).read_text(encoding="utf-8"))
    _Search(tree).found[mutant.index][-1]()
    return ast.fix_missing_locations(tree)


class _Search:
    """Walk through a tree and collect ``(node, statement, deferred, what, change)``."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[ast.AST, ast.stmt, bool, str, Callable[[], None]]] = []
        for index, node in enumerate(tree.body):
            self._visit(node, _setter(tree.body, index), node, False)

    def _visit(self, node: ast.AST, put: Put, statement: ast.stmt, deferred: bool) -> None:
        if isinstance(node, ast.stmt):
            statement = node
        for what, new in _replacements(node):
            # Outside of functions `|` joins types.
            if deferred or not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)):
                self._add(node, put, statement, deferred, what, new)
        for child, place in _children(node):
            if isinstance(node, ast.comprehension) and child in node.ifs:
                self._add(child, place, statement, deferred, *_change(child, _not(child)))
            self._visit(child, place, statement, deferred or _is_body(node, child))

    def _add(self, node: ast.AST, put: Put, statement: ast.stmt, deferred: bool, what: str, new: ast.AST) -> None:
        def change() -> None:
            put(ast.copy_location(new, node))

        self.found.append((node, statement, deferred, what, change))


def _setter(values: list[ast.AST] | list[ast.stmt], index: int) -> Put:
    def put(new: ast.AST) -> None:
        values[index] = new  # type: ignore[call-overload]

    return put


def _is_body(node: ast.AST, child: ast.AST) -> bool:
    return isinstance(node, (*FUNCTIONS, ast.Lambda)) and not isinstance(child, ast.arguments)


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, Put]]:
    """Yield the parts of a node in which a fault matters, each with a function that replaces it."""
    left_out = _left_out(node)
    for name, value in ast.iter_fields(node):
        if name in left_out:
            continue
        if isinstance(value, ast.AST):
            yield value, lambda new, name=name: setattr(node, name, new)  # type: ignore[misc]
        elif isinstance(value, list):
            for index, child in enumerate(value):
                if isinstance(child, ast.AST):
                    yield child, _setter(value, index)


def _left_out(node: ast.AST) -> tuple[str, ...]:
    """Return the fields of a node in which nothing is changed."""
    if isinstance(node, FUNCTIONS):
        words = {ast.unparse(decorator) for decorator in node.decorator_list}
        shown = node.name in SHOWN_ONLY or words & {"abstractmethod", "overload", "typing.overload"}
        return ("returns", "decorator_list", "type_params", *(("body",) if shown else ()))
    if isinstance(node, ast.ClassDef):
        protocol = any(ast.unparse(base).startswith("Protocol") for base in node.bases)
        return ("bases", "keywords", "decorator_list", *(("body",) if protocol else ()))
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return ("test", "body")
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        return {"warnings.warn": ("args", "keywords"), "cast": ("args",), "zip": ("keywords",)}.get(called, ())
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        return ("slice",)
    fields = {ast.AnnAssign: ("annotation",), ast.arg: ("annotation",), ast.FormattedValue: ("format_spec",)}
    names = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    if names or isinstance(node, (ast.Raise, ast.Import, ast.ImportFrom)):
        return node._fields
    return fields.get(type(node), ())


def _replacements(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what may stand in place of a node: a description and the new node."""
    if isinstance(node, ast.stmt):
        yield from _statements(node)
    elif isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            changed = [*node.ops[:index], OTHER[type(operator)](), *node.ops[index + 1 :]]
            yield _change(node, ast.Compare(node.left, changed, node.comparators))
    elif isinstance(node, ast.BoolOp):
        yield _change(node, ast.BoolOp(OTHER[type(node.op)](), node.values))
    elif isinstance(node, ast.BinOp) and type(node.op) in OTHER:
        yield _change(node, ast.BinOp(node.left, OTHER[type(node.op)](), node.right))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield _change(node, node.operand)
    elif isinstance(node, ast.IfExp):
        yield _change(node, ast.IfExp(_not(node.test), node.body, node.orelse))
    elif isinstance(node, ast.Constant):
        yield from _constants(node)


def _constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield _change(node, ast.Constant(not value))
    elif isinstance(value, (int, float)):
        yield _change(node, ast.Constant(value + 1))
    elif isinstance(value, str) and WORD.fullmatch(value):
        yield _change(node, ast.Constant("XX" + value))


def _statements(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Return):
        if node.value is not None and not isinstance(node.value, ast.Constant):
            yield _change(node, ast.Return(ast.Constant(None)))
    elif isinstance(node, (ast.If, ast.While)):
        if ast.unparse(node.test) != "TYPE_CHECKING":
            new = type(node)(_not(node.test), node.body, node.orelse)
            yield f"{_text(node.test)} -> {_text(new.test)}", new
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield _change(node, ast.Continue() if isinstance(node, ast.Break) else ast.Break())
    elif _can_go(node):
        yield f"{_text(node)} -> removed", ast.Pass()


def _can_go(node: ast.stmt) -> bool:
    """Say whether the file still makes sense without a statement: every name is still bound."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, (ast.Call, ast.Yield, ast.YieldFrom))
    if isinstance(node, ast.Raise):
        return node.exc is not None and "NotImplementedError" not in ast.unparse(node.exc)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets)
    return isinstance(node, (ast.AugAssign, ast.Delete))


def _not(test: ast.AST) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), test), test)  # type: ignore[arg-type]


def _change(old: ast.AST, new: ast.AST) -> tuple[str, ast.AST]:
    return f"{_text(old)} -> {_text(new)}", new


def _text(node: ast.AST, longest: int = 90) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
