"""The models of a service by name, and what happens when one of their files is replaced."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vaglio.errors import InputError, VaglioError
from vaglio.messages.message import Message
from vaglio.messages.sentences import clip, listed
from vaglio.serve.counters import Counters
from vaglio.serve.http.responses import refuse
from vaglio.serve.served import Served
from vaglio.serve.settings import Settings

__all__ = ["ModelStore", "check_models"]

logger = logging.getLogger("vaglio.serve.http")


@dataclass
class ModelSlot:
    """A model, the state of its file when it was last looked at, and what became of the last replacement."""

    served: Served
    stamp: tuple[int, ...] | None
    loaded: float
    remark: str | None = None


class ModelStore:
    """The models of a service.

    Parameters
    ----------
    settings : Settings
    counters : Counters
    """

    def __init__(self, settings: Settings, counters: Counters) -> None:
        self.settings, self.counters = settings, counters
        self.slots: dict[str, ModelSlot] = {}
        for name, path in settings.models:
            stamp = _stamp(path)
            self.slots[name] = ModelSlot(self._load(name, path), stamp, time.time())

    def _load(self, name: str, path: Path) -> Served:
        return Served.load(name, path, self.settings.decide, self.counters, self.settings.bounds.text)

    def __iter__(self) -> Iterator[Served]:
        return (slot.served for slot in self.slots.values())

    def find(self, name: str) -> Served:
        """Return a model; a name that no model has is refused."""
        slot = self.slots.get(name)
        if slot is None:
            refuse(
                404,
                Message(
                    "unknown-model",
                    "There is no model {name!r}. The models are {names}.",
                    name=clip(name),
                    names=listed(self.slots),
                ),
            )
        return slot.served

    def only(self) -> Served:
        """Return the model of a service with one; with several, the request must name it."""
        if len(self.slots) > 1:
            refuse(
                400,
                Message(
                    "model-not-named",
                    "This server has several models ({names}). Name one of them in the address.",
                    names=listed(self.slots),
                ),
            )
        return next(iter(self))

    def describe(self, served: Served) -> dict[str, Any]:
        """Return what a client may know of a model. Where its file stands is nobody's business."""
        fitted, slot = served.fitted, self.slots[served.name]
        shape = fitted.training_shape
        return {
            "name": served.name,
            "learner": fitted.learner,
            "target": fitted.target,
            "classes": served.labels,
            "columns": served.names,
            "probabilities": fitted.has_probabilities,
            "costs": served.priced,
            "training_rows": None if shape is None else shape[0],
            "digest": served.digest,
            "loaded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(slot.loaded)),
            "remark": slot.remark,
        }

    # -- replaced files ------------------------------------------------------------------------------------------------
    def replaced(self) -> list[str]:
        """Return the models whose file is not the one that was last looked at."""
        return [name for name, slot in self.slots.items() if _stamp(slot.served.path) != slot.stamp]

    def reload(self, name: str) -> Served | None:
        """Read a file again and return the new model, which is not served yet; None if the old one has to go on.

        Nothing but the record of this model is changed here, so that it can run in a thread.

        Parameters
        ----------
        name : str
        """
        slot = self.slots[name]
        slot.stamp = _stamp(slot.served.path)
        try:
            new = self._load(name, slot.served.path)
            _check_successor(slot.served, new)
        except (VaglioError, OSError, MemoryError, ArithmeticError) as error:
            slot.remark = Message(
                "replacement-refused",
                "The file was replaced, but the previous model is still served. {reason}",
                reason=error.message if isinstance(error, VaglioError) else clip(error, 500),
            )
            self.counters.add("vaglio_reloads_total", 1, name, "refused")
            logger.error("%s: %s", name, slot.remark)
            return None
        return new

    def put(self, new: Served) -> None:
        """Serve a new model in place of the old one."""
        slot = self.slots[new.name]
        same = slot.served.digest == new.digest
        slot.served, slot.loaded, slot.remark = new, time.time(), None
        self.counters.add("vaglio_reloads_total", 1, new.name, "taken")
        logger.info(
            "%s: the file was replaced%s", new.name, " by the same model" if same else ", the new model is served"
        )


def check_models(settings: Settings) -> None:
    """Refuse model files that cannot be served, before anything else begins.

    Parameters
    ----------
    settings : Settings
    """
    store = ModelStore(settings, Counters())
    if settings.decide == "cost":
        without = [served.name for served in store if served.fitted.cost is None]
        if without:
            raise InputError(
                "no-costs-to-decide",
                "{models}: the model has no misclassification costs to decide by.",
                models=listed(without),
            )


def _check_successor(old: Served, new: Served) -> None:
    """Refuse a model that could not answer the requests that its predecessor answers."""
    known, wanted = dict(old.columns), dict(new.columns)
    absent = [name for name in wanted if name not in known]
    if absent:
        raise InputError(
            "replacement-needs-columns",
            "The new model needs {columns}, which clients do not send. Restart the server to serve it.",
            columns=listed(absent, quoted=True),
        )
    other = [name for name in wanted if wanted[name] != known[name]]
    if other:
        raise InputError(
            "replacement-other-types",
            "The new model expects other types of values in {columns}. Restart the server to serve it.",
            columns=listed(other, quoted=True),
        )
    if (old.labels is None) != (new.labels is None):
        raise InputError(
            "replacement-other-task",
            "One model predicts classes and the other numbers. Restart the server to serve the new one.",
        )


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return what tells two states of a file apart; None if it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
