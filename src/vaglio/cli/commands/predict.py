"""``vaglio predict model.vaglio TABLE --out - [--format csv|parquet|jsonl]``"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Annotated, Any

from vaglio.cli._options import (
    Cost,
    Decide,
    ForSpreadsheet,
    ModelFile,
    RowsFile,
    TableFile,
    decided,
    output_option,
)
from vaglio.cli._output import Answer, next_line, progress, with_model
from vaglio.cli._reading import FileOptions

# Classes that the last line counts: more than these do not fit it.
_MOST_CLASSES = 8


class RowFormat(StrEnum):
    """How rows are written."""

    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


Format = Annotated[
    RowFormat | None,
    output_option("--format", "-f", help="How rows are written; by default as the file's name says."),
]


def run(
    model: ModelFile,
    table: TableFile,
    *,
    out: RowsFile = "-",
    format: Format = None,
    for_spreadsheet: ForSpreadsheet = False,
    file: FileOptions,
    cost: Cost = None,
    decide: Decide = None,
    as_json: bool = False,
) -> Answer:
    """Give the class of every row of a table, with the probability of each class.

    The table may be larger than memory: it is read, classified and written in parts. Its columns come first, then
    'predicted' and one 'p_CLASS' per class. If the model was trained with costs, or --cost gives some, 'predicted' is
    the class of least expected cost; --decide argmax leaves the costs aside. With --json, rows written to standard
    output are JSON lines.
    """
    from vaglio.fitted import load
    from vaglio.fitted.prediction_columns import prediction_columns
    from vaglio.table import TableWriter

    fitted = load(model)
    if out == "-" and as_json:
        format = RowFormat.jsonl
    fitted = decided(fitted, cost, decide)
    counts: Counter[Any] = Counter()
    with TableWriter(out, format, for_spreadsheet=for_spreadsheet) as sink, progress("rows classified") as step:
        for chunk in file.read_chunks(table, fitted):
            new = prediction_columns(fitted, chunk)
            counts.update(new["predicted"].tolist())
            sink.write(chunk, new)
            step(len(chunk))
    total = counts.total()
    shares = ", ".join(f"{label} {count:,}" for label, count in counts.most_common(_MOST_CLASSES))
    notes = [f"{total:,} rows classified ({shares})" + ("." if out == "-" else f"; they are in {out}.")]
    if table != "-":
        notes.append(next_line(with_model("explain", model, table)))
    data = None if out == "-" else {"out": out, "rows": total, "predicted": {str(k): n for k, n in counts.items()}}
    return Answer(data, [], notes)
