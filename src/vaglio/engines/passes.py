"""The protocol of learning in passes.

A learner that can learn from summaries of the rows writes a generator. It yields a request, the engine answers it by
looking at all rows once, and the generator goes on with the answer until it returns its model::

    def _passes(self, facts: TableSummary) -> Passes:
        counts = yield Pass("counting classes", partial(count, len(facts.classes)))
        return MyModel(counts)

The learner does not know where the rows are: in memory (one chunk or several), on disk, or with the workers of a
cluster. Neither must its model: summaries merge to the same bits in any order and grouping, so that the model has the
same bytes on any partitioning. Counts are integers, or floats that hold whole multiples of one unit below 2^53 units;
other sums are made by :mod:`vaglio.engines.exact_sums`. What is random depends on the seed and the global index of a
row (:func:`vaglio.engines.row_samples.row_hash`), never on the chunk it is in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any

import numpy as np

from vaglio.encode import Codebook, EncodedMatrix
from vaglio.model.base import Model


def merged(a: Any, b: Any) -> Any:
    """Merge two summaries: by their own method, part by part in tuples and dicts, else by adding."""
    if hasattr(a, "merge"):
        return a.merge(b)
    if isinstance(a, tuple):
        return tuple(merged(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return {key: merged(value, b[key]) for key, value in a.items()}
    if isinstance(a, np.ndarray):
        return np.add(a, b, out=a) if a.flags.writeable and a.dtype == b.dtype else a + b
    return a + b


@dataclass(frozen=True)
class Chunk:
    """Some rows that follow each other, encoded by the codebook of the whole table; never empty.

    Attributes
    ----------
    matrix : EncodedMatrix
    y : ndarray of int64 or float64, shape (n,)
        The code of the class of each row, or the number to predict.
    weight : ndarray of float64, shape (n,), or None
        Positive weights, or None when all rows count alike; rows of weight 0 are left out of the table. Weights are
        multiples of a power of two so large that the sum over all rows is exact in any order.
    start : int
        The global index of the first row: files in the order of their names, rows in the order of the file.
    places : ndarray of int64, or None
        Where the rows are behind the first one of their chunk, if only some are looked at; there may be none.
    given : ndarray of float64, shape (n,), or None
        The weights as they were given, neither scaled nor rounded; None where ``weight`` is.
    """

    matrix: EncodedMatrix
    y: np.ndarray
    weight: np.ndarray | None
    start: int
    places: np.ndarray | None = None
    given: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def index(self) -> np.ndarray:
        """The global index of each row."""
        if self.places is not None:
            return self.start + self.places
        return np.arange(self.start, self.start + self.n_rows, dtype=np.int64)

    def take(self, places: np.ndarray) -> Chunk:
        """Return some of the rows, given in their order."""
        weight, given = (None if own is None else own[places] for own in (self.weight, self.given))
        taken = self.matrix.take(places)
        # One layout, whoever took the rows: sums over columns add in another order in another layout.
        taken.numeric = np.asfortranarray(taken.numeric)
        return Chunk(taken, self.y[places], weight, self.start, places, given)


@dataclass(frozen=True)
class Kept:
    """What a learner asked to be kept of the rows of a chunk (see :class:`Keep`): arrays by name, rows first."""

    arrays: Mapping[str, np.ndarray]
    start: int
    n_rows: int


@dataclass(frozen=True)
class Pass:
    """One look at all rows.

    Attributes
    ----------
    name : str
        What the progress line says, such as "class histograms of level 3".
    summarize : callable
        ``summarize(chunk) -> summary``: pure and picklable (a function of a module, or a ``functools.partial`` of
        one). It is given a :class:`Chunk`, or a :class:`Kept` if ``of`` is not empty.
    merge : callable
        ``merge(a, b) -> summary``: associative and commutative to the last bit; it may reuse the memory of ``a``. The
        default calls ``a.merge(b)`` of a summary that has this method, and adds arrays, also in tuples and dicts.
    of : tuple of str
        Names of what was kept before; their arrays come together. Empty: the encoded rows.
    choose : callable or None
        ``choose(start, n) -> positions``: which of the n rows of a chunk are looked at; others need not be encoded.
    max_bytes : int
        Bytes that summaries take, where that is more than ``memory`` of the facts; at most two thirds of its ``room``.
    """

    name: str
    summarize: Callable[[Any], Any]
    merge: Callable[[Any, Any], Any] = merged
    of: tuple[str, ...] = ()
    choose: Callable[[int, int], np.ndarray] | None = None
    max_bytes: int = 0

    @property
    def of_all_rows(self) -> Callable[[Any], Any]:
        """The summary of a chunk that has all its rows."""
        return self.summarize if self.choose is None else partial(_of_chosen, self.choose, self.summarize)


def _of_chosen(choose: Callable[[int, int], np.ndarray], summarize: Callable[[Any], Any], chunk: Chunk) -> Any:
    return summarize(chunk.take(choose(chunk.start, chunk.n_rows)))


@dataclass(frozen=True)
class SequentialPass:
    """One look at all rows in their order, for learners in which each row acts on the next; answered by the last state.

    On a cluster the chunks are visited one after the other, where they are kept; with ``here`` they are sent instead.

    Attributes
    ----------
    name : str
    state : object
        The state before the first row; picklable, unless ``here``.
    step : callable
        ``step(state, chunk) -> state``: picklable. It must not depend on where chunks end: rows act one at a time, or
        in groups whose borders are multiples of the global index (the state carries an unfinished group along).
    of : tuple of str
        As in :class:`Pass`.
    here : bool
        Whether the steps are made in this process, with a state that cannot be sent or kept in a checkpoint.
    """

    name: str
    state: Any
    step: Callable[[Any, Any], Any]
    of: tuple[str, ...] = ()
    here: bool = False


@dataclass(frozen=True)
class Keep:
    """Keep something of the rows for later passes: binned columns, the node or the score of each row.

    The engine writes it to its spill folder or leaves it with its workers; keeping something under the same name
    replaces what was kept, and ``make`` may read what it replaces. The answer is None.

    Attributes
    ----------
    name : str
    make : callable
        ``make(chunk) -> dict of str to ndarray``, pure and picklable; the first dimension of each array is the rows.
    of : tuple of str
        As in :class:`Pass`.
    """

    name: str
    make: Callable[[Any], dict[str, np.ndarray]]
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gather:
    """Bring something of all rows into this process; answered by a dict of arrays that have all rows in their order.

    Attributes
    ----------
    name : str
    make : callable
        As in :class:`Keep`.
    max_bytes : int
        Bytes of these arrays, and of what is made of them before the next request; at most the ``room`` of the facts.
    of : tuple of str
        As in :class:`Pass`.
    """

    name: str
    make: Callable[[Any], dict[str, np.ndarray]]
    max_bytes: int
    of: tuple[str, ...] = ()


class WholeArrays:
    """Arrays of so many rows, of which parts arrive in any order: each is copied to its place, and nothing twice."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self.arrays: dict[str, np.ndarray] = {}

    def put(self, start: int, part: dict[str, np.ndarray]) -> None:
        """Take the rows from ``start`` on."""
        for name, own in part.items():
            if len(own) == self.n_rows:
                self.arrays[name] = own
                continue
            if name not in self.arrays:
                self.arrays[name] = np.empty((self.n_rows, *own.shape[1:]), own.dtype)
            self.arrays[name][start : start + len(own)] = own


