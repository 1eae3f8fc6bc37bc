"""What the engines share: the way from a generator of requests to a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from vaglio.engines.checkpoints import Checkpoint
from vaglio.engines.passes import Pass, Passes, Request, SequentialPass
from vaglio.engines.raw import Recoding
from vaglio.engines.survey import Survey
from vaglio.model.base import Model


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
        """ColumnSummary at all rows once."""

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
    return isinstance(request, Pass) or (isinstance(request, SequentialPass) and not request.here)
