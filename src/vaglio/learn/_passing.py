"""What an estimator has for rows that are not in memory."""

from __future__ import annotations

from typing import Any

from vaglio.errors import NotSupportedError
from vaglio.scale.passes import Facts, Passes


class LearnsInPasses:
    """Base of all estimators; those that can learn in passes write ``_passes``."""

    def _passes(self, facts: Facts) -> Passes:
        """Learn from rows that are not in memory: yield requests, return the model; see :mod:`vaglio.scale.passes`."""
        raise NotImplementedError

    def _refuse_passes(self) -> None:
        """Raise an error if the learner, or a parameter of it, needs all rows in memory."""
        if type(self)._passes is LearnsInPasses._passes:
            raise NotSupportedError(
                f"{type(self).__name__} needs all rows in memory: learn from a stated sample of a lazy table, "
                "data.sample(N).xy(target) (on the command line --sample N), or read the table."
            )

    def _note_columns(self, X: Any) -> None:
        """Look at a few rows in the form the user gave them."""
