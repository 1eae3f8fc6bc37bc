"""The project folder: steps and runs as JSON files that are written whole or not at all, and the tables themselves.

One studio at a time works in a project folder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vaglio.errors import InputError, reason_of
from vaglio.messages.listing import plain_data
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.messages.stored import restored, stored
from vaglio.runtime.files import write_whole
from vaglio.studio.project.steps import Step, TableState, add_up, check_step

__all__ = ["UNFINISHED", "Project", "project_lock", "read_json", "write_json"]

_VERSION = 1
# Characters of a file name that every system allows; others become an underscore.
_UNSAFE = re.compile(r"[^\w.\- ()+]", re.ASCII)
_LONGEST_NAME = 120
# The ending of a file that is not whole yet.
UNFINISHED = ".part"
try:
    import fcntl
except ImportError:  # Windows, where nothing keeps two studios apart
    fcntl = None  # type: ignore[assignment]


def write_json(path: Path, data: Any) -> None:
    """Write data and messages as JSON, whole or not at all."""
    write_whole(path, json.dumps(plain_data(stored(data)), indent=1, ensure_ascii=True, allow_nan=False))


def read_json(path: Path) -> Any:
    """Read a JSON file of the project; a damaged one is named."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_hook=restored)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise damaged(path, reason_of(error)) from None


