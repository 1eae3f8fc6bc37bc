"""``vaglio predict model.vaglio TABLE --out - [--format csv|parquet|jsonl]``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli import _options as options
from vaglio.cli import _output, _session
from vaglio.cli._output import RowFormat
from vaglio.cli._session import Answer

if TYPE_CHECKING:
    import pyarrow as pa

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

    fitted = load(model)
    if out == "-" and as_json:
        format = RowFormat.jsonl
    parts = options.Reading(missing=missing).parts_for(table, fitted.codebook.features)
    counts: Counter[Any] = Counter()
    with _output.open_rows(out, format) as sink, _session.progress("rows classified") as step:
        for part in _predicted(fitted, parts, counts):
            sink.write(part)
            step(part.num_rows)
    total = counts.total()
    shares = ", ".join(f"{label} {count:,}" for label, count in counts.most_common(8))
    note = f"{total:,} rows classified ({shares})" + ("." if out == "-" else f"; they are in {out}.")
    data = None if out == "-" else {"out": out, "rows": total, "predicted": {str(k): n for k, n in counts.items()}}
    return Answer(data, [], [note])


def _predicted(fitted: Any, parts: Iterator[Any], counts: Counter[Any]) -> Iterator[pa.Table]:
    """Add the predictions to each part of the table."""
    import pyarrow as pa

    for part in parts:
        labels = fitted.predict(part)
        counts.update(labels.tolist())
        rows = part.to_arrow()
        for name, values in _new_columns(fitted, part, labels).items():
            rows = rows.append_column(_free_name(name, rows.column_names), pa.array(values))
        yield rows


def _new_columns(fitted: Any, part: Any, labels: Any) -> dict[str, Any]:
    columns = {"predicted": labels}
    if fitted.classes is not None and callable(getattr(fitted.model, "predict_proba", None)):
        columns |= {f"p_{label}": p for label, p in zip(fitted.classes, fitted.predict_proba(part).T)}
    return columns


def _free_name(name: str, taken: list[str]) -> str:
    """The name itself, or the first of name_2, name_3 … that the table does not have."""
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}_{count}"
    return free
