"""The inner loops of vaglio. Keep in step with bindings/: a test compares the two."""

from collections.abc import Callable

import numpy as np

def allowed_threads() -> int: ...
def nearest_neighbors(
    numeric: np.ndarray,
    codes: np.ndarray,
    query_numeric: np.ndarray,
    query_codes: np.ndarray,
    *,
    k: int,
    metric: str = "euclidean",
    power: float = 2.0,
    mismatch: float = 1.0,
    missing: float = 1.0,
    missing_nominal: float = 1.0,
    exclude_self: bool = False,
    search: str = "auto",
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]: ...
