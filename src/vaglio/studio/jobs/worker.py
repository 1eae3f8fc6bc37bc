"""The process of one run: ``python -m vaglio.studio.jobs.worker FOLDER`` does what its request asks for."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from vaglio.errors import VaglioError
from vaglio.messages.message import Message
from vaglio.studio.jobs.run_files import Progress, Request, Task, read_progress

__all__ = ["main"]

_NO_MEMORY = Message("run-out-of-memory", "Not enough memory. Use fewer rows or columns.")


def main(folder: Path) -> int:
    """Do the work of a run, and say how it ended.

    Parameters
    ----------
    folder : Path
        With request.json.
    """
    _end_with_parent()
    # What a learner warns about is kept in its evaluation and its model; here nobody reads it.
    warnings.simplefilter("ignore")
    begin = Progress(folder, [])
    try:
        request = Request.of(folder)
        _work(request.kind)(request)
    except VaglioError as error:
        _last_word(folder, begin, "failed", error.message)
        return 1
    except MemoryError:
        _last_word(folder, begin, "failed", _NO_MEMORY)
        return 1
    _last_word(folder, begin, "done")
    return 0


def _work(kind: str) -> Callable[[Request], None]:
    """Return what a run of this kind does."""
    if kind == "learn":
        from vaglio.studio.jobs.training import train_learners

        return train_learners
    from vaglio.studio.jobs.tasks import compare_learners, predict_file, report_study, time_learners

    return {
        "timing": time_learners,
        "compare": compare_learners,
        "report": report_study,
        "predict": predict_file,
    }[kind]


def _last_word(folder: Path, begin: Progress, state: str, error: str = "") -> None:
    known = read_progress(folder) or {}
    begin.tasks = [Task(**task) for task in known.get("tasks", [])]
    begin.write(state, error)


def _end_with_parent() -> None:
    """End this process when the server has ended, however it ended."""
    parent = int(os.environ.get("VAGLIO_STUDIO_PARENT", "0"))
    if not parent or not hasattr(os, "getppid"):
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(3)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
