"""Leave tables out: a default is chosen on some tables and judged on others.

The tables are divided into groups. For each group the candidate with the highest mean accuracy on all other tables is
chosen, and scored on the group. The mean over all tables is what this way of choosing is worth on tables that took no
part in the choice. A default is justified if this is not better than the default by more than one standard error.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from benchmarks.panel.scores import mean_and_error

GROUPS = 10
DEFAULT = "default"


@dataclass(frozen=True)
class LeftOut:
    """What leaving tables out shows about one default.

    Attributes
    ----------
    chosen : dict of str to int
        Candidate -> groups for which the other tables chose it.
    gain, error : float
        Accuracy of the choice minus that of the default on the tables left out: mean and standard error, in points.
    each : dict of str to (float, float)
        Candidate -> accuracy minus that of the default over all tables: mean and standard error.
    """

    chosen: dict[str, int]
    gain: float
    error: float
    each: dict[str, tuple[float, float]]

    @property
    def justified(self) -> bool:
        """Whether no other choice is better by more than a standard error on tables that it was not chosen on."""
        return not self.gain > self.error


def groups_of(n_tables: int, groups: int = GROUPS) -> np.ndarray:
    """Return the group of each table: in turn, so that every group has tables of every source."""
    return np.arange(n_tables) % min(groups, n_tables)


def leave_tables_out(accuracy: dict[str, np.ndarray], groups: int = GROUPS) -> LeftOut:
    """Choose among candidates on all tables but those of a group, and judge on the group.

    Parameters
    ----------
    accuracy : dict of str to ndarray of shape (n_tables,)
        Candidate -> percent correct on each table; one of them is "default", which wins ties.
    groups : int
    """
    names = [DEFAULT, *(name for name in accuracy if name != DEFAULT)]
    figures = np.array([accuracy[name] for name in names])
    group = groups_of(figures.shape[1], groups)
    gains = np.zeros(figures.shape[1])
    chosen: Counter[str] = Counter()
    for number in np.unique(group):
        best = int(figures[:, group != number].mean(axis=1).argmax())
        chosen[names[best]] += 1
        gains[group == number] = (figures[best] - figures[0])[group == number]
    each = {name: mean_and_error((figures[i] - figures[0]).tolist()) for i, name in enumerate(names) if i}
    return LeftOut(dict(chosen), *mean_and_error(gains.tolist()), each)
