"""``vaglio trace TABLE --target NAME --learner id3 [--row 'sunny,cool,high,true'] [--lang it] [--format html]``"""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaglio.cli._options import LearnerOrDefault, Seed, Settings, UsageError, output_option, pair
from vaglio.cli._output import Answer
from vaglio.cli._reading import ReadingOptions
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean

if TYPE_CHECKING:
    from vaglio.document.animation import Animation
    from vaglio.tracing import Trace


class Subject(StrEnum):
    """What the trace is about."""

    learner = "learner"
    metrics = "metrics"
    halves = "split"
    shattering = "shattering"
    vote = "vote"
    kernel = "kernel"
    bayes = "bayes"
    event = "event"
    densities = "densities"
    roc = "roc"
    lift = "lift"
    folds = "folds"
    order = "order"
    imputation = "imputation"


class TraceFormat(StrEnum):
    """How the trace is written."""

    text = "text"
    html = "html"
    latex = "latex"


_BY_SUFFIX = {".html": TraceFormat.html, ".htm": TraceFormat.html, ".tex": TraceFormat.latex}

TableOrNone = Annotated[
    str | None,
    typer.Argument(
        metavar="TABLE",
        help="A small table, or the name of a bundled one; vote, kernel, bayes and densities need none.",
    ),
]
About = Annotated[
    Subject, typer.Option("--about", "-a", help="The subject of the trace: a learner, or one of the other subjects.")
]
Row = Annotated[
    str | None, typer.Option(metavar="VALUES", help="A row to classify: its values in the order of the columns.")
]
RowFile = Annotated[str | None, typer.Option(metavar="TABLE", help="A table with the row to classify.")]
Format = Annotated[
    TraceFormat | None, output_option("--format", "-f", help="By default, from the file's suffix, otherwise text.")
]
Out = Annotated[
    Path | None, output_option("--out", "-o", metavar="FILE", help="Write to a file instead of standard output.")
]
MaxRows = Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of rows of the table.")]
MaxSteps = Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of nodes, updates or rounds shown.")]
AllMeasures = Annotated[
    bool,
    typer.Option(
        "--all-measures",
        help="Trees: show gain, gain ratio and Gini index of every attribute, not only the measure of the learner.",
    ),
]


