"""Catalogues of messages: ``make messages`` finds every template of the package and brings each catalogue up to date.

    python -m tools.messages            update every catalogue, compile it, and list what has no translation
    python -m tools.messages --check    change nothing; fail where a catalogue is not up to date or a translation wrong

Templates are found in Python (arguments of ``Message``, ``text``, ``say``, ``plural`` and of the errors, ``help=`` of
options, docstrings of commands and of parameters), in templates of pages and in JavaScript (``say``).
"""

from __future__ import annotations

import argparse
import ast
import inspect
import io
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog
from babel.messages.jslexer import tokenize
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment
from jinja2.ext import extract_from_ast

from tools.catalogue import compiled

PACKAGE = Path(__file__).parent.parent / "src" / "vaglio"
LOCALE = PACKAGE / "messages" / "locale"
# The position of the template among the arguments.
_FIRST = {"text", "say", "lookup", "option_help"}
_SECOND = {"Message", "need", "sound_weights"}
# How a language writes numbers and dates: the only messages that are known by a context.
_FORMS = (".", ",", "{n}%", "%Y-%m-%d", "%Y-%m-%d %H:%M:%S")

# Functions whose docstring is the help of a command, with their folder.
_DOCUMENTED = {("run", "cli/commands"), ("program", "cli")}

Found = tuple[str, str, str]  # template, file, code


def errors() -> set[str]:
    """Return the names of the errors and warnings that take a code and a template."""
    names = set(import_module("vaglio.errors").__all__)
    return names | {"UsageError", "ChoiceError", "ProblemError"}


def templates() -> Iterator[Found]:
    """Yield every template of the package."""
    known = errors()
    for path in sorted(PACKAGE.rglob("*.py")):
        yield from in_python(path, known)
    for path in sorted(PACKAGE.rglob("*.html")):
        tree = Environment(extensions=["jinja2.ext.do"]).parse(path.read_text(encoding="utf-8"))
        for _, _, message in extract_from_ast(tree, gettext_functions=("say",), babel_style=False):
            template = message[0] if isinstance(message, tuple) else message
            if template:
                yield template, str(path.relative_to(PACKAGE)), ""
    for path in sorted(PACKAGE.rglob("*.js")):
        for template in in_javascript(path.read_text(encoding="utf-8")):
            yield template, str(path.relative_to(PACKAGE)), ""
    for template in parameter_meanings():
        yield template, "parameters", ""


def in_python(path: Path, known: set[str]) -> Iterator[Found]:
    """Yield the templates of a module."""
    where = str(path.relative_to(PACKAGE))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((template, where, code) for template, code in _of_call(node, known, where))
        elif isinstance(node, ast.FunctionDef) and (node.name, where.rpartition("/")[0]) in _DOCUMENTED:
            for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                yield " ".join(paragraph.split()), where, ""


def _of_call(node: ast.Call, known: set[str], where: str) -> Iterator[tuple[str, str]]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    words = [arg.value if isinstance(arg, ast.Constant) and isinstance(arg.value, str) else None for arg in node.args]
    if name in _FIRST and words and words[0] is not None:
        yield words[0], ""
    elif name in _SECOND or name in known or name == "within":
        at = {"ChoiceError": 2, "within": 3}.get(name, 1)
        if len(words) > at and words[at] is not None:
            yield str(words[at]), words[at - 1] or ""
    elif name == "plural" and len(words) == 2 and words[1]:
        noun = words[1]
        yield f"{{n:,}} {{n:{noun}|{noun}{'es' if noun.endswith('s') else 's'}}}", ""
    if where.startswith("cli/"):
        for keyword in node.keywords:
            if keyword.arg in ("help", "rich_help_panel") and isinstance(keyword.value, ast.Constant):
                yield str(keyword.value.value), ""


def in_javascript(source: str) -> Iterator[str]:
    """Yield the first argument of every call of ``say``."""
    tokens = [token for token in tokenize(source, jsx=False) if token.type not in ("linecomment", "multilinecomment")]
    for name, bracket, words in zip(tokens, tokens[1:], tokens[2:]):
        if name.value == "say" and bracket.value == "(" and words.type == "string":
            yield ast.literal_eval(words.value)


