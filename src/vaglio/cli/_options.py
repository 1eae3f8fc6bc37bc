"""Options that several commands have, each declared once.

A topic with several options is a dataclass, for instance ``EvaluationOptions``. A command takes it as one parameter;
``flat_parameters`` puts the fields of the dataclass in its place in the signature that typer reads, and ``grouped``
makes the dataclass from the values that typer hands over. The alternative, one parameter per option in every command,
repeated the same twenty lines in ten files.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import partial
from glob import iglob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from vaglio.learners.registry import DEFAULT, LEARNERS, ONE_PER_FAMILY, REGRESSORS
from vaglio.messages.message import Message, text

if TYPE_CHECKING:
    from vaglio.evaluation.acceptance import Criterion
    from vaglio.evaluation.training import EvaluationPlan
    from vaglio.fitted import Fitted
    from vaglio.model.families import Task
    from vaglio.table import ScannedTable, Table

# Later versions of typer ship their own click, earlier ones use the separate package; this is the public way to the
# class in both.
ClickUsageError: Any = typer.BadParameter.__base__


class UsageError(ClickUsageError):
    """Wrong use of the command line.

    Parameters
    ----------
    code : str or Message
        The code of the message, or a whole message.
    template : str, optional
        The English template.
    ctx : click.Context, optional
        The command whose help is named.
    **values
        What the fields of the template stand for.
    """

    def __init__(self, code: str, template: str | None = None, /, ctx: Any = None, **values: Any) -> None:
        super().__init__(code if template is None else Message(code, template, **values), ctx)


# Help with values in it: English text -> message.
_HELP: dict[str, Message] = {}


def option_help(template: str, **values: Any) -> str:
    """Help that names values, such as all learners; typer keeps its text alone."""
    said = text(template, **values)
    _HELP[str(said)] = said
    return said


def help_text(english: str | None) -> str:
    """The help of an option or a command in the language of the reader."""
    from vaglio.cli._output import locale

    said = locale()
    return said.text(_HELP[english]) if english in _HELP else said.translated(english or "")


# One panel of the help per topic.
table_option = partial(typer.Option, rich_help_panel="The table")
learning_option = partial(typer.Option, rich_help_panel="Learning")
evaluation_option = partial(typer.Option, rich_help_panel="Evaluation")
_OUTPUT = "Output"
output_option = partial(typer.Option, rich_help_panel=_OUTPUT)
GENERAL = "General"
general_option = partial(typer.Option, rich_help_panel=GENERAL)


def has_files(source: str) -> bool:
    """Return whether a TABLE is a folder with files, or a pattern that some fit, such as rows/*.parquet."""
    path = Path(source)
    return any(path.iterdir()) if path.is_dir() else not path.exists() and next(iglob(source), None) is not None


_ALL_LEARNERS = tuple(dict.fromkeys((*LEARNERS, *REGRESSORS)))


def complete_learner(incomplete: str) -> list[tuple[str, str]]:
    """Ids of learners for the shell, with one line of help each."""
    known = {**REGRESSORS, **LEARNERS}
    return [(name, known[name].help) for name in _ALL_LEARNERS if name.startswith(incomplete)]


TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help=(
            "A CSV, TSV, Parquet, Arrow, JSON Lines, ARFF or Excel file; - for standard input; or the "
            "name of a bundled table."
        ),
    ),
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by train, tune or select.")]
Target = Annotated[
    str | None,
    table_option(
        "--target", "-t", metavar="COLUMN", help="The column to predict, by name or position (-1 is the last)."
    ),
]


class AskedTask(StrEnum):
    """What is predicted."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


TaskOption = Annotated[
    AskedTask,
    table_option("--task", help="Predict classes or numbers; by default, what the values of the target ask for."),
]
learner_option = partial(learning_option, "--learner", "-l", metavar="ID", autocompletion=complete_learner)
_NAMES = ", ".join(sorted(_ALL_LEARNERS))
LearnerOrDefault = Annotated[
    str | None,
    learner_option(
        help=option_help(
            "The learner: {names}. Default: {classes}, or {numbers} to predict numbers.",
            names=_NAMES,
            classes=DEFAULT["classification"],
            numbers=DEFAULT["regression"],
        )
    ),
]
Learners = Annotated[
    list[str] | None,
    learner_option(
        help=option_help(
            "A learner to try; may be repeated; 'all' for all of {names}. Default, one per family: {classes}; to "
            "predict numbers: {numbers}.",
            names=_NAMES,
            classes=", ".join(ONE_PER_FAMILY["classification"]),
            numbers=", ".join(ONE_PER_FAMILY["regression"]),
        ),
    ),
]
settings_option = partial(learning_option, "--set", metavar="NAME=VALUE")
Settings = Annotated[
    list[str] | None, settings_option(help="A parameter of the learner, e.g. max_depth=5; may be repeated.")
]
Textbook = Annotated[
    bool, learning_option("--textbook", help="Parameters as the textbook has them; inspect and the docs explain each.")
]
Seed = Annotated[int, learning_option(min=0, metavar="N", help="Seed of the random number generator.")]
Jobs = Annotated[int, learning_option("--jobs", "-j", metavar="N", help="Number of threads; -1 uses all CPUs.")]
TestFile = Annotated[
    str | None, evaluation_option("--test", metavar="TABLE", help="Evaluate on the rows of another table.")
]
Split = Annotated[
    str | None,
    evaluation_option(
        "--split",
        metavar="A-B",
        help=(
            "The hold-out split as percentages of training and test rows: 80-20, 67-33, 50-50 or any "
            "two that sum to 100."
        ),
    ),
]
Cost = Annotated[
    str | None,
    evaluation_option(
        metavar="FILE",
        help=(
            "The cost matrix: a CSV file with the predicted classes in the first row and the true "
            "classes in the first column. For numbers, the costs of a unit of error: over=1,under=3."
        ),
    ),
]


@dataclass(frozen=True)
class CostOptions:
    """The costs of errors: as a file, or of two classes in words."""

    cost: Cost = None
    cost_missed: Annotated[
        float | None,
        evaluation_option(
            metavar="X", help="With two classes: cost of missing a row of the class to find (--positive)."
        ),
    ] = None
    cost_alarm: Annotated[
        float | None, evaluation_option(metavar="X", help="With two classes: cost of a false alarm.")
    ] = None
    cost_right: Annotated[
        float | None,
        evaluation_option(metavar="X", help="With two classes: cost of a right alarm, such as a call; 0 by default."),
    ] = None
    positive: Annotated[
        str | None,
        evaluation_option(
            metavar="LABEL", help="The class to find, with two classes: that of curves, rates and costs; the last."
        ),
    ] = None

    def __post_init__(self) -> None:
        words = {"missed": self.cost_missed, "alarm": self.cost_alarm, "right": self.cost_right}
        given = {name: cost for name, cost in words.items() if cost is not None}
        if not given:
            return
        if self.cost is not None:
            raise UsageError("cost-file-and-words", "Use either --cost FILE, or --cost-missed and --cost-alarm.")
        if not {"missed", "alarm"} <= set(given):
            raise UsageError("cost-words-incomplete", "--cost-missed and --cost-alarm need each other.")
        of = {} if self.positive is None else {"of": self.positive}
        said = {name: f"{cost:.15g}" for name, cost in given.items()} | of
        object.__setattr__(self, "cost", ",".join(f"{name}={value}" for name, value in said.items()))

    def said(self) -> list[str]:
        """The options that say the same, for a command that follows."""
        return [] if self.cost is None else ["--cost", self.cost]


class Deciding(StrEnum):
    """How a model with costs decides."""

    cost = "cost"
    argmax = "argmax"


Decide = Annotated[
    Deciding | None,
    evaluation_option(
        "--decide",
        help=("How a model with costs decides: by least expected cost (default) or by the highest probability."),
    ),
]
Threshold = Annotated[
    str | None,
    evaluation_option(
        "--threshold",
        metavar="[CLASS=]P",
        help="Predict CLASS, one of two (by default the last), from this probability, e.g. 0.3 or yes=0.3.",
    ),
]
Accept = Annotated[
    str | None,
    evaluation_option(
        "--accept",
        metavar="CRITERION",
        help=(
            "Accept or reject the model by a criterion, e.g. 'f1>=0.8 and recall[yes]>=0.9' or 'rmse<3'. The "
            "exit code is 3 if it is rejected."
        ),
    ),
]
# The exit code of a model that its criterion rejects.
REJECTED = 3
# --out of a command that writes rows, not a result.
RowsFile = Annotated[
    str,
    output_option("--out", "-o", metavar="FILE", help="A .csv, .parquet or .jsonl file; - is standard output."),
]


ForSpreadsheet = Annotated[
    bool,
    output_option(
        "--for-spreadsheet",
        help=("In CSV, put an apostrophe before cells that a spreadsheet would run as a formula (=, +, -, @)."),
    ),
]


def out_option(suffixes: str) -> Any:
    """``--out``, for a command that writes its result to files with these suffixes."""
    return output_option(
        "--out",
        "-o",
        metavar="FILE",
        help=option_help("Also write the result to a file: {suffixes}; may be repeated.", suffixes=suffixes),
    )


@dataclass(frozen=True)
class EvaluationOptions(CostOptions):
    """How a model is evaluated: on which rows, with which costs and which positive class."""

    test: TestFile = None
    folds: Annotated[
        int | None,
        evaluation_option(min=2, metavar="N", help="Evaluate by cross-validation with N folds."),
    ] = None
    holdout: Annotated[
        float | None,
        evaluation_option(metavar="SHARE", help="Evaluate on a hold-out set with this share of the rows, e.g. 0.3."),
    ] = None
    split: Split = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "holdout", holdout_of(self.holdout, self.split))
        check_test_rows(self.test, self.folds, self.holdout)

    @property
    def wanted(self) -> bool:
        """Whether the options name rows to evaluate on."""
        return any(value is not None for value in (self.test, self.folds, self.holdout))

    def plan(self, test: Table | ScannedTable | None, seed: int) -> EvaluationPlan:
        """The rows to evaluate on, once the test table has been read."""
        from vaglio.evaluation.training import EvaluationPlan

        return EvaluationPlan(self.folds, self.holdout, test, seed)


@dataclass(frozen=True)
class RepeatedEvaluationOptions(EvaluationOptions):
    """How a learner is evaluated, several draws of the test rows among the ways."""

    repeat: Annotated[
        int,
        evaluation_option(min=1, metavar="N", help="Draw the folds, or the hold-out set, N times: mean and spread."),
    ] = 1
    loo: Annotated[
        bool, evaluation_option("--loo", help="Evaluate by leave-one-out cross-validation: as many folds as rows.")
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.loo and super().wanted:
            raise UsageError("loo-with-other", "Use only one of --loo, --test, --folds, --holdout and --split.")
        if self.repeat > 1 and self.folds is None and self.holdout is None:
            raise UsageError("repeat-alone", "--repeat needs --folds, --holdout or --split.")

    @property
    def wanted(self) -> bool:
        """Whether the options name rows to evaluate on."""
        return self.loo or super().wanted

    @property
    def several(self) -> bool:
        """Whether several models are trained."""
        return self.loo or self.repeat > 1 or self.folds is not None

    def plan(self, test: Table | ScannedTable | None, seed: int) -> EvaluationPlan:
        """The rows to evaluate on, once the test table has been read."""
        return replace(super().plan(test, seed), repeat=self.repeat, leave_one_out=self.loo)


def threshold_of(given: str, labels: list[Any], positive: Any = None) -> tuple[float, Any]:
    """What ``--threshold`` says: the probability, and the class."""
    from vaglio.evaluation.labels import find_label

    name, equals, number = given.rpartition("=")
    try:
        threshold = float(number)
    except ValueError:
        raise UsageError(
            "threshold-not-number", "--threshold takes a probability, as 0.3 or yes=0.3; got {given!r}.", given=given
        ) from None
    return threshold, find_label(name, labels) if equals else positive


def decided(fitted: Fitted, cost: str | None, decide: Deciding | None, threshold: str | None = None) -> Fitted:
    """The model as ``--cost``, ``--decide`` and ``--threshold`` want it."""
    if threshold is not None:
        if cost is not None or decide is not None:
            raise UsageError("threshold-and-costs", "Use either --threshold, or --cost and --decide.")
        if fitted.classes is None:
            raise UsageError(
                "threshold-needs-model-of-classes",
                "--threshold applies to models that predict classes. This model predicts numbers.",
            )
        return fitted.with_threshold(*threshold_of(threshold, fitted.classes.tolist()))
    if cost is not None and fitted.classes is None:
        raise UsageError(
            "cost-needs-classes", "--cost applies to models that predict classes. This model predicts numbers."
        )
    if decide is Deciding.cost and cost is None and fitted.cost is None:
        raise UsageError("no-costs", "--decide cost: the model has no costs. Give them with --cost FILE.")
    if cost is not None:
        fitted = fitted.with_cost(cost)
    return fitted if decide is None else fitted.with_decision_rule(decide.value)


def holdout_of(holdout: float | None, split: str | None) -> float | None:
    """The share that ``--holdout`` gives, or ``--split`` by percentages."""
    if split is None:
        return holdout
    if holdout is not None:
        raise UsageError("split-and-holdout", "Use either --split or --holdout, not both.")
    from vaglio.errors import InputError
    from vaglio.evaluation.selection.splits import test_share

    try:
        return test_share(split)
    except InputError as error:
        raise UsageError("invalid-split", "--split: {error}", error=error) from None


def criterion(text: str | None) -> Criterion | None:
    """What ``--accept`` says; a slip in it is wrong use of the command."""
    from vaglio.errors import InputError
    from vaglio.evaluation.acceptance import Criterion

    try:
        return None if text is None else Criterion(text)
    except InputError as error:
        raise UsageError("invalid-criterion", "--accept: {error}", error=error) from None


def check_criterion(wanted: Criterion | None, task: Task) -> None:
    """Refuse a criterion on measures of the other task, before the training."""
    from vaglio.errors import InputError

    if wanted is not None:
        try:
            wanted.check_task(task)
        except InputError as error:
            raise UsageError("invalid-criterion", "--accept: {error}", error=error) from None


def check_options(wanted: Criterion | None, evaluating: EvaluationOptions, task: Task) -> None:
    """Refuse what is asked of an evaluation of the other task, before the training."""
    check_criterion(wanted, task)
    if task == "regression" and evaluating.positive is not None:
        raise UsageError("positive-of-numbers", "--positive names a class, and numbers are predicted here.")


def check_test_rows(test: str | None, folds: int | None, holdout: float | None) -> None:
    """Refuse two ways to evaluate at once, and a share that is none."""
    if sum(value is not None for value in (test, folds, holdout)) > 1:
        raise UsageError("several-evaluation-options", "Use only one of --test, --folds, --holdout and --split.")
    if holdout is not None and not 0 < holdout < 1:
        raise UsageError(
            "holdout-out-of-range",
            "--holdout must be a share between 0 and 1, such as 0.3; got {holdout:g}.",
            holdout=holdout,
        )


# -- groups of options -------------------------------------------------------------------------------------------------
def flat_parameters(command: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a command, each group of options replaced by its options."""
    found: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        found += option_parameters(parameter.annotation) or [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    return found


def option_parameters(group: Any) -> list[inspect.Parameter]:
    """The options of a group, those of groups inside it among them; none for what is no group."""
    found: list[inspect.Parameter] = []
    for name, hint, default in _options_of(group):
        alone = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        found += option_parameters(hint) or [alone]
    return found


def grouped(command: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a command from the values of the single options."""
    parameters = inspect.signature(command, eval_str=True).parameters
    return {name: _value(name, parameter.annotation, given) for name, parameter in parameters.items()}


def _value(name: str, hint: Any, given: dict[str, Any]) -> Any:
    options = _options_of(hint)
    return hint(**{field: _value(field, inner, given) for field, inner, _ in options}) if options else given[name]


def _options_of(group: Any) -> list[tuple[str, Any, Any]]:
    if not (isinstance(group, type) and is_dataclass(group)):
        return []
    hints = get_type_hints(group, include_extras=True)
    return [(field.name, hints[field.name], field.default) for field in fields(group)]


# -- files of a command -----------------------------------------------------------------------------------------------
def files_read(parameters: Sequence[inspect.Parameter], given: Mapping[str, Any]) -> list[str]:
    """Return what a command may read: every text it is given that is no file to be written.

    Most of these texts are no files at all, as the name of the class column; of those nothing has to be protected. Two
    options that write the same file are refused: the second would replace what the first wrote.
    """
    read: list[str] = []
    written: dict[str, str] = {}
    for parameter in parameters:
        value = given.get(parameter.name)
        texts = [str(one) for one in (value if isinstance(value, list) else [value]) if isinstance(one, (str, Path))]
        option = parameter.annotation.__metadata__[0]
        if not (option.rich_help_panel == _OUTPUT and option.metavar == "FILE"):
            read += texts
            continue
        for given_file in texts:
            try:
                os.fsencode(given_file)
            except UnicodeEncodeError:
                raise UsageError(
                    "invalid-file-name",
                    "{given!a} cannot be a file name: it contains half of a surrogate pair.",
                    given=given_file,
                ) from None
            if given_file != "-" and written.setdefault(os.path.realpath(given_file), parameter.name) != parameter.name:
                raise UsageError(
                    "file-written-twice",
                    "Two options write to {given}. Give each its own file.",
                    given=given_file,
                )
    return read


# -- words of options --------------------------------------------------------------------------------------------------
def pair(text: str, option: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError("not-name-value", "{option} takes NAME=VALUE; got {given!r}.", option=option, given=text)
    return name.strip(), value.strip()
