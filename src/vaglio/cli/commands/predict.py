"""``vaglio predict model.vaglio TABLE --out - [--format csv|parquet|jsonl]``"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli import _options as options
from vaglio.cli import _session
from vaglio.cli._next import next_line
from vaglio.cli._recipe import shell
from vaglio.cli._session import Answer, UsageError
from vaglio.errors import NotSupportedError

if TYPE_CHECKING:
    import pyarrow as pa


class RowFormat(StrEnum):
    """How rows are written."""

    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


Out = Annotated[
    str,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="A .csv, .parquet or .jsonl file; - is standard output.",
        rich_help_panel=options.OUTPUT,
    ),
]
Format = Annotated[
    RowFormat | None,
    typer.Option(
        "--format",
        "-f",
        help="How rows are written; by default as the file's name says.",
        rich_help_panel=options.OUTPUT,
    ),
]


def run(
    model: options.ModelFile,
    table: options.TableFile,
    out: Out = "-",
    format: Format = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    cost: options.Cost = None,
    *,
    as_json: bool = False,
) -> Answer:
    """Give the class of every row of a table, with the probability of each class.

    The table may be larger than memory: it is read, classified and written in parts. Its columns come first, then
    'predicted' and one 'p_CLASS' a class. With --cost, 'predicted' is the class of least expected cost. With --json,
    rows written to standard output are JSON lines.
    """
    from vaglio import load
    from vaglio.table import TableWriter

    fitted = load(model)
    if out == "-" and as_json:
        format = RowFormat.jsonl
    costs = None if cost is None else _costs(cost, fitted)
    chunks = options.Reading(missing=missing, how=read).chunks_for(table, fitted)
    counts: Counter[Any] = Counter()
    with TableWriter(out, format) as sink, _session.progress("rows classified") as step:
        for chunk in chunks:
            sink.write(_with_predictions(fitted, chunk, counts, costs))
            step(len(chunk))
    total = counts.total()
    shares = ", ".join(f"{label} {count:,}" for label, count in counts.most_common(8))
    notes = [f"{total:,} rows classified ({shares})" + ("." if out == "-" else f"; they are in {out}.")]
    if table != "-":
        notes.append(next_line(shell("vaglio", "explain", model, table)))
    data = None if out == "-" else {"out": out, "rows": total, "predicted": {str(k): n for k, n in counts.items()}}
    return Answer(data, [], notes)


def _with_predictions(fitted: Any, chunk: Any, counts: Counter[Any], costs: Any) -> pa.Table:
    """Add the class and the probabilities to rows, and count the classes."""
    import pyarrow as pa

    chances = None
    if fitted.classes is not None:
        # Some learners mean no probability: then the class alone is written.
        with suppress(NotSupportedError):
            chances = fitted.predict_proba(chunk)
    labels = fitted.predict(chunk) if costs is None else fitted.classes[costs.decide(chances)]
    counts.update(labels.tolist())
    new = {"predicted": labels}
    if chances is not None:
        new |= {f"p_{label}": p for label, p in zip(fitted.classes, chances.T)}
    rows = chunk.to_arrow()
    for name, values in new.items():
        rows = rows.append_column(_free_name(name, rows.column_names), pa.array(values))
    return rows


def _costs(path: Path, fitted: Any) -> Any:
    from vaglio.evaluation import CostMatrix

    if fitted.classes is None:
        raise UsageError("--cost is about classes, and this model predicts numbers.")
    return CostMatrix.from_any(path, labels=fitted.classes.tolist())


def _free_name(name: str, taken: list[str]) -> str:
    """The name itself, or the first of name_2, name_3 … that the table does not have."""
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}_{count}"
    return free
