"""How much of a model is written as source, and how its dates are."""

from __future__ import annotations

from datetime import datetime, timedelta

from vaglio.errors import NotSupportedError

__all__ = ["Written", "moment"]

# Conditions and values in all: some fifty megabytes of source, which programs still read in seconds.
MOST_WRITTEN = 1_000_000

_EPOCH = datetime(1970, 1, 1)


class Written:
    """Counts the conditions and values written, and refuses more than :data:`MOST_WRITTEN`.

    Parameters
    ----------
    form : str
        What is written, as its format is called.
    """

    def __init__(self, form: str) -> None:
        self.form = form
        self.count = 0

    def add(self, count: int) -> None:
        """Count so many more.

        Parameters
        ----------
        count : int
        """
        self.count += count
        if self.count > MOST_WRITTEN:
            raise NotSupportedError(
                f"This model is too large for {self.form}: its rules have more than {MOST_WRITTEN:,} conditions and "
                "values; learn a smaller one, or keep the model file."
            )


def moment(days: float) -> str:
    """Return days since 1970 as a date, with its time of day if it has one: text that SQL compares with dates."""
    try:
        found = _EPOCH + timedelta(microseconds=round(days * 86_400_000_000))
    except OverflowError:
        return "9999-12-31" if days > 0 else "0001-01-01"
    if days == int(days):
        return found.date().isoformat()
    return found.isoformat(" ")
