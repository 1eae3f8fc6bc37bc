"""From scikit-learn's ``random_state`` to the one number that keys a kernel's random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def seed_of(random_state: Any) -> int:
    """Return a seed below 2^63: an integer stands for itself, a generator is drawn from, None is fresh each time."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))
