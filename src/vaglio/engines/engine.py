"""What the engines share: where the rows are, and the way from a generator of requests to a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vaglio.engines.checkpoints import Checkpoint
from vaglio.engines.passes import Pass, Passes, Request, Walk
from vaglio.engines.raw import RawChunk, Recoding, Wanted, raw_chunks
from vaglio.engines.survey import Survey
from vaglio.model.base import Model
from vaglio.table.lazy import Part, Reading


@dataclass(frozen=True)
class ScannedPart:
    """A part of a lazy table, to be read anywhere."""

    part: Part
    reading: Reading
    wanted: Wanted

    def chunks(self, rows: int) -> Iterator[RawChunk]:
        """Read the rows."""
        yield from raw_chunks(self.part.tables(self.reading, rows), self.wanted, self.part.place)


class Engine(ABC):
    """Looks at all rows for a learner that does not know where they are.

    Attributes
    ----------
    memory : int
        Bytes that the summaries of one pass may take.
    room : int
        Bytes that may be held of all rows together.
    """

    memory: int = 1 << 28
    room: int = 1 << 28

    @abstractmethod
    def survey(self) -> Survey | None:
        """Read all rows for the first time; None if there are none."""

    @abstractmethod
    def encode(self, plan: Recoding) -> None:
        """Take note of how rows are encoded from now on."""

    @abstractmethod
    def answer(self, request: Request) -> Any:
        """Look at all rows once."""

    @abstractmethod
    def close(self) -> None:
        """Give back memory, files and what workers hold."""

    def run(self, passes: Passes, checkpoint: Checkpoint | None = None) -> Model:
        """Drive a learner to its model.

        Parameters
        ----------
        passes : generator
        checkpoint : Checkpoint, optional
            Answers that it has are not computed again; new ones are added to it.
        """
        given: Any = None
        number = 0
        while True:
            try:
                request = passes.send(given)
            except StopIteration as finished:
                model: Model = finished.value
                return model
            if checkpoint is None or not _leaves_a_summary(request):
                given = self.answer(request)
                continue
            found = checkpoint.answer(number, request.name)
            if found is None:
                given = self.answer(request)
                checkpoint.add(number, request.name, given)
            else:
                given = found[0]
            number += 1


def _leaves_a_summary(request: Request) -> bool:
    return isinstance(request, Pass) or (isinstance(request, Walk) and not request.here)