def damaged(path: Path, reason: str) -> InputError:
    """Return the error about a file of a project that says what no studio has written."""
    return InputError(
        "project-file-damaged", "{path} is not a valid file of a project ({reason}).", path=path, reason=reason
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53


class Project:
    """A folder with everything that a user has done.

    Parameters
    ----------
    folder : Path
        It is made if it does not exist; an existing one must be a project or empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables, self.runs = folder / "tables", folder / "runs"
        self._file = folder / "project.json"
        self._lock = threading.Lock()
        if folder.exists() and not folder.is_dir():
            raise InputError("project-not-folder", "{folder} is a file. Name a folder with --project.", folder=folder)
        if folder.is_dir() and any(folder.iterdir()) and not self._file.exists():
            raise InputError(
                "folder-not-project",
                "{folder} contains other files. Name a new folder, an empty one or a project with --project.",
                folder=folder,
            )
        try:
            for place in (folder, self.tables, self.runs):
                place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                "project-folder-not-created",
                "Cannot create the project folder {folder}: {reason}.",
                folder=folder,
                reason=error.strerror,
            ) from error
        known = read_json(self._file)
        if known is None:
            known = {"version": _VERSION, "next": 1, "steps": []}
            write_json(self._file, known)
        if not isinstance(known, dict) or known.get("version") != _VERSION:
            raise InputError(
                "project-version",
                "{file} was written by another version of vaglio. Open it with that version.",
                file=self._file,
            )
        self._data: dict[str, Any] = known
        self._check()

    def _check(self) -> None:
        """Refuse a file that says anything but steps: somebody else may have made the folder."""
        steps, following = self._data.get("steps"), self._data.get("next")
        sound = isinstance(steps, list) and all(isinstance(step, dict) and _is_number(step.get("id")) for step in steps)
        if not sound or not _is_number(following):
            raise damaged(self._file, text("its steps are not readable"))
        for step in steps or ():
            check_step(step)
        if not isinstance(self._data.get("choices", {}), dict):
            raise damaged(self._file, text("its choices are not readable"))

    # -- steps ---------------------------------------------------------------------------------------------------------
    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps since the present table was opened, the opening first."""
        steps: list[dict[str, Any]] = self._data["steps"]
        opened = [at for at, step in enumerate(steps) if step["do"] == "open"]
        return steps[opened[-1] :] if opened else []

    @property
    def state(self) -> TableState | None:
        """What the steps lead to."""
        return add_up(self.steps)

    def with_step(self, step: Step) -> TableState:
        """Return what a further step would lead to; nothing is kept."""
        found = add_up([step] if step["do"] == "open" else [*self.steps, step])
        assert found is not None
        return found

    def without_step(self, number: int) -> TableState:
        """Return what the other steps lead to; nothing is kept."""
        rest = [step for step in self.steps if step["id"] != number]
        if len(rest) == len(self.steps) or self.steps[0]["id"] == number:
            raise InputError("step-already-undone", "This step has already been undone.")
        found = add_up(rest)
        assert found is not None
        return found

    def keep_step(self, step: Step) -> None:
        """Add a step to the file."""
        with self._lock:
            number = self._data["next"]
            self._save([*self._data["steps"], {"id": number, **step}], number + 1)

    def drop_step(self, number: int) -> None:
        """Take a step out of the file."""
        with self._lock:
            self._save([step for step in self._data["steps"] if step["id"] != number], self._data["next"])

    def _save(self, steps: list[dict[str, Any]], following: int) -> None:
        data = {**self._data, "next": following, "steps": steps}
        write_json(self._file, data)
        self._data = data

    # -- what is chosen, beside the steps ------------------------------------------------------------------------------
    def remember(self, **facts: Any) -> None:
        """Keep choices that are no steps: the form of a page as it was last filled in."""
        with self._lock:
            data = {**self._data, "choices": {**self._data.get("choices", {}), **facts}}
            write_json(self._file, data)
            self._data = data

    def recall(self, name: str, otherwise: Any = None) -> Any:
        """Return a choice that was kept."""
        return self._data.get("choices", {}).get(name, otherwise)

    # -- files ---------------------------------------------------------------------------------------------------------
    def place_for(self, name: str) -> Path:
        """Return where a table of this name may be written: inside the folder, and no other table is there."""
        safe = _UNSAFE.sub("_", Path(name.replace("\\", "/")).name).strip(" .") or "table"
        stem, dot, ending = safe[-_LONGEST_NAME:].partition(".")
        place, count = self.tables / f"{stem}{dot}{ending}", 2
        while place.exists():
            place, count = self.tables / f"{stem}-{count}{dot}{ending}", count + 1
        return place

    def take_in(self, path: Path) -> str:
        """Copy a file of this machine into the project; return its name there."""
        # Unlike the method of a path, this answers for names that no file can have, too.
        if not os.path.isfile(path):
            raise InputError("file-not-found", "There is no file {path}.", path=clip(path, 200))
        place = self.place_for(path.name)
        aside = place.with_name(place.name + UNFINISHED)
        try:
            shutil.copyfile(path, aside)
            aside.replace(place)
        except OSError as error:
            aside.unlink(missing_ok=True)
            raise InputError(
                "file-not-readable", "Cannot read {path}: {reason}.", path=path, reason=error.strerror
            ) from error
        return place.name

    def new_run(self, request: Mapping[str, Any]) -> Path:
        """Make the folder of a run with what is asked for."""
        with self._lock:
            numbers = [int(run.name) for run in self.runs.iterdir() if run.name.isdecimal()]
            run = self.runs / f"{max(numbers, default=0) + 1:04d}"
            run.mkdir()
        write_json(run / "request.json", request)
        return run

    def run_folder(self, name: str) -> Path:
        """Return the folder of a run; a name that is none is refused."""
        for run in self._run_folders():
            if run.name == name:
                return run
        raise InputError("unknown-run", "There is no run {name!r} in this project.", name=name)

    def run_names(self) -> list[str]:
        """Names of the runs, the oldest first."""
        return sorted(run.name for run in self._run_folders())

    def _run_folders(self) -> Iterable[Path]:
        return (run for run in self.runs.iterdir() if run.name.isdecimal() and (run / "request.json").exists())


@contextmanager
def project_lock(project: Project) -> Iterator[None]:
    """Keep other studios out of the folder; the system opens it again however this process ends.

    Each studio holds the steps in memory and writes all of them: what another one had written would be lost.
    """
    with (project.folder / ".in-use").open("a") as mark:
        if fcntl is not None:
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    "project-locked",
                    "Another studio is using {folder}. Continue there, quit it, or name another folder with --project.",
                    folder=project.folder,
                ) from None
        # What a studio that was killed had begun to receive: nobody writes it now, and it would keep its name.
        for left in project.tables.glob(f"*{UNFINISHED}"):
            left.unlink(missing_ok=True)
        yield
