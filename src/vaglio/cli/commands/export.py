"""``vaglio export MODEL --out tree.svg`` or ``vaglio export MODEL --format sql``"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from vaglio.cli._options import ModelFile, UsageError, output_option
from vaglio.cli._output import Answer, next_line, shell

if TYPE_CHECKING:
    from vaglio.fitted import Fitted


class ExportFormat(StrEnum):
    """How a model is written."""

    text = "text"
    exact = "exact"
    json = "json"
    sql = "sql"
    python = "python"
    c = "c"
    javascript = "javascript"
    onnx = "onnx"
    pmml = "pmml"
    csv = "csv"
    tree = "tree"
    svg = "svg"


_BY_SUFFIX = {
    ".txt": ExportFormat.text,
    ".rules": ExportFormat.exact,
    ".json": ExportFormat.json,
    ".sql": ExportFormat.sql,
    ".py": ExportFormat.python,
    ".c": ExportFormat.c,
    ".js": ExportFormat.javascript,
    ".mjs": ExportFormat.javascript,
    ".onnx": ExportFormat.onnx,
    ".pmml": ExportFormat.pmml,
    ".csv": ExportFormat.csv,
    ".svg": ExportFormat.svg,
}

_FOR_READING = (ExportFormat.text, ExportFormat.tree)

Format = Annotated[ExportFormat | None, output_option("--format", "-f", help="By default as the file's name says.")]
Out = Annotated[
    Path | None,
    output_option(
        "--out", "-o", metavar="FILE", help=f"Where to write: {', '.join(_BY_SUFFIX)}; by default standard output."
    ),
]


def run(model: ModelFile, format: Format = None, out: Out = None) -> Answer:
    """Write a model in a form for other people and programs; without options, say which forms it has.

    Trees, forests and rules: rules for reading (text), with every digit (exact), as JSON, CSV, SQL or a Python
    function. Trees: drawn in text (tree) or as SVG. Linear models: their coefficients as CSV or JSON. All of these and
    naive Bayes: SQL, a C file, a JavaScript module, PMML. Most models: ONNX. Bayesian networks: their graph as SVG.
    """
    from vaglio.fitted import load
    from vaglio.runtime.files import check_writable, write_whole

    if out is not None:
        check_writable(out)
        format = format or _BY_SUFFIX.get(out.suffix.lower())
        if format is None:
            raise UsageError(
                "out-suffix-names-format",
                "--out {out}: this suffix names no format; use {by_suffix} or add --format.",
                out=out,
                by_suffix=", ".join(_BY_SUFFIX),
            )
    fitted = load(model)
    if format is None:
        return _forms(model, fitted)
    text = fitted.export(format.value)
    if out is None and isinstance(text, bytes):
        raise UsageError(
            "format-binary-file-say",
            "--format {value} is a binary file: say where to write it with --out.",
            value=format.value,
        )
    if out is None:
        return Answer({"format": format.value, "text": text}, [text.rstrip("\n")], exact=format not in _FOR_READING)
    write_whole(out, text)
    return Answer({"out": str(out), "format": format.value}, [], [f"The model as {format.value} is in {out}."])


def _forms(model: Path, fitted: Fitted) -> Answer:
    from vaglio.fitted import FORMATS, export_formats

    has = [name for name in FORMATS if name in export_formats(fitted)]
    learner = fitted.learner
    if not has:
        line = f"A model of {learner!r} has no rules, weights or drawing to write; use the model file itself."
        return Answer({"learner": learner, "formats": []}, [line], [next_line(shell("vaglio", "inspect", model))])
    lines = [f"A model of {learner!r} can be written as", *(f"  {name:<11}{FORMATS[name]}" for name in has)]
    best = "svg" if "svg" in has else has[0]
    suffix = next(end for end, name in _BY_SUFFIX.items() if name.value == best)
    following = shell("vaglio", "export", model, "--out", model.with_suffix(suffix).name)
    return Answer({"learner": learner, "formats": has}, ["\n".join(lines)], [next_line(following)])
