"""``vaglio predict model.vaglio TABLE --out - [--format csv|parquet|jsonl]``"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from vaglio.cli._options import (
    CostOptions,
    Decide,
    ForSpreadsheet,
    ModelFile,
    RowsFile,
    TableFile,
    Threshold,
    UsageError,
    decided,
    output_option,
)
from vaglio.cli._output import Answer, locale, next_line, note_reading, progress, with_model
from vaglio.cli._reading import MOST_ROWS, FileOptions
from vaglio.cli._rows import WorkOptions, table_for_model
from vaglio.messages.message import Message, join, text

if TYPE_CHECKING:
    import numpy as np

    from vaglio.fitted import Fitted
    from vaglio.table import Table

# Classes that the last line counts: more than these do not fit it.
_MOST_CLASSES = 8
# A part of the rows may take this share of the memory limit: the program, what is read ahead and copies take the rest.
_COPIES = 64


class RowFormat(StrEnum):
    """How rows are written."""

    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


Format = Annotated[
    RowFormat | None,
    output_option("--format", "-f", help="Format of the rows; by default, from the file's suffix."),
]
SortBy = Annotated[
    str | None,
    output_option("--sort", metavar="CLASS", help="Write the rows by the probability of this class, highest first."),
]
Top = Annotated[
    int | None, output_option("--top", min=1, metavar="N", help="Write the N first rows only; needs --sort.")
]
Reasons = Annotated[
    int | None,
    output_option(
        "--reasons",
        min=1,
        metavar="N",
        help="Write up to N reasons per row, in words: for the class of --sort, if given.",
    ),
]
Interval = Annotated[
    float | None,
    output_option(
        "--interval",
        metavar="SHARE",
        help="Of numbers: also write the ends of an interval with this coverage, e.g. 0.9.",
    ),
]


def run(
    model: ModelFile,
    table: TableFile,
    *,
    out: RowsFile = "-",
    format: Format = None,
    for_spreadsheet: ForSpreadsheet = False,
    file: FileOptions,
    work: WorkOptions,
    costs: CostOptions,
    decide: Decide = None,
    threshold: Threshold = None,
    sort: SortBy = None,
    top: Top = None,
    reasons: Reasons = None,
    interval: Interval = None,
    as_json: bool = False,
) -> Answer:
    """Predict the class of every row, with probabilities, or the number of every row.

    The table may be larger than memory, a folder or a pattern: it is read, classified and written in chunks, on a
    cluster by its workers (--workers, --scheduler). The columns of the table come first, then 'predicted' and one
    'p_CLASS' per class. If the model was trained with costs, or --cost is given, 'predicted' is the class of least
    expected cost; --decide argmax ignores the costs. With --json, rows written to standard output are JSON Lines.

    Cells of a CSV file are written to a CSV file as they were, with the delimiter and encoding of the file; new numbers
    have the decimal mark of the training table. Columns may differ from those of training in case, accents, spaces and
    the like.

    Of a model of numbers 'predicted' is the number. With --interval 0.9, 'low' and 'high' are the ends of an interval
    with the number of about 90% of such rows: 'predicted' plus quantiles of the errors that were measured when the
    model was trained with --folds, --holdout or --test.

    With --sort CLASS, rows are written by the probability of the class, the highest first, and numbered in a column
    'rank'; they are then held in memory, but for the --top N only that many. With --reasons 3 each row says why. With
    --for-spreadsheet new columns have names in your language, and a spreadsheet program shows columns and letters.
    """
    from vaglio.fitted import load
    from vaglio.table import TableWriter

    fitted = load(model)
    if out == "-" and as_json:
        format = RowFormat.jsonl
    fitted = decided(fitted, costs.cost, decide, threshold)
    chunks = _classified(fitted, table, file, work)
    if interval is not None:
        chunks = _with_interval(chunks, *_ends(fitted, interval))
    if top is not None and sort is None:
        raise UsageError("top-without-sort", "--top needs --sort CLASS: the class whose probability orders the rows.")
    if sort is not None:
        chunks = _ranked(fitted, chunks, sort, top)
    if reasons is not None:
        chunks = _with_reasons(fitted, chunks, reasons, sort)
    counted = _Numbers() if fitted.classes is None else _Classes()
    with (
        work.working(),
        TableWriter(out, format, for_spreadsheet=for_spreadsheet, locale=locale()) as sink,
        progress(text("rows classified")) as step,
    ):
        for chunk, new in chunks:
            counted.add(new["predicted"])
            sink.write(chunk, _named_for_people(new) if for_spreadsheet else new)
            step(len(chunk))
    notes: list[str] = [counted.in_words(None if out == "-" else out)]
    if interval is not None and fitted.residuals is not None:
        notes.append(
            text(
                "The intervals contain the true number of about {coverage:.0%} of such rows, by {errors}.",
                coverage=interval,
                errors=fitted.residuals.in_words(),
            )
        )
    if table != "-":
        notes.append(next_line(with_model("explain", model, table)))
    data = None if out == "-" else {"out": out, "rows": counted.n, "predicted": counted.as_data()}
    return Answer(data, [], notes)


class _Classes:
    """How many rows were predicted as which class."""

    def __init__(self) -> None:
        self._counts: Counter[Any] = Counter()

    def add(self, predicted: np.ndarray) -> None:
        self._counts.update(predicted.tolist())

    @property
    def n(self) -> int:
        return self._counts.total()

    def as_data(self) -> dict[str, Any]:
        return {str(label): count for label, count in self._counts.items()}

    def in_words(self, out: str | None) -> Message:
        most = self._counts.most_common(_MOST_CLASSES)
        shares = join(", ", [text("{label} {count:,}", label=str(label), count=count) for label, count in most])
        if out is None:
            return text("{n:,} {n:row|rows} classified ({shares}).", n=self.n, shares=shares)
        return text("{n:,} {n:row|rows} classified ({shares}), written to {out}.", n=self.n, shares=shares, out=out)


class _Numbers:
    """How many numbers were predicted, and in which range."""

    def __init__(self) -> None:
        self.n, self._mean, self._low, self._high = 0, 0.0, math.inf, -math.inf

    def add(self, predicted: np.ndarray) -> None:
        if len(predicted):
            self.n += len(predicted)
            self._mean += (float(predicted.mean()) - self._mean) * (len(predicted) / self.n)
            self._low, self._high = min(self._low, float(predicted.min())), max(self._high, float(predicted.max()))

    def as_data(self) -> dict[str, Any]:
        return {"mean": self._mean, "min": self._low, "max": self._high} if self.n else {}

    def in_words(self, out: str | None) -> Message:
        if not self.n:
            return text("No row was predicted.")
        if self.n == 1:
            range_of = text("{mean:.6g}", mean=self._mean)
        else:
            range_of = text("mean {mean:.6g}, {low:.6g} to {high:.6g}", mean=self._mean, low=self._low, high=self._high)
        if out is None:
            return text("{n:,} {n:number|numbers} predicted ({range}).", n=self.n, range=range_of)
        return text(
            "{n:,} {n:number|numbers} predicted ({range}), written to {out}.", n=self.n, range=range_of, out=out
        )


def _classified(
    fitted: Fitted, table: str, file: FileOptions, work: WorkOptions
) -> Iterator[tuple[Table, dict[str, Any]]]:
    """The rows in parts, each with the columns that are added to them."""
    classify = partial(_with_classes, fitted)
    if not work.said(table, file):
        return map(classify, file.read_chunks(table, fitted))
    from vaglio.engines.sources import source_of
    from vaglio.engines.work_settings import present_settings

    note_reading(table, {}, file.to_options(sample=False))
    data = table_for_model(table, file, fitted, as_written=True)
    width = len(data.columns) + (1 if fitted.classes is None else len(fitted.classes))
    most = present_settings().memory // (_COPIES * 8 * width)
    return source_of(data).tables(classify, max(1, min(MOST_ROWS, most)))


def _ranked(
    fitted: Fitted, chunks: Iterator[tuple[Table, dict[str, Any]]], name: str, top: int | None
) -> Iterator[tuple[Table, dict[str, Any]]]:
    """The rows with the highest probabilities of a class, in one part; no more are held than are asked for."""
    import numpy as np

    from vaglio.evaluation.labels import find_label
    from vaglio.fitted.predictions import score_of
    from vaglio.table.scanned import joined

    if fitted.classes is None:
        raise UsageError("sort-needs-classes", "--sort applies to models that predict classes.")
    label = find_label(name, fitted.classes.tolist())
    held: tuple[Table, dict[str, Any]] | None = None
    for chunk, new in chunks:
        if held is not None:
            chunk = joined([held[0], chunk])
            new = {column: np.concatenate([held[1][column], values]) for column, values in new.items()}
        best = np.argsort(-score_of(fitted, label, new), kind="stable")[:top]
        held = chunk.take(best), {column: np.asarray(values)[best] for column, values in new.items()}
    if held is not None:
        yield held[0], {**held[1], "rank": np.arange(1, len(held[0]) + 1)}


def _with_reasons(
    fitted: Fitted, chunks: Iterator[tuple[Table, dict[str, Any]]], most: int, name: str | None
) -> Iterator[tuple[Table, dict[str, Any]]]:
    """The rows with up to so many reasons each, in the words of the reader."""
    from vaglio.evaluation.labels import find_label

    label = None if name is None or fitted.classes is None else find_label(name, fitted.classes.tolist())
    said = locale()
    for chunk, new in chunks:
        explained = [each.reasons_for(label)[:most] for each in fitted.explain(chunk, counterfactual=False)]
        told = [[said.text(reason.text) for reason in reasons] for reasons in explained]
        columns = {f"reason_{n + 1}": [each[n] if n < len(each) else None for each in told] for n in range(most)}
        yield chunk, new | columns


def _ends(fitted: Fitted, coverage: float) -> tuple[float, float]:
    """What is added to a number for the ends of its interval; what cannot be had is told before rows are read."""
    from vaglio.errors import InputError

    try:
        return fitted.interval_ends(coverage)
    except InputError as error:
        raise UsageError(error.message) from None


def _with_interval(
    chunks: Iterator[tuple[Table, dict[str, Any]]], low: float, high: float
) -> Iterator[tuple[Table, dict[str, Any]]]:
    """The rows with the ends of their intervals beside the numbers."""
    for chunk, new in chunks:
        predicted = new.pop("predicted")
        ends = {"low": predicted + low, "high": predicted + high}
        yield chunk, {"predicted": predicted, **ends, **new}


def _named_for_people(new: dict[str, Any]) -> dict[str, Any]:
    """The added columns under names in the language of the reader, rank first."""
    said = locale()
    known = {"rank": text("rank"), "predicted": text("predicted"), "low": text("low"), "high": text("high")}
    named: dict[str, Any] = {}
    for name, values in sorted(new.items(), key=lambda entry: entry[0] != "rank"):
        told: str = known.get(name, name)
        if name.startswith("p_"):
            told = text("probability of {label}", label=name.removeprefix("p_"))
        elif name.startswith("reason_"):
            told = text("reason {n}", n=int(name.removeprefix("reason_")))
        named[said.text(told)] = values
    return named


def _with_classes(fitted: Fitted, rows: Table) -> tuple[Table, dict[str, Any]]:
    from vaglio.fitted.predictions import prediction_columns

    return rows, prediction_columns(fitted, rows)
