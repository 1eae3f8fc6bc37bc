"""What an estimator has for rows that are not in memory."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.engines.passes import Facts, Pass, Passes
from vaglio.engines.row_samples import Rows, bytes_of_rows, gather_rows
from vaglio.errors import NotSupportedError
from vaglio.model.base import Model


class LearnsInPasses:
    """Base of all estimators; those that can learn in passes write ``_passes``, or say why they gather all rows."""

    # Why rows are gathered: the beginning of a sentence. None: they are not, wherever they are.
    _gathers: ClassVar[str | None] = None
    # How often the bytes of one pass the gathered rows may take.
    _gathered_share: ClassVar[int] = 1

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> Model:
        """Return the model of encoded rows; weights are positive, None when all rows count alike."""
        raise NotImplementedError

    def _passes(self, facts: Facts) -> Passes:
        """Learn from rows out of core: yield requests, return the model; see :mod:`vaglio.engines.passes`."""
        rows = yield from self._gathered(facts)
        return self._learn(rows.matrix, rows.y, rows.weight)

    def _gathered(self, facts: Facts) -> Generator[Pass, Any, Rows]:
        """Ask for all rows, if they fit in memory."""
        needed, allowed = bytes_of_rows(facts), self._gathered_share * facts.memory
        if needed > allowed:
            raise NotSupportedError(
                f"{self._gathers}, about {needed >> 20} MB, more than the memory limit allows ({allowed >> 20} MB): "
                "raise the limit, or take a sample (data.sample(N), --sample N)."
            )
        return (yield from gather_rows(facts))

    def _refuse_passes(self) -> None:
        """Raise an error if the learner, or a parameter of it, needs all rows in memory."""
        if type(self)._passes is LearnsInPasses._passes and self._gathers is None:
            raise NotSupportedError(
                f"{type(self).__name__} needs all rows in memory: learn from a stated sample of a lazy table, "
                "data.sample(N).xy(target) (on the command line --sample N), or read the table."
            )

    def _note_columns(self, X: Any) -> None:
        """Look at a few rows in the form the user gave them."""
