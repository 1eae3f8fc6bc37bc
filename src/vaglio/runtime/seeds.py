"""Turn scikit-learn's ``random_state`` into the one number from which a kernel derives its random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def seed_of(random_state: Any) -> int:
    """Return a seed below 2^63: an integer itself, a draw from a generator, for None a new number each time."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))