Request = Pass | SequentialPass | Keep | Gather
Passes = Generator[Request, Any, Model]


@dataclass(frozen=True)
class TableSummary:
    """What is known of the whole table before a learner starts.

    Attributes
    ----------
    codebook : Codebook
        Names, kinds and categories, with the spreads of the numeric columns.
    classes : ndarray or None
        The class labels in order; None when a number is predicted.
    n_rows : int
        Rows that count (of positive weight).
    class_counts : ndarray of int64
        Rows of each class; empty when a number is predicted.
    class_weight : ndarray of float64
        Weight of each class; the counts, when all rows count alike.
    low, high : ndarray of float64, shape (p,)
        Range of each column of the numeric block; NaN for a column without values.
    missing : ndarray of int64, shape (features,)
        Missing values of each feature.
    values : tuple of ndarray or None, length p
        The distinct values of each column of the numeric block, ascending; None if there are more than
        :data:`MOST_VALUES`.
    weighted : bool
        Whether rows have weights; if not, ``weight`` of a chunk is None.
    unit : float
        All weights are multiples of this power of two (1 without weights).
    largest_weight : float
        The largest weight (1 without weights).
    y_range : tuple of float
        Smallest and largest number to predict; (0, 0) for classes.
    threads : int
        How many threads a summary may use.
    memory : int
        Bytes that the summaries of one pass may take; a learner plans its passes by it. It never shows in the model.
    room : int
        Bytes that may be held of a :class:`Gather`, for which the engine puts away what it holds itself.
    scales_weights : bool
        Whether only the proportions of the weights matter to the learner that is fitted.
    """

    codebook: Codebook
    classes: np.ndarray | None
    n_rows: int
    class_counts: np.ndarray
    class_weight: np.ndarray
    low: np.ndarray
    high: np.ndarray
    missing: np.ndarray
    values: tuple[np.ndarray | None, ...]
    weighted: bool = False
    unit: float = 1.0
    largest_weight: float = 1.0
    y_range: tuple[float, float] = (0.0, 0.0)
    threads: int = 1
    memory: int = 1 << 28
    room: int = 1 << 28
    scales_weights: bool = False

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 when a number is predicted."""
        return 0 if self.classes is None else len(self.classes)


# Distinct values of a numeric column that are listed in the facts.
MOST_VALUES = 256


def run_in_memory(
    passes: Passes, chunks: list[Chunk], kept: dict[str, list[dict[str, np.ndarray]]] | None = None
) -> Model:
    """Drive a learner over chunks that are in memory, one after the other.

    Parameters
    ----------
    passes : generator
        What ``_passes`` of a learner returned.
    chunks : list of Chunk
    kept : dict of str to list of dict, optional
        What is kept already of each chunk, by name.
    """
    kept = {} if kept is None else dict(kept)
    answer: Any = None
    while True:
        try:
            request = passes.send(answer)
        except StopIteration as finished:
            model: Model = finished.value
            return model
        given = [view_of(chunk, [kept[name][at] for name in request.of]) for at, chunk in enumerate(chunks)]
        answer = None
        if isinstance(request, Keep):
            kept[request.name] = [request.make(each) for each in given]
        elif isinstance(request, Gather):
            whole = WholeArrays(sum(chunk.n_rows for chunk in chunks))
            for each in given:
                whole.put(each.start, request.make(each))
            answer = whole.arrays
        elif isinstance(request, SequentialPass):
            answer = request.state
            for each in given:
                answer = request.step(answer, each)
        else:
            answer = request.of_all_rows(given[0])
            for each in given[1:]:
                answer = request.merge(answer, request.of_all_rows(each))


def view_of(chunk: Chunk, parts: list[dict[str, np.ndarray]]) -> Chunk | Kept:
    """Return what a request sees of a chunk: the encoded rows, or what was kept of them."""
    if not parts:
        return chunk
    return Kept({name: array for part in parts for name, array in part.items()}, chunk.start, chunk.n_rows)


class _Stopped(BaseException):
    """The generator was closed while the function waited for an answer."""


def as_generator(function: Callable[[Callable[[Request], Any]], Any]) -> Generator[Request, Any, Any]:
    """Run ``function(ask)``; each ``ask(request)`` in it yields the request and returns the answer.

    Examples
    --------
    >>> from vaglio.engines.passes import as_generator
    >>> talk = as_generator(lambda ask: ask("name?") + "!")
    >>> next(talk)
    'name?'
    >>> try:
    ...     talk.send("Ada")
    ... except StopIteration as end:
    ...     print(end.value)
    Ada!
    """
    told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    answers: SimpleQueue[tuple[bool, Any]] = SimpleQueue()

    def ask(request: Request) -> Any:
        told.put(("asks", request))
        goes_on, answer = answers.get()
        if not goes_on:
            raise _Stopped
        return answer

    def work() -> None:
        try:
            told.put(("done", function(ask)))
        except _Stopped:
            told.put(("stopped", None))
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            told.put(("failed", error))

    thread = threading.Thread(target=work, name="vaglio-solver", daemon=True)
    thread.start()
    finished = False
    try:
        while True:
            what, value = told.get()
            finished = what != "asks"
            if what == "done":
                return value
            if what == "failed":
                raise value
            answers.put((True, (yield value)))
    finally:
        if not finished:
            answers.put((False, None))
        thread.join()
