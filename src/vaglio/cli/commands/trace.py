"""``vaglio trace TABLE --target NAME --learner id3 [--row 'sunny,cool,high,true'] [--lang it] [--format html]``"""

from __future__ import annotations

import inspect
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli import _options as options
from vaglio.cli._session import Answer, UsageError


class Subject(StrEnum):
    """What is worked out."""

    learner = "learner"
    metrics = "metrics"
    halves = "split"
    shattering = "shattering"
    vote = "vote"
    kernel = "kernel"


class TraceFormat(StrEnum):
    """How the work is written."""

    text = "text"
    html = "html"
    latex = "latex"


class Language(StrEnum):
    """In which language."""

    en = "en"
    it = "it"


_BY_SUFFIX = {".html": TraceFormat.html, ".htm": TraceFormat.html, ".tex": TraceFormat.latex}

TableOrNone = Annotated[
    str | None,
    typer.Argument(metavar="TABLE", help="A small table; vote and kernel need none; - reads standard input."),
]
About = Annotated[
    Subject, typer.Option("--about", "-a", help="What is worked out: a learner, or one of the other subjects.")
]
Row = Annotated[
    str | None, typer.Option(metavar="VALUES", help="A row to classify: its values in the order of the columns.")
]
RowFile = Annotated[str | None, typer.Option(metavar="TABLE", help="A table with the row to classify.")]
Lang = Annotated[Language, typer.Option(help="English or Italian.")]
Format = Annotated[
    TraceFormat | None,
    typer.Option(
        "--format", "-f", help="By default as the file's name says, else text.", rich_help_panel=options.OUTPUT
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write to a file instead of standard output.", rich_help_panel=options.OUTPUT),
]
MaxRows = Annotated[int, typer.Option(min=1, metavar="N", help="A larger table is refused.")]
MaxSteps = Annotated[int, typer.Option(min=1, metavar="N", help="Nodes, updates or rounds that are written out.")]


def run(
    table: TableOrNone = None,
    target: options.Target = None,
    learner: options.Learner = "c45",
    settings: options.Settings = None,
    about: About = Subject.learner,
    row: Row = None,
    row_file: RowFile = None,
    nominal: options.Nominal = None,
    identifier: options.Identifier = None,
    keep: options.Keep = None,
    ignore: options.Ignore = None,
    levels: options.Levels = None,
    missing: options.Missing = None,
    read: options.ReadHow = None,
    max_rows: MaxRows = 200,
    max_steps: MaxSteps = 40,
    seed: options.Seed = 0,
    lang: Lang = Language.en,
    format: Format = None,
    out: Out = None,
) -> Answer:
    """Show the work of a learner on a small table, step by step, as in a lecture.

    Other subjects (--about): metrics, the confusion matrix worked into each figure (--set predicted=COLUMN of a table
    of predictions, or --set matrix=[[25,0],[20,5]]); split, a stratified split (--set test_size=0.5); shattering, all
    labellings of the points in a table; vote, the majority of n learners (--set error=1/3 --set learners=3); kernel, a
    kernel as a dot product (--set x=[1,2,3] --set z=[2,0,1]).
    """
    from vaglio import tracing
    from vaglio.cli import _settings
    from vaglio.errors import InputError

    reading = options.Reading(nominal, identifier, ignore, levels, missing, read, keep)
    if about is Subject.learner:
        estimator = _settings.make_learner(learner, settings, seed, 1)
        data = reading.read(_needed(table, about), target)
        X, y = data.xy()
        if not X.columns:
            raise InputError(f"beside the class {data.target!r} there is no column to learn from.")
        work = tracing.trace(
            estimator, X, y, row=_row(reading, row, row_file), lang=lang, max_rows=max_rows, max_steps=max_steps
        )
    else:
        work = _other_subject(about, table, target, reading, settings, lang)
    return _answer(work, format or _BY_SUFFIX.get(out.suffix if out else "", TraceFormat.text), out)


def _other_subject(
    about: Subject, table: str | None, target: str | None, reading: options.Reading, settings: Any, lang: str
) -> Any:
    from vaglio import tracing

    work: Any = {
        Subject.metrics: tracing.trace_metrics,
        Subject.halves: tracing.trace_split,
        Subject.shattering: tracing.trace_shattering,
        Subject.vote: tracing.trace_vote,
        Subject.kernel: tracing.trace_kernel,
    }[about]
    given = _given(work, settings, about)
    if about is Subject.metrics and table is not None:
        data = reading.read(table, target)
        data.xy()  # says so when the target is not there
        return work(data[data.target], data[given.pop("predicted", "predicted")], lang=lang, **given)
    if about is Subject.halves:
        return work(reading.read(_needed(table, about), target).xy()[1], lang=lang, **given)
    if about is Subject.shattering:
        return work(
            reading.read(_needed(table, about), None, target_needed=False).to_frame().to_numpy(), lang=lang, **given
        )
    return work(lang=lang, **given)


def _given(work: Any, settings: list[str] | None, about: Subject) -> dict[str, Any]:
    """The values of --set, as the subject takes them."""
    from vaglio.cli._settings import parse_value

    known = set(inspect.signature(work).parameters) - {"lang", "y", "y_true", "y_pred", "points"}
    known |= {"predicted"} if about is Subject.metrics else set()
    pairs = dict(options.pair(text, "--set") for text in settings or [])
    for name in pairs:
        if name not in known:
            raise UsageError(f"{about.value} has no parameter {name!r}: it has {', '.join(sorted(known))}.")
    return {name: parse_value(value) for name, value in pairs.items()}


def _needed(table: str | None, about: Subject) -> str:
    if table is None:
        raise UsageError(f"give the table: vaglio trace TABLE --about {about.value}.")
    return table


def _row(reading: options.Reading, row: str | None, row_file: str | None) -> Any:
    if row is not None and row_file is not None:
        raise UsageError("choose one of --row and --row-file.")
    if row_file is not None:
        return reading.read(row_file, None, target_needed=False)
    if row is None:
        return None
    import csv

    return next(csv.reader([row], skipinitialspace=True))


def _answer(work: Any, format: TraceFormat, out: Path | None) -> Answer:
    text = getattr(work, f"to_{format.value}")()
    from vaglio.runtime.files import write_whole

    if out is None:
        return Answer(work.to_dict(), [text.rstrip("\n")])
    write_whole(out, text)
    return Answer({"out": str(out), "format": format.value}, [], [f"The work is in {out}."])
