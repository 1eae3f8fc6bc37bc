"""A model as the source of a program that needs nothing but itself: C99, or an ES module of JavaScript.

The tables of the model's parts are written as constants, followed by the interpreters of the kinds of parts that occur
(the files of ``runtime``). No name and no value of the user's table is ever part of the program: they are texts in it.
"""

from __future__ import annotations

import json
import math
import re
from importlib import resources

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import InputError
from vaglio.export.export_node import ExportNode
from vaglio.export.source import Source, spelled

__all__ = ["to_c", "to_javascript"]

_NUMBERS_PER_LINE = 16


def to_c(source: Source, name: str = "vaglio") -> str:
    """Return one C99 file.

    Parameters
    ----------
    source : Source
    name : str
        What the names of the file begin with.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise InputError(
            "invalid-c-name",
            "{name!r} cannot start a name in C. Use letters, digits and underscores.",
            name=name,
        )
    source.refuse_text("c")
    nodes = _numbered(source.node("c"))
    words = ["words.c"] if any(feature.categories for feature in source.features) else []
    lines = [
        _c_head(source, name),
        *map(_runtime, ["row.c", *words]),
        *_c_limits([node for _, node, _ in nodes], len(source.features)),
        *(_runtime(f"{kind}.c") for kind in dict.fromkeys(node.kind for _, node, _ in nodes)),
        *(table for each in nodes for table in _c_tables(*each)),
    ]
    for j, feature in enumerate(source.features):
        if feature.categories:
            listed = ", ".join(_c_text(word) for word in spelled(feature)[0])
            lines.append(f"static const char *const words_{j}[] = {{{listed}}};")
    root, node, _ = nodes[-1]
    return "\n".join([*lines, _c_predict(source, node, root, name)])


def to_javascript(source: Source) -> str:
    """Return one ES module that exports ``predict``, ``predictProbabilities``, ``classes`` and ``columns``.

    Parameters
    ----------
    source : Source
    """
    nodes = _numbered(source.node("javascript"))
    root, node, _ = nodes[-1]
    return "\n".join(
        [
            f"// {_comment(source.headline)}",
            _runtime("row.js"),
            *(_runtime(f"{kind}.js") for kind in dict.fromkeys(node.kind for _, node, _ in nodes)),
            *(_js_table(*each) for each in nodes),
            *_js_row(source.features),
            _js_predict(source, f"{node.kind}Score({root}, encoded(row))"),
        ]
    )


def _runtime(name: str) -> str:
    return resources.files("vaglio.export").joinpath("runtime", name).read_text(encoding="utf-8")


def _comment(text: str) -> str:
    """Text in which nothing can end a comment or continue its line: a backslash, also written as a trigraph, would."""
    printable = "".join(char if char.isprintable() and char != "\\" else "?" for char in text)
    return re.sub(r"\?{2,}", "?", printable.replace("*/", "* /").replace("/*", "/ *"))


def _numbered(node: ExportNode, first: int = 0) -> list[tuple[str, ExportNode, list[str]]]:
    """A node and all nodes below it, members first: the name of each, the node, the names of its members."""
    found: list[tuple[str, ExportNode, list[str]]] = []
    members = []
    for member in node.members:
        found += _numbered(member, first + len(found))
        members.append(found[-1][0])
    return [*found, (f"m{first + len(found)}", node, members)]


def _number(value: object, infinity: str, nan: str) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return nan if math.isnan(value) else infinity if value > 0 else f"-{infinity}"
    return repr(value)


# -- C ---------------------------------------------------------------------------------------------------------------
# Arrays whose length the interpreter asks for.
_COUNTED = {"linear": ("centre", "nominal"), "bayes": ("term",), "mix": ("weight",), "boosted": ("baseline",)}


def _c_tables(own: str, node: ExportNode, members: list[str]) -> list[str]:
    """The tables of a node, and the node itself."""
    tables, fields = [], [f".outputs = {node.outputs}"]
    for name, value in node.fields.items():
        if np.ndim(value) == 0:
            if name not in ("widest", "most_outputs"):
                fields.append(f".{name} = {_c_number(value)}")
            continue
        if name in _COUNTED.get(node.kind, ()):
            fields.append(f".n_{name} = {len(value)}")
        values = np.ravel(value)
        kind = "double" if values.dtype.kind == "f" else "int"
        numbers = [_c_number(each) for each in values.tolist()] or ["0"]
        lines = [", ".join(numbers[i : i + _NUMBERS_PER_LINE]) for i in range(0, len(numbers), _NUMBERS_PER_LINE)]
        tables.append(f"static const {kind} {own}_{name}[] = {{\n" + ",\n".join(lines) + "\n};")
        fields.append(f".{name} = {own}_{name}")
    if members:
        scored = ", ".join(f"{{{member.kind}_score, &{name}}}" for member, name in zip(node.members, members))
        tables.append(f"static const struct part {own}_members[] = {{{scored}}};")
        fields.append(f".members = {own}_members")
    return [*tables, f"static const struct {node.kind} {own} = {{{', '.join(fields)}}};"]


def _c_number(value: object) -> str:
    return _number(value, "HUGE_VAL", "NAN")


def _c_limits(nodes: list[ExportNode], columns: int) -> list[str]:
    """Sizes of arrays on the stack: there is no memory to ask for on a small device."""
    values = [max(node.fields["n_values"], node.outputs) for node in nodes if "n_values" in node.fields]
    return [
        "enum {",
        f"  MOST_OUTPUTS = {max(node.outputs for node in nodes)},",
        f"  MOST_VALUES = {max([1, *values])},",
        f"  MOST_COLUMNS = {max(1, columns)}",
        "};",
        "",
    ]


def _c_text(text: str) -> str:
    if "\0" in text:
        raise InputError("nul-in-c", "A C string cannot contain a NUL character, as in {text!r}.", text=text)
    plain = [chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text.encode()]
    return '"' + "".join(plain) + '"'


def _c_head(source: Source, name: str) -> str:
    columns = []
    for j, feature in enumerate(source.features):
        kind, what = ("const char *", "text, NULL") if feature.categories else ("double ", "a number, NAN")
        what = "days since 1970, NAN" if feature.is_date else what
        columns.append(f"  {kind}c{j};  /* {_comment(f'{feature.name}: {what} is missing')} */")
    answer = "the position of the class" if source.labels else "the number"
    usage = f"{name}_predict returns {answer}."
    usage += " Where probabilities is not NULL, it gets one number per class." if source.labels else ""
    return "\n".join(
        [
            f"/* {_comment(source.headline)}",
            "   C99, without any dependency but the mathematical functions.",
            f"   {usage} */",
            f"struct {name}_row {{",
            *(columns or ["  int nothing;"]),
            "};",
            "",
        ]
    )


def _c_predict(source: Source, node: ExportNode, root: str, name: str) -> str:
    reading = []
    for j, feature in enumerate(source.features):
        if feature.categories:
            count, fold = len(feature.categories), int(spelled(feature)[1])
            reading.append(f"  x[{j}] = code_of(row->c{j}, words_{j}, {count}, {fold});")
        else:
            reading.append(f"  x[{j}] = {'NAN' if feature.is_nominal else f'row->c{j}'};")
    width = max(1, len(source.features))
    body = [f"  double x[{width}], out[{node.outputs}];", *([] if reading else ["  (void)row;", "  x[0] = 0.0;"])]
    if not source.labels:
        signature = f"double {name}_predict(const struct {name}_row *row)"
        lines = [f"  {node.kind}_score(&{root}, x, out);", "  return out[0];"]
        return "\n".join([f"{signature};", f"{signature} {{", *body, *reading, *lines, "}", ""])
    signature = f"int {name}_predict(const struct {name}_row *row, double *probabilities)"
    names = [("columns", [feature.name for feature in source.features]), ("classes", map(str, source.labels))]
    lists = [
        f"const char *const {name}_{what}[] = {{{', '.join(map(_c_text, texts)) or '0'}}};" for what, texts in names
    ]
    return "\n".join([*lists, f"{signature};", f"{signature} {{", *body, *_c_decision(source, node, root, reading)])


def _c_decision(source: Source, node: ExportNode, root: str, reading: list[str]) -> list[str]:
    k = node.outputs
    lines = ["  int c, decided;", *reading, f"  decided = {node.kind}_score(&{root}, x, out);"]
    if source.calibration is not None:
        keep, floor, power = map(_c_number, _calibration(source))
        lines[0] = "  double total = 0.0;\n  int c, decided;"
        lines += [
            f"  for (c = 0; c < {k}; ++c) total += out[c] = pow({keep} * out[c] + {floor}, {power});",
            f"  for (c = 0; c < {k}; ++c) out[c] /= total;",
        ]
    lines += [f"  for (c = 0; c < {k}; ++c)", "    if (probabilities) probabilities[c] = out[c];"]
    if source.cost is None:
        return [*lines, "  return decided;", "}", ""]
    # By predicted class, then by true class; the smallest is the largest of the negative ones.
    costs = ", ".join(_c_number(float(-value)) for value in source.cost.matrix.T.ravel())
    return [
        *(line.replace("int c,", f"static const double gains[] = {{{costs}}};\n  double gain[{k}];\n  int c, t,")
          for line in lines),
        f"  for (c = 0; c < {k}; ++c)",
        f"    for (t = 0, gain[c] = 0.0; t < {k}; ++t) gain[c] += out[t] * gains[c * {k} + t];",
        f"  decided = largest(gain, {k});",
        "  return decided;",
        "}",
        "",
    ]  # fmt: skip


def _calibration(source: Source) -> tuple[float, float, float]:
    """What a probability is multiplied by, what is added, and the power it is raised to."""
    assert source.calibration is not None
    floor, temperature = source.calibration.floor, source.calibration.temperature
    return 1 - floor, floor / len(source.labels), 1 / temperature


# -- JavaScript ------------------------------------------------------------------------------------------------------
def _js_table(own: str, node: ExportNode, members: list[str]) -> str:
    fields = {"outputs": str(node.outputs)}
    for name, value in node.fields.items():
        numbers = [_number(each, "Infinity", "NaN") for each in np.ravel(value).tolist()]
        fields[name] = numbers[0] if np.ndim(value) == 0 else f"[{', '.join(numbers)}]"
    if members:
        scored = ", ".join(f"[{member.kind}Score, {name}]" for member, name in zip(node.members, members))
        fields["members"] = f"[{scored}]"
    body = ",\n  ".join(f"{name}: {value}" for name, value in fields.items())
    return f"const {own} = {{\n  {body},\n}};"


def js_text(value: object) -> str:
    """A plain value as JavaScript, also inside of a page: no text of it can end the script."""
    return json.dumps(value).replace("<", "\\u003c")


def _js_row(features: tuple[Feature, ...]) -> list[str]:
    lines = ["function encoded(row) {", "  return ["]
    known = []
    for j, feature in enumerate(features):
        value = f"row[{js_text(feature.column)}]"
        if feature.word is not None:
            lines.append(f"    containsWord({value}, {js_text(feature.word[1])}),")
        elif feature.categories:
            words, fold = spelled(feature)
            pairs = ", ".join(f"[{js_text(word)}, {code}]" for code, word in enumerate(words))
            known.append(f"const words{j} = new Map([{pairs}]);")
            lines.append(f"    codeOf({value}, words{j}, {str(fold).lower()}),")
        elif feature.is_nominal:
            lines.append("    NaN,")
        else:
            lines.append(f"    {'daysOf' if feature.is_date else 'numberOf'}({value}),")
    return [*known, *lines, "  ];", "}", ""]


def _js_predict(source: Source, score: str) -> str:
    columns = js_text(list(dict.fromkeys(feature.column for feature in source.features)))
    lines = [f"export const columns = {columns};"]
    if not source.labels:
        return "\n".join([*lines, "", f"export const predict = (row) => {score}.out[0];", ""])
    lines += [f"export const classes = {js_text(source.labels)};", ""]
    given = f"{score}.out"
    if source.calibration is not None:
        keep, floor, power = _calibration(source)
        given = f"shares({given}.map((chance) => ({keep!r} * chance + {floor!r}) ** {power!r}))"
    lines += [
        "// One number per class, in their order.",
        f"export const predictProbabilities = (row) => {given};",
        "",
    ]
    if source.cost is None:
        return "\n".join([*lines, f"export const predict = (row) => classes[{score}.code];", ""])
    costs = js_text(source.cost.matrix.T.tolist())
    return "\n".join(
        [
            *lines,
            "// Costs by predicted class, then by true class: the class of least expected cost is decided for.",
            f"const costs = {costs};",
            "export function predict(row) {",
            "  const out = predictProbabilities(row);",
            "  const expected = costs.map((column) => column.reduce((sum, cost, c) => sum + cost * out[c], 0));",
            "  return classes[largest(expected.map((cost) => -cost))];",
            "}",
            "",
        ]
    )
