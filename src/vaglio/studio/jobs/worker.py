"""The process of one run: ``python -m vaglio.studio.jobs.worker FOLDER`` does what its request asks for."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from vaglio.errors import VaglioError
from vaglio.studio.jobs.request import Request
from vaglio.studio.jobs.run_progress import Progress, Task, read_progress

__all__ = ["main"]

# Kind of a run -> the module with its function `work`.
_KINDS = {
    "learn": "learn_run",
    "timing": "timing",
    "compare": "comparing",
    "report": "reporting",
    "predict": "predicting",
}


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
        work: Callable[[Request], None] = import_module(f"vaglio.studio.jobs.{_KINDS[request.kind]}").work
        work(request)
    except VaglioError as error:
        _last_word(folder, begin, "failed", " ".join(str(error).split()))
        return 1
    except MemoryError:
        _last_word(folder, begin, "failed", "There is not enough memory for this: choose fewer rows or columns.")
        return 1
    _last_word(folder, begin, "done")
    return 0


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
