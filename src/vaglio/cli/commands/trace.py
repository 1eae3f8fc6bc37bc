"""``vaglio trace TABLE --target NAME --learner id3 [--row 'sunny,cool,high,true'] [--lang it] [--format html]``"""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli._options import Learner, Seed, Settings, UsageError, output_option, pair
from vaglio.cli._output import Answer
from vaglio.cli._reading import ReadingOptions
from vaglio.messages.sentences import did_you_mean

if TYPE_CHECKING:
    from vaglio.tracing import Trace


class Subject(StrEnum):
    """What the trace is about."""

    learner = "learner"
    metrics = "metrics"
    halves = "split"
    shattering = "shattering"
    vote = "vote"
    kernel = "kernel"


class TraceFormat(StrEnum):
    """How the trace is written."""

    text = "text"
    html = "html"
    latex = "latex"


_BY_SUFFIX = {".html": TraceFormat.html, ".htm": TraceFormat.html, ".tex": TraceFormat.latex}

TableOrNone = Annotated[
    str | None,
    typer.Argument(metavar="TABLE", help="A small table, or a bundled one by name; vote and kernel need none."),
]
About = Annotated[
    Subject, typer.Option("--about", "-a", help="What the trace is about: a learner, or one of the other subjects.")
]
Row = Annotated[
    str | None, typer.Option(metavar="VALUES", help="A row to classify: its values in the order of the columns.")
]
RowFile = Annotated[str | None, typer.Option(metavar="TABLE", help="A table with the row to classify.")]
Format = Annotated[
    TraceFormat | None, output_option("--format", "-f", help="By default as the file's name says, else text.")
]
Out = Annotated[
    Path | None, output_option("--out", "-o", metavar="FILE", help="Write to a file instead of standard output.")
]
MaxRows = Annotated[int, typer.Option(min=1, metavar="N", help="A larger table is refused.")]
MaxSteps = Annotated[
    int, typer.Option(min=1, metavar="N", help="The largest number of nodes, updates or rounds that are written out.")
]


def run(
    table: TableOrNone = None,
    *,
    reading: ReadingOptions,
    learner: Learner = "c45",
    settings: Settings = None,
    about: About = Subject.learner,
    row: Row = None,
    row_file: RowFile = None,
    max_rows: MaxRows = 200,
    max_steps: MaxSteps = 40,
    seed: Seed = 0,
    lang: str = "en",
    format: Format = None,
    out: Out = None,
) -> Answer:
    """Show the work of a learner on a small table, step by step, as in a lecture.

    Other subjects (--about): metrics, every figure computed from the confusion matrix (--set predicted=COLUMN of a
    table of predictions, or --set matrix=[[25,0],[20,5]]); split, a stratified split (--set test_size=0.5); shattering,
    all labellings of the points in a table; vote, the majority of n learners (--set error=1/3 --set learners=3);
    kernel, a kernel as a dot product (--set x=[1,2,3] --set z=[2,0,1]).
    """
    from vaglio import tracing
    from vaglio.cli._learners import make_learner
    from vaglio.errors import InputError
    from vaglio.runtime.files import check_writable

    if out is not None:
        check_writable(out)
    if about is Subject.learner:
        estimator = make_learner(learner, settings, seed, 1, textbook=True)
        data = reading.read(_needed(table, about))
        X, y = data.xy()
        if not X.columns:
            raise InputError(
                "beside-class-there-column",
                "beside the class {target!r} there is no column to learn from.",
                target=data.target,
            )
        work = tracing.trace(
            estimator, X, y, row=_row(reading, row, row_file), lang=lang, max_rows=max_rows, max_steps=max_steps
        )
    else:
        work = _other_subject(about, table, reading, settings, lang)
    return _answer(work, format or _BY_SUFFIX.get(out.suffix if out else "", TraceFormat.text), out)


def _other_subject(
    about: Subject, table: str | None, reading: ReadingOptions, settings: list[str] | None, lang: str
) -> Trace:
    from vaglio import tracing

    subjects: dict[Subject, Callable[..., Trace]] = {
        Subject.metrics: tracing.trace_metrics,
        Subject.halves: tracing.trace_split,
        Subject.shattering: tracing.trace_shattering,
        Subject.vote: tracing.trace_vote,
        Subject.kernel: tracing.trace_kernel,
    }
    work = subjects[about]
    given = _given(work, settings, about)
    if about is Subject.metrics and table is not None:
        data = reading.read(table)
        return work(data[data.target], data[given.pop("predicted", "predicted")], lang=lang, **given)
    if about is Subject.halves:
        return work(reading.read(_needed(table, about)).xy()[1], lang=lang, **given)
    if about is Subject.shattering:
        points = reading.read_rows(_needed(table, about)).to_frame().to_numpy()
        return work(points, lang=lang, **given)
    return work(lang=lang, **given)


def _given(work: Callable[..., Trace], settings: list[str] | None, about: Subject) -> dict[str, Any]:
    """The values of --set, as the subject takes them."""
    from vaglio.learners.parameter_text import parse_value

    known = set(inspect.signature(work).parameters) - {"lang", "y", "y_true", "y_pred", "points"}
    known |= {"predicted"} if about is Subject.metrics else set()
    pairs = dict(pair(text, "--set") for text in settings or [])
    for name in pairs:
        if name not in known:
            raise UsageError(
                "has-parameter",
                "{value} has no parameter {name!r}: {hint}",
                value=about.value,
                name=name,
                hint=did_you_mean(name, sorted(known), otherwise="it has"),
            )
    return {name: parse_value(value) for name, value in pairs.items()}


def _needed(table: str | None, about: Subject) -> str:
    if table is None:
        raise UsageError(
            "give-table-vaglio-trace", "give the table: vaglio trace TABLE --about {value}.", value=about.value
        )
    return table


def _row(reading: ReadingOptions, row: str | None, row_file: str | None) -> Any:
    if row is not None and row_file is not None:
        raise UsageError("choose-one-row-row", "choose one of --row and --row-file.")
    if row_file is not None:
        return reading.read_rows(row_file)
    return None if row is None else next(csv.reader([row], skipinitialspace=True))


def _answer(work: Trace, format: TraceFormat, out: Path | None) -> Answer:
    from vaglio.runtime.files import write_whole

    text: str = {"text": work.to_text, "html": work.to_html, "latex": work.to_latex}[format.value]()
    if out is None:
        return Answer(work.to_dict(), [text.rstrip("\n")])
    write_whole(out, text)
    return Answer({"out": str(out), "format": format.value}, [], [f"The trace is in {out}."])
