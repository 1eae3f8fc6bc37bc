"""``vaglio predict model.vaglio TABLE --out - [--format csv|parquet|jsonl]``"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli import _options as options
from vaglio.cli import _session
from vaglio.cli._session import Answer
from vaglio.errors import NotSupportedError

if TYPE_CHECKING:
    import pyarrow as pa


class RowFormat(StrEnum):
    """How rows are written."""

    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


Out = Annotated[str, typer.Option("--out", "-o", help="A .csv, .parquet or .jsonl file; - is standard output.")]
Format = Annotated[
    RowFormat | None, typer.Option("--format", "-f", help="How rows are written; by default as the file's name says.")
]


def run(
    model: options.ModelFile,
    table: options.TableFile,
    out: Out = "-",
    format: Format = None,
    missing: options.Missing = None,
    *,
    as_json: bool = False,
) -> Answer:
    """Give the class of every row of a table, with the probability of each class.

    The table may be larger than memory: it is read, classified and written in parts. Its columns come first, then
    'predicted' and one 'p_CLASS' a class. With --json, rows written to standard output are JSON lines.
    """
    from vaglio import load
    from vaglio.table import TableWriter

    fitted = load(model)
    if out == "-" and as_json:
        format = RowFormat.jsonl
    chunks = options.Reading(missing=missing).chunks_for(table, fitted)
    counts: Counter[Any] = Counter()
    with TableWriter(out, format) as sink, _session.progress("rows classified") as step:
        for chunk in chunks:
            sink.write(_with_predictions(fitted, chunk, counts))
            step(len(chunk))
    total = counts.total()
    shares = ", ".join(f"{label} {count:,}" for label, count in counts.most_common(8))
    note = f"{total:,} rows classified ({shares})" + ("." if out == "-" else f"; they are in {out}.")
    data = None if out == "-" else {"out": out, "rows": total, "predicted": {str(k): n for k, n in counts.items()}}
    return Answer(data, [], [note])


def _with_predictions(fitted: Any, chunk: Any, counts: Counter[Any]) -> pa.Table:
    """Add the class and the probabilities to rows, and count the classes."""
    import pyarrow as pa

    labels = fitted.predict(chunk)
    counts.update(labels.tolist())
    new = {"predicted": labels}
    if fitted.classes is not None:
        # Some learners mean no probability: then the class alone is written.
        with suppress(NotSupportedError):
            new |= {f"p_{label}": p for label, p in zip(fitted.classes, fitted.predict_proba(chunk).T)}
    rows = chunk.to_arrow()
    for name, values in new.items():
        rows = rows.append_column(_free_name(name, rows.column_names), pa.array(values))
    return rows


def _free_name(name: str, taken: list[str]) -> str:
    """The name itself, or the first of name_2, name_3 … that the table does not have."""
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}_{count}"
    return free