def parameter_meanings() -> Iterator[str]:
    """Yield what each parameter of each learner means, as its docstring says."""
    from vaglio.learners.parameter_text import parameter_fields
    from vaglio.learners.registry import LEARNERS

    for learner in LEARNERS:
        for field in parameter_fields(learner):
            if field.meaning:
                yield field.meaning


def updated(path: Path, found: list[Found]) -> Catalog:
    """Return a catalogue with every template, and with the translations that it had."""
    with path.open("rb") as file:
        before = read_po(file, locale=path.stem)
    after = Catalog(locale=path.stem, project="vaglio", charset="utf-8", fuzzy=False)
    after.mime_headers = [
        (name, value) for name, value in before.mime_headers if name in ("Language", "Plural-Forms", "Content-Type")
    ]
    for form in _FORMS:
        known = before.get(form, context="format")
        after.add(form, known.string if known else "", context="format")
    for template, where, code in found:
        known = before.get(template)
        comments = [f"code: {code}"] if code else []
        after.add(template, known.string if known else "", locations=[(where, None)], auto_comments=comments)  # type: ignore[list-item]
    for message in after:  # "95% interval" looks like a format of Python's %, which no template is
        message.flags.discard("python-format")
    return after


def problems(catalogue: Catalog) -> Iterator[str]:
    """Yield what is wrong with translations: a field that the template lacks, or an empty one."""
    for message in catalogue:
        if not message.id or not message.string or message.context:
            continue
        try:
            fields, given = _fields(str(message.string)), _fields(str(message.id))
        except ValueError as error:
            yield f"{message.string!r}: {error}"
            continue
        if not fields <= given:
            yield f"{message.string!r} has {', '.join(sorted(fields - given))}, which {message.id!r} has not"


def _has_words(template: str) -> bool:
    """Return whether a template has words of its own, and not only fields and punctuation."""
    parsed = Formatter().parse(template)
    return any(c.isalpha() for literal, _, spec, _ in parsed for c in literal + (spec if spec and "|" in spec else ""))


def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def codes_twice(found: list[Found]) -> Iterator[str]:
    """Yield codes that stand for several templates."""
    of: dict[str, str] = {}
    for template, where, code in found:
        if code and of.setdefault(code, template) != template:
            yield f"{where}: the code {code!r} stands for {of[code]!r} and for {template!r}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.messages", description=inspect.getdoc(sys.modules[__name__]))
    parser.add_argument("--check", action="store_true", help="change nothing; fail where something is not in order")
    parser.add_argument("--lang", help="one language instead of all")
    parser.add_argument("--missing", action="store_true", help="print the templates without a translation, one a line")
    given = parser.parse_args()
    found = [each for each in templates() if _has_words(each[0])]
    wrong = list(codes_twice(found))
    for path in sorted(LOCALE.glob(f"{given.lang or '*'}.po")):
        catalogue = updated(path, found)
        written = io.BytesIO()
        write_po(written, catalogue, width=0, sort_output=True, omit_header=False)
        text = _without_dates(written.getvalue())
        if given.check and text != path.read_bytes():
            wrong.append(f"{path.name} is not up to date: run make messages")
        wrong += [f"{path.name}: {line}" for line in problems(catalogue)]
        if not given.check:
            path.write_bytes(text)
            path.with_suffix(".mo").write_bytes(compiled(path))
        missing = [str(message.id) for message in catalogue if message.id and not message.string]
        print(f"{path.stem}: {len(catalogue)} messages, {len(missing)} without a translation")
        if given.missing:
            print("\n".join(missing))
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


def _without_dates(text: bytes) -> bytes:
    """Leave out what would change a catalogue from day to day."""
    dated = (b'"POT-Creation-Date', b'"PO-Revision-Date', b'"Last-Translator', b'"Language-Team', b'"Generated-By')
    return b"\n".join(line for line in text.split(b"\n") if not line.startswith(dated))


if __name__ == "__main__":
    sys.exit(main())
