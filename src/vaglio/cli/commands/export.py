"""``vaglio export MODEL --out tree.svg`` or ``vaglio export MODEL --format sql``"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from vaglio.cli._options import ModelFile, UsageError, option_help, output_option
from vaglio.cli._output import Answer, next_line, shell
from vaglio.messages.message import text

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


class Dialect(StrEnum):
    """Whose SQL is written."""

    standard = "standard"
    mysql = "mysql"
    sqlite = "sqlite"
    duckdb = "duckdb"
    postgresql = "postgresql"


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

Format = Annotated[ExportFormat | None, output_option("--format", "-f", help="By default, from the file's suffix.")]
Out = Annotated[
    Path | None,
    output_option(
        "--out",
        "-o",
        metavar="FILE",
        help=option_help("The file: {suffixes}; by default standard output.", suffixes=", ".join(_BY_SUFFIX)),
    ),
]

SqlDialect = Annotated[
    Dialect | None,
    output_option("--dialect", help="Whose SQL: its quotes, and how it computes with dates. Default: standard."),
]


def run(model: ModelFile, format: Format = None, dialect: SqlDialect = None, out: Out = None) -> Answer:
    """Export a model to other formats; without options, list the formats it has.

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
                "unknown-export-suffix",
                "--out {out}: unknown suffix. Use {by_suffix}, or add --format.",
                out=out,
                by_suffix=", ".join(_BY_SUFFIX),
            )
    if dialect is not None and format is not ExportFormat.sql:
        raise UsageError("dialect-without-sql", "--dialect is for SQL. Add --format sql, or --out FILE.sql.")
    fitted = load(model)
    if format is None:
        return _forms(model, fitted)
    written = fitted.export(format.value) if dialect is None else fitted.to_sql(dialect=dialect.value)
    if out is None and isinstance(written, bytes):
        raise UsageError(
            "binary-to-terminal",
            "--format {value} is binary. Write it to a file with --out.",
            value=format.value,
        )
    if out is None:
        return Answer(
            {"format": format.value, "text": written}, [written.rstrip("\n")], exact=format not in _FOR_READING
        )
    write_whole(out, written)
    return Answer(
        {"out": str(out), "format": format.value},
        [],
        [text("The model as {format} is in {out}.", format=format.value, out=out)],
    )


def _forms(model: Path, fitted: Fitted) -> Answer:
    from vaglio.fitted import FORMATS, export_formats

    has = [name for name in FORMATS if name in export_formats(fitted)]
    learner = fitted.learner
    if not has:
        line = text(
            "A model of {learner!r} has no rules, weights or drawing to export. Use the model file itself.",
            learner=learner,
        )
        return Answer({"learner": learner, "formats": []}, [line], [next_line(shell("vaglio", "inspect", model))])
    lines = [text("A model of {learner!r} can be exported as", learner=learner)]
    lines += [text("  {name:<11}{meaning}", name=name, meaning=FORMATS[name]) for name in has]
    best = "svg" if "svg" in has else has[0]
    suffix = next(end for end, name in _BY_SUFFIX.items() if name.value == best)
    following = shell("vaglio", "export", model, "--out", model.with_suffix(suffix).name)
    return Answer({"learner": learner, "formats": has}, lines, [next_line(following)])
