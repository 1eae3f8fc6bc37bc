"""Checkpoints: the merged summary of every pass, so that a training that was interrupted goes on where it was.

A learner is a function of the answers to its requests. To resume, it is started again and given the answers that the
checkpoint has; the next pass is the first that was not finished.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import zlib
from pathlib import Path
from typing import Any

from vaglio.errors import InputError
from vaglio.runtime.files import write_whole

_SAFE = {
    "builtins": {"slice", "set", "frozenset", "complex", "bytearray", "range"},
    "collections": {"Counter", "OrderedDict"},
}


class Checkpoint:
    """A folder with one file per pass.

    Parameters
    ----------
    folder : Path
    training : str
        What is trained: learner, parameters, rows. Another training cannot go on from here.
    resume : bool
        Whether to go on; without it the folder must not have a checkpoint.
    """

    def __init__(self, folder: Path, training: str, resume: bool) -> None:
        self.folder = folder
        self._key = hashlib.sha256(training.encode()).hexdigest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                "cannot-made-name-another",
                "{folder} cannot be made ({strerror}): name another folder for the checkpoint.",
                folder=folder,
                strerror=error.strerror,
            ) from None
        begun = folder / "training"
        if begun.exists() and not resume:
            raise InputError(
                "has-checkpoint-earlier-training",
                "{folder} has the checkpoint of an earlier training: go on from it with resume "
                "(--resume), or name another folder.",
                folder=folder,
            )
        if begun.exists() and begun.read_text() != self._key:
            raise InputError(
                "has-checkpoint-another-training",
                "{folder} has the checkpoint of another training (other rows, learner or parameters): "
                "name another folder, or remove it.",
                folder=folder,
            )
        if not begun.exists():
            write_whole(begun, self._key.encode())

    def answer(self, number: int, name: str) -> tuple[Any] | None:
        """Return the answer of a pass, in a tuple; None if it was not finished."""
        path = self._path(number)
        if not path.exists():
            return None
        try:
            told, answer = _Reader(io.BytesIO(zlib.decompress(path.read_bytes()))).load()
        except (OSError, ValueError, EOFError, zlib.error, pickle.UnpicklingError, AttributeError, ImportError) as why:
            raise InputError(
                "damaged-remove-passes-there",
                "{path} is damaged ({why}): remove it, and the passes from there on are repeated.",
                path=path,
                why=why,
            ) from None
        if told != name:
            raise InputError(
                "answers-but-training-asks",
                "{path} answers {told!r}, but the training asks {name!r}: remove the checkpoint.",
                path=path,
                told=told,
                name=name,
            )
        return (answer,)

    def add(self, number: int, name: str, answer: Any) -> None:
        """Keep the answer of a pass."""
        write_whole(self._path(number), zlib.compress(pickle.dumps((name, answer)), 1))

    def _path(self, number: int) -> Path:
        return self.folder / f"pass-{number:05d}"


class _Reader(pickle.Unpickler):
    """Reads arrays and the summaries of this package, and nothing that could do anything else."""

    def find_class(self, module: str, name: str) -> Any:
        package = module.split(".")[0]
        if package in ("vaglio", "numpy") or name in _SAFE.get(module, ()):
            found = super().find_class(module, name)
            if isinstance(found, type) or module in ("numpy._core.multiarray", "numpy._core.numeric"):
                return found
        raise pickle.UnpicklingError(f"it names {module}.{name}, which no summary has")