def run(
    table: TableOrNone = None,
    *,
    reading: ReadingOptions,
    learner: LearnerOrDefault = None,
    settings: Settings = None,
    about: About = Subject.learner,
    row: Row = None,
    row_file: RowFile = None,
    max_rows: MaxRows = 200,
    max_steps: MaxSteps = 40,
    all_measures: AllMeasures = False,
    seed: Seed = 0,
    lang: str = "en",
    format: Format = None,
    out: Out = None,
) -> Answer:
    """Show how a learner works on a small table, step by step.

    Other subjects (--about): metrics, every measure computed from the confusion matrix (--set predicted=COLUMN of a
    table of predictions, or --set matrix=[[25,0],[20,5]]); roc and lift, a table of predictions row by row (--set
    score=COLUMN --set positive=yes); folds, the rows of each round of cross-validation (--set folds=5, --set
    leave_one_out=true); split, a stratified split (--set test_size=0.5); order, the tree that tests attributes in a
    given order beside another (--set order=windy,humidity,outlook); imputation, missing values filled by forests,
    round by round; bayes, Bayes' theorem from given numbers (--set prior=[.3,.7] --set likelihood=[.8,.1]); event, the
    probability of any event of a table (--set "event=play=yes | humidity=high"); densities, a threshold between two
    normal densities (--set mean=[0,2] --set sd=[1,1]); kernel, a kernel as a dot product (--set x=[1,2,3] --set
    z=[2,0,1] --set kernel=poly); shattering, all labelings of the points in a table; vote, the majority of n learners
    (--set error=1/3 --set learners=3).
    """
    from vaglio import tracing
    from vaglio.cli._learners import check_learner, make_learner
    from vaglio.errors import InputError
    from vaglio.evaluation.selection.candidates import task_asked
    from vaglio.learners.registry import DEFAULT
    from vaglio.runtime.files import check_writable
    from vaglio.table import decide_task

    if out is not None:
        check_writable(out)
    chosen, animation = format or _BY_SUFFIX.get(out.suffix if out else "", TraceFormat.text), None
    if about is Subject.learner:
        check_learner(learner, settings, True, reading.task.value)
        data = reading.read(_needed(table, about))
        asked, able = task_asked(reading.task.value, [learner] if learner else None)
        assert data.target is not None
        task = decide_task(data.column(data.target), asked, able).task
        estimator = make_learner(learner or DEFAULT[task], settings, seed, 1, textbook=True, task=task)
        X, y = data.xy(task=task)
        if not X.columns:
            raise InputError(
                "only-target",
                "Besides the class {target!r} there is no column to learn from.",
                target=data.target,
            )
        work = tracing.trace(
            estimator,
            X,
            y,
            row=row_to_classify(reading, row, row_file),
            lang=lang,
            max_rows=max_rows,
            max_steps=max_steps,
            all_measures=all_measures,
        )
        if chosen is TraceFormat.html and len(y) <= tracing.tracer.MAX_ROWS:
            animation = tracing.make_animation(estimator, X, y, row=row_to_classify(reading, row, row_file), lang=lang)
    else:
        work = _other_subject(about, table, reading, settings, lang)
    return _answer(work, chosen, out, animation)


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
        Subject.bayes: tracing.trace_bayes,
        Subject.event: tracing.trace_event,
        Subject.densities: tracing.trace_densities,
        Subject.roc: tracing.trace_roc,
        Subject.lift: tracing.trace_lift,
        Subject.folds: tracing.trace_folds,
        Subject.order: tracing.trace_order,
        Subject.imputation: tracing.trace_imputation,
    }
    work = subjects[about]
    given = _given(work, settings, about)
    if about is Subject.metrics and table is not None:
        data = reading.read(table)
        return work(data[data.target], data[given.pop("predicted", "predicted")], lang=lang, **given)
    if about in (Subject.roc, Subject.lift):
        data = reading.read(_needed(table, about))
        score = given.pop("score", None) or f"p_{given.get('positive', '')}"
        return work(data[data.target], data[score], lang=lang, **given)
    if about in (Subject.order, Subject.imputation):
        return work(*reading.read(_needed(table, about)).xy(), lang=lang, **given)
    if about in (Subject.halves, Subject.folds):
        return work(reading.read(_needed(table, about)).xy()[1], lang=lang, **given)
    if about is Subject.event:
        return work(reading.read(_needed(table, about)), lang=lang, **given)
    if about is Subject.shattering:
        points = reading.read_rows(_needed(table, about)).to_frame().to_numpy()
        return work(points, lang=lang, **given)
    return work(lang=lang, **given)


def _given(work: Callable[..., Trace], settings: list[str] | None, about: Subject) -> dict[str, Any]:
    """The values of --set, as the subject takes them."""
    from vaglio.learners.parameter_text import parse_value

    known = set(inspect.signature(work).parameters) - {"lang", "y", "y_true", "y_pred", "points", "X"}
    known |= {"predicted"} if about is Subject.metrics else set()
    pairs = dict(pair(given, "--set") for given in settings or [])
    for name in pairs:
        if name not in known:
            raise UsageError(
                "unknown-subject-parameter",
                "{value} has no parameter {name!r}: {hint}",
                value=about.value,
                name=name,
                hint=did_you_mean(name, sorted(known), otherwise=text("it has")),
            )
    return {name: parse_value(value) for name, value in pairs.items()}


def _needed(table: str | None, about: Subject) -> str:
    if table is None:
        raise UsageError(
            "trace-without-table", "Give the table: vaglio trace TABLE --about {value}.", value=about.value
        )
    return table


def row_to_classify(reading: ReadingOptions, row: str | None, row_file: str | None) -> Any:
    """The row that --row or --row-file gives, if any."""
    if row is not None and row_file is not None:
        raise UsageError("row-and-row-file", "Use either --row or --row-file, not both.")
    if row_file is not None:
        return reading.read_rows(row_file)
    return None if row is None else next(csv.reader([row], skipinitialspace=True))


def _answer(work: Trace, format: TraceFormat, out: Path | None, animation: Animation | None) -> Answer:
    from vaglio.runtime.files import write_whole

    if format is TraceFormat.html:
        written = work.to_html(animation)
    else:
        written = work.to_latex() if format is TraceFormat.latex else work.to_text()
    if out is None:
        return Answer(work.to_dict(), [written.rstrip("\n")])
    write_whole(out, written)
    return Answer({"out": str(out), "format": format.value}, [], [text("The trace is in {out}.", out=out)])
