"""A model as the source of a program that needs nothing but itself: C99, or an ES module of JavaScript.

The tables of the model's parts are written as constants, followed by the interpreters of the kinds of parts that occur
(the files of ``runtime``). No name and no value of the user's table is ever part of the program: they are texts in it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from importlib import resources

import numpy as np

from vaglio.encode import Feature
from vaglio.errors import InputError
from vaglio.export.model_source import Source, spelled
from vaglio.export.part import Part

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
    _check_name(name)
    source.refuse_text("c")
    part = source.part("c")
    tables: list[str] = []
    kinds: list[str] = []
    root = _c_part(part, [0], tables, kinds)
    words = ["words.c"] if any(feature.categories for feature in source.features) else []
    lines = [_c_head(source, name), *map(_runtime, ["row.c", *words]), *_c_limits(part, len(source.features))]
    lines += [_runtime(f"{kind}.c") for kind in kinds]
    return "\n".join([*lines, *tables, *_c_columns(source.features), _c_predict(source, part, root, name)])


def to_javascript(source: Source) -> str:
    """Return one ES module that exports ``predict``, ``predictProbabilities``, ``classes`` and ``columns``.

    Parameters
    ----------
    source : Source
    """
    part = source.part("javascript")
    tables: list[str] = []
    kinds: list[str] = []
    root = _js_part(part, [0], tables, kinds)
    lines = [
        f"// {_comment(source.headline)}",
        _runtime("row.js"),
        *(_runtime(f"{kind}.js") for kind in kinds),
        *tables,
    ]
    return "\n".join(
        [*lines, *_js_row(source.features), _js_predict(source, f"{part.kind}Score({root}, encoded(row))")]
    )


def _runtime(name: str) -> str:
    return resources.files("vaglio.export").joinpath("runtime", name).read_text(encoding="utf-8")


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise InputError(f"{name!r} is no beginning of a name in C: use letters, digits and underscores.")


def _comment(text: str) -> str:
    """Text in which nothing can end a comment or a line."""
    return re.sub(r"[^A-Za-z0-9 _.,:%()-]", "?", text)


def _walk(part: Part) -> Iterator[Part]:
    yield part
    for member in part.members:
        yield from _walk(member)


# -- C ---------------------------------------------------------------------------------------------------------------
def _c_part(part: Part, counter: list[int], tables: list[str], kinds: list[str]) -> str:
    """Write the tables of a part, its members first, and return its name."""
    members = [_c_part(member, counter, tables, kinds) for member in part.members]
    if part.kind not in kinds:
        kinds.append(part.kind)
    own = f"m{counter[0]}"
    counter[0] += 1
    fields = [f".outputs = {part.outputs}"]
    for name, value in part.fields.items():
        if np.ndim(value) == 0:
            if name not in ("widest", "most_outputs"):
                fields.append(f".{name} = {_c_number(value)}")
            continue
        if name in _COUNTED.get(part.kind, ()):
            fields.append(f".n_{name} = {len(value)}")
        tables.append(_c_table(f"{own}_{name}", np.ravel(value)))
        fields.append(f".{name} = {own}_{name}")
    if members:
        scored = ", ".join(
            f"{{{member.kind}_score, &{name}}}" for member, name in zip(part.members, members, strict=True)
        )
        tables.append(f"static const struct part {own}_members[] = {{{scored}}};")
        fields.append(f".members = {own}_members")
    tables.append(f"static const struct {part.kind} {own} = {{{', '.join(fields)}}};")
    return own


# Arrays whose length the interpreter asks for.
_COUNTED = {"linear": ("number", "nominal"), "bayes": ("term",), "mix": ("weight",), "boosted": ("baseline",)}


def _c_table(name: str, values: np.ndarray) -> str:
    kind = "double" if values.dtype.kind == "f" else "int"
    numbers = [_c_number(value) for value in values.tolist()] or ["0"]
    lines = [", ".join(numbers[i : i + _NUMBERS_PER_LINE]) for i in range(0, len(numbers), _NUMBERS_PER_LINE)]
    return f"static const {kind} {name}[] = {{\n" + ",\n".join(lines) + "\n};"


def _c_number(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NAN" if math.isnan(value) else "HUGE_VAL" if value > 0 else "-HUGE_VAL"
    return repr(value)


def _c_limits(part: Part, columns: int) -> list[str]:
    """Sizes of arrays on the stack: there is no memory to ask for on a small device."""
    found = list(_walk(part))
    return [
        "enum {",
        f"  MOST_OUTPUTS = {max(each.outputs for each in found)},",
        f"  MOST_VALUES = {max([1, *(max(p.fields['n_values'], p.outputs) for p in found if p.kind == 'linear')])},",
        f"  MOST_COLUMNS = {max(1, columns)}",
        "};",
        "",
    ]


def _c_text(text: str) -> str:
    if "\0" in text:
        raise InputError(f"C cannot hold a NUL character in a text, as in {text!r}.")
    plain = [chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text.encode()]
    return '"' + "".join(plain) + '"'


def _c_head(source: Source, name: str) -> str:
    columns = [
        f"  {'double ' if not feature.categories else 'const char *'}c{j};  /* {_comment(_meaning(feature))} */"
        for j, feature in enumerate(source.features)
    ]
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


def _meaning(feature: Feature) -> str:
    if feature.is_date:
        return f"{feature.name}: days since 1970, NAN is missing"
    return f"{feature.name}: {'text, NULL' if feature.categories else 'a number, NAN'} is missing"


def _c_columns(features: tuple[Feature, ...]) -> list[str]:
    lines = []
    for j, feature in enumerate(features):
        if feature.categories:
            words = ", ".join(_c_text(word) for word in spelled(feature)[0])
            lines.append(f"static const char *const words_{j}[] = {{{words}}};")
    return lines


def _c_predict(source: Source, part: Part, root: str, name: str) -> str:
    reading = []
    for j, feature in enumerate(source.features):
        if feature.categories:
            count, fold = len(feature.categories), int(spelled(feature)[1])
            reading.append(f"  x[{j}] = code_of(row->c{j}, words_{j}, {count}, {fold});")
        else:
            reading.append(f"  x[{j}] = {'NAN' if feature.is_nominal else f'row->c{j}'};")
    width = max(1, len(source.features))
    body = [f"  double x[{width}], out[{part.outputs}];", *([] if reading else ["  (void)row;", "  x[0] = 0.0;"])]
    if not source.labels:
        signature = f"double {name}_predict(const struct {name}_row *row)"
        lines = [f"  {part.kind}_score(&{root}, x, out);", "  return out[0];"]
        return "\n".join([f"{signature};", f"{signature} {{", *body, *reading, *lines, "}", ""])
    signature = f"int {name}_predict(const struct {name}_row *row, double *probabilities)"
    names = [("columns", [feature.name for feature in source.features]), ("classes", map(str, source.labels))]
    lists = [
        f"const char *const {name}_{what}[] = {{{', '.join(map(_c_text, texts)) or '0'}}};" for what, texts in names
    ]
    return "\n".join([*lists, f"{signature};", f"{signature} {{", *body, *_c_decision(source, part, root, reading)])


def _c_decision(source: Source, part: Part, root: str, reading: list[str]) -> list[str]:
    k = part.outputs
    lines = ["  int c, decided;", *reading, f"  decided = {part.kind}_score(&{root}, x, out);"]
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


# -- JavaScript ------------------------------------------------------------------------------------------------------
def _js_part(part: Part, counter: list[int], tables: list[str], kinds: list[str]) -> str:
    members = [_js_part(member, counter, tables, kinds) for member in part.members]
    if part.kind not in kinds:
        kinds.append(part.kind)
    own = f"m{counter[0]}"
    counter[0] += 1
    fields = {"outputs": str(part.outputs)}
    for name, value in part.fields.items():
        numbers = [_js_number(each) for each in np.ravel(value).tolist()]
        fields[name] = numbers[0] if np.ndim(value) == 0 else f"[{', '.join(numbers)}]"
    if members:
        scored = ", ".join(f"[{member.kind}Score, {name}]" for member, name in zip(part.members, members, strict=True))
        fields["members"] = f"[{scored}]"
    body = ",\n  ".join(f"{name}: {value}" for name, value in fields.items())
    tables.append(f"const {own} = {{\n  {body},\n}};")
    return own


def _js_number(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return repr(value)


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
    lines += [
        "// One number per class, in their order.",
        f"export const predictProbabilities = (row) => {score}.out;",
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
