"""Families of learners and the kinds of models they learn: what the rest of the package may ask of a family.

A family is a folder of ``vaglio/learners``. Its record says which kinds of models and which learners it has and, for
each task that differs by kind, where the functions are: every field is a function that imports them and returns them by
name, so that a program that uses one family does not load the others. The packages that define a task look its function
up in a :class:`Lookup` and know no family.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from vaglio.errors import InputError, ModelFileError, damaged_model_file
from vaglio.messages.message import text

if TYPE_CHECKING:  # the command line reads the records before it needs NumPy
    from vaglio.encode import Feature
    from vaglio.model.base import Model

__all__ = [
    "KINDS",
    "TASKS",
    "Choice",
    "Family",
    "Kind",
    "Learner",
    "Lookup",
    "Task",
    "add_family",
    "families",
    "family_of",
    "model_class",
    "read_model",
    "remove_family",
    "usual_settings",
]

F = TypeVar("F")

# What a learner predicts.
Task = Literal["classification", "regression"]

# What can be done with a model. A kind that cannot take part in one of these gives the reason in ``Kind.without``.
TASKS = ("file", "explanation", "counterfactual", "trace", "chapter", "export")


class Kind(NamedTuple):
    """Facts about a kind of model.

    Attributes
    ----------
    name : str
        As written in the model file.
    missing : str or None
        How the model treats missing values, as in "missing values of age: left out"; None where the explanation
        itself says it. A message.
    readable : bool
        Whether a person can read the whole model.
    cost : int
        How long a prediction takes, in predictions of a single tree (order of magnitude). It decides how many rows
        the slow procedures try.
    sparse : bool
        Whether it predicts the rows of a sparse matrix.
    text : bool
        Whether it reads columns of free text itself; other kinds have columns of single words instead.
    without : mapping of str to str
        Task of :data:`TASKS` -> why it does not apply to this kind, as a message: a clause with subject and verb.
    """

    name: str
    missing: str | None = None
    readable: bool = False
    cost: int = 1
    sparse: bool = False
    text: bool = False
    without: Mapping[str, str] = {}


class Choice(NamedTuple):
    """A parameter as the textbook has it.

    Attributes
    ----------
    value : object
    why : str
        What differs from the default, in one sentence; a message.
    """

    value: Any
    why: str


class Learner(NamedTuple):
    """One record of the registry.

    Attributes
    ----------
    id : str
        As typed on the command line, and as stored in the model file.
    kind : str
        The kind of model it learns, one of :data:`vaglio.model.families.KINDS`.
    estimators : callable
        Imports and returns the classes of estimators by id, its own among them.
    help : str
        What it is, in one line; a message.
    search_space : dict of str to list
        Parameter -> values to try when tuning.
    readable : bool or None
        Whether a person can read its models; None: as other models of the kind.
    counts_words : bool
        Whether free text is its natural input, so that a trace shows it.
    settings : dict of str to object
        Parameters that ``make`` gives unless told otherwise, where the class keeps the default of scikit-learn or of a
        textbook and a table is served better by another value.
    textbook : dict of str to Choice
        Parameters as the textbook has them, where the default of the class differs. Traces use them: what draws rows
        and columns at random could not be followed by hand.
    name : str
        What a lecture calls it; a message.
    when : str
        When to use it, in one sentence; a message.
    task : {"classification", "regression"}
        What it predicts. One idea that serves both has two records of one id.
    quantile : callable or None
        From a share to the parameters by which it predicts this quantile of the numbers; None if it has none.
    """

    id: str
    kind: str
    estimators: Callable[[], Mapping[str, type]]
    help: str
    search_space: Mapping[str, list[Any]] = {}
    readable: bool | None = None
    counts_words: bool = False
    settings: Mapping[str, Any] = {}
    textbook: Mapping[str, Choice] = {}
    name: str = ""
    when: str = ""
    task: Task = "classification"
    quantile: Callable[[float], Mapping[str, Any]] | None = None

    @property
    def cls(self) -> Any:
        """The estimator class."""
        return self.estimators()[self.id]

    @property
    def family(self) -> str:
        """The family of its models."""
        found = family_of(self.kind)
        return "" if found is None else found.name

    @property
    def is_readable(self) -> bool:
        """Whether a person can read its models from beginning to end."""
        return KINDS[self.kind].readable if self.readable is None else self.readable

    def make(self, *, textbook: bool = False, **params: Any) -> Any:
        """Return a new estimator.

        Parameters
        ----------
        textbook : bool, default=False
            Whether the others are as in the textbook.
        **params : object
            Parameters of the estimator; the others are the ``settings``, or the defaults of the class.
        """
        given = {name: choice.value for name, choice in self.textbook.items()} if textbook else self.settings
        return self.cls(**{**given, **params})


def _none() -> Mapping[str, Any]:
    return {}


class Family(NamedTuple):
    """A family of learners.

    Attributes
    ----------
    name : str
    kinds : tuple of Kind
    learners : tuple of Learner
    models : callable
        Imports and returns the classes of the models, by kind.
    explain : callable
        Why each row got its class, by kind. Every kind needs one.
    counterfactual : callable
        The smallest change that gives a row another class, by kind, where the structure of the model shows a way that
        is better or faster than the search that serves every kind.
    cuts, leaves : callable
        The numbers at which a decision changes, by column; the leaf of each row in each tree. By kind.
    export : callable
        How a model becomes tables of numbers (:class:`~vaglio.export.export_node.Exporter`), by kind.
    formats : callable
        Further formats, each with the function that writes it, by kind.
    show : callable
        The model in a notebook, by kind.
    coefficients : callable
        Which class each output of a linear model favours, by kind.
    compile_row : callable
        The model compiled for single rows, by kind.
    chapter : callable
        What the model has learned, as a chapter of the report, by kind.
    trace, trace_numbers, animate : callable
        The work of a learner of classes and of one of numbers step by step, and as pictures; by the id of the learner.
    stepwise : tuple of str
        Ids of the learners whose n-th picture belongs to the n-th step of their trace.
    """

    name: str
    kinds: tuple[Kind, ...]
    learners: tuple[Learner, ...]
    models: Callable[[], Mapping[str, type[Model]]]
    explain: Callable[[], Mapping[str, Any]] = _none
    counterfactual: Callable[[], Mapping[str, Any]] = _none
    cuts: Callable[[], Mapping[str, Any]] = _none
    leaves: Callable[[], Mapping[str, Any]] = _none
    export: Callable[[], Mapping[str, Any]] = _none
    formats: Callable[[], Mapping[str, Any]] = _none
    show: Callable[[], Mapping[str, Any]] = _none
    coefficients: Callable[[], Mapping[str, Any]] = _none
    compile_row: Callable[[], Mapping[str, Any]] = _none
    chapter: Callable[[], Mapping[str, Any]] = _none
    trace: Callable[[], Mapping[str, Any]] = _none
    trace_numbers: Callable[[], Mapping[str, Any]] = _none
    animate: Callable[[], Mapping[str, Any]] = _none
    stepwise: tuple[str, ...] = ()


_known: dict[str, Family] = {}
_lock = threading.Lock()  # the threads of a service may ask first at the same time


def families() -> dict[str, Family]:
    """Return all families by name, in the order in which they are listed."""
    if not _known:
        # The list stands below, beside the families, and this package must not import it: it is found by its name.
        listed = importlib.import_module("vaglio.learners.families").FAMILIES
        with _lock:
            for family in listed:
                _known.setdefault(family.name, family)
    return _known


def add_family(family: Family) -> Family:
    """Make a family known, so that its model files can be read and its models explained, exported and shown.

    Parameters
    ----------
    family : Family

    Returns
    -------
    Family
        The same record.
    """
    if family.name in families():
        raise InputError(
            "family-exists", "There already is a family {family!r}. Choose another name.", family=family.name
        )
    for kind in family.kinds:
        if kind.name in KINDS:
            raise InputError(
                "kind-exists", "There already is a kind of model {kind!r}. Choose another name.", kind=kind.name
            )
        unknown = set(kind.without) - set(TASKS)
        if unknown:
            from vaglio.messages.sentences import did_you_mean

            raise InputError(
                "unknown-task-of-kind",
                "The kind {kind!r} names the unknown task {task!r}: {hint}",
                kind=kind.name,
                task=min(unknown),
                hint=did_you_mean(min(unknown), TASKS),
            )
    _known[family.name] = family
    return family


def remove_family(name: str) -> None:
    """Forget a family that was added from outside.

    Parameters
    ----------
    name : str
    """
    del _known[name]


class _Kinds(Mapping[str, Kind]):
    """All kinds of models by name."""

    def __getitem__(self, name: str) -> Kind:
        for family in families().values():
            for kind in family.kinds:
                if kind.name == name:
                    return kind
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (kind.name for family in families().values() for kind in family.kinds)

    def __len__(self) -> int:
        return sum(len(family.kinds) for family in families().values())


KINDS: Mapping[str, Kind] = _Kinds()


def family_of(kind: str) -> Family | None:
    """Return the family of a kind of model; None if there is no such kind.

    Parameters
    ----------
    kind : str
    """
    found = (family for family in families().values() if any(kind == own.name for own in family.kinds))
    return next(found, None)


def usual_settings(learner: str) -> Mapping[str, Any]:
    """Return the parameters that a classifier is given by its id where its class has other defaults.

    Parameters
    ----------
    learner : str
        Id of the learner; of an unknown one there are none.
    """
    entries = (entry for family in families().values() for entry in family.learners)
    found = (entry.settings for entry in entries if entry.id == learner and entry.task == "classification")
    return next(found, {})


def model_class(kind: Any) -> type[Model]:
    """Return the class that reads models of this kind. Only what a family lists can be loaded from a file."""
    family = family_of(kind) if isinstance(kind, str) else None
    if family is None:
        raise ModelFileError(
            "unknown-kind-of-model",
            "The file holds a model of the unknown kind {kind!r}. It may come from a later version of vaglio.",
            kind=kind,
        )
    return family.models()[kind]


def read_model(
    kind: Any, arrays: dict[str, Any], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
) -> Model:
    """Return the model that a file holds, alone or as the member of another one.

    Parameters
    ----------
    kind : str
        As written in the file.
    arrays, meta : dict
        What ``state`` of the model gave.
    features : tuple of Feature
    n_classes : int
    """
    read = model_class(kind).from_state
    if not KINDS[kind].text and any(feature.kind == "text" for feature in features):
        raise damaged_model_file(text("its kind of model takes no free text"))
    return read(arrays, meta, features, n_classes)


class Lookup(Generic[F]):
    """The functions of one task, found by kind of model or by id of learner.

    Parameters
    ----------
    task : callable
        Which field of a family holds the functions of the task.

    Examples
    --------
    >>> from vaglio.model.families import Lookup
    >>> explainers = Lookup(lambda family: family.explain)
    >>> explainers.find("tree").__name__
    'explain_tree'
    >>> explainers.find("no such kind") is None
    True
    """

    def __init__(self, task: Callable[[Family], Callable[[], Mapping[str, F]]]) -> None:
        self._task = task

    def find(self, name: str, family: Family | None = None) -> F | None:
        """Return the function for a name, or None: what that means is for the caller to say.

        Parameters
        ----------
        name : str
            A kind of model; or the id of a learner.
        family : Family, optional
            Where to look, if the name is not a kind. By default all families are asked.
        """
        own = family_of(name) if family is None else family
        for each in families().values() if own is None else (own,):
            function = self._task(each)().get(name)
            if function is not None:
                return function
        return None

    def names(self) -> list[str]:
        """Return every name that has a function; this imports all families."""
        return [name for family in families().values() for name in self._task(family)()]
