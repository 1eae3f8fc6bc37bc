"""How long each learner will take on this table: measured on a few of its rows, and extended to all of them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from vaglio.errors import VaglioError
from vaglio.evaluation.training import learning_rows
from vaglio.learners.from_words import learner_from_words
from vaglio.learners.registry import LEARNERS
from vaglio.studio.jobs.request import Request
from vaglio.studio.jobs.run_progress import Progress, Task

__all__ = ["work"]

# Rows of the two measurements, from whose ratio the growth with the rows is read.
_SMALL, _LARGE = 150, 450
# No learner grows slower than with the rows, and none of ours faster than with their square.
_GROWTH = (1.0, 2.0)


def work(request: Request) -> None:
    """Measure every learner; those that cannot learn from the table are named with the reason."""
    X, y = learning_rows(request.load().table)
    progress = Progress(request.folder, [Task(name) for name in LEARNERS])
    order = np.random.default_rng(0).permutation(len(y))
    found: dict[str, Any] = {}
    for number, name in enumerate(LEARNERS):
        progress.begin(number)
        try:
            found[name] = {"seconds": _seconds(name, X, y, order), "error": ""}
        except (VaglioError, ValueError, ArithmeticError) as error:
            found[name] = {"seconds": None, "error": " ".join(str(error).split())}
        progress.end(number)
    request.write_result({"learners": found})


def _seconds(name: str, X: Any, y: np.ndarray, order: np.ndarray) -> float:
    """Return the seconds that one training on all rows may take."""
    times = []
    for size in (_SMALL, _LARGE):
        rows = np.sort(order[: min(size, len(order))])
        began = time.perf_counter()
        learner_from_words(name, {}, 0, -1).fit(X[rows], y[rows])
        times.append(time.perf_counter() - began)
        if len(order) <= size:
            return times[-1]
    growth = np.clip(np.log(times[1] / times[0]) / np.log(_LARGE / _SMALL), *_GROWTH)
    return float(times[1] * (len(order) / _LARGE) ** growth)
