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
from vaglio.messages.sentences import clip, did_you_mean, listed
from vaglio.serve.counters import Counters
from vaglio.serve.http.problems import refuse
from vaglio.serve.served import Served
from vaglio.serve.settings import Settings

__all__ = ["Shelf", "check_models"]

logger = logging.getLogger("vaglio.serve.http")


@dataclass
class _Place:
    """A model, the state of its file when it was last looked at, and what became of the last replacement."""

    served: Served
    stamp: tuple[int, ...] | None
    loaded: float
    said: str | None = None


class Shelf:
    """The models of a service.

    Parameters
    ----------
    settings : Settings
    counters : Counters
    """

    def __init__(self, settings: Settings, counters: Counters) -> None:
        self.settings, self.counters = settings, counters
        self.places: dict[str, _Place] = {}
        for name, path in settings.models:
            stamp = _stamp(path)
            self.places[name] = _Place(self._load(name, path), stamp, time.time())

    def _load(self, name: str, path: Path) -> Served:
        return Served.load(name, path, self.settings.decide, self.counters, self.settings.bounds.text)

    def __iter__(self) -> Iterator[Served]:
        return (place.served for place in self.places.values())

    def find(self, name: str) -> Served:
        """Return a model; a name that no model has is refused."""
        place = self.places.get(name)
        if place is None:
            hint = did_you_mean(clip(name), self.places, otherwise="the models are")
            refuse(404, f"There is no model {clip(name)!r}: {hint}")
        return place.served

    def only(self) -> Served:
        """Return the model of a service with one; with several, the request must name it."""
        if len(self.places) > 1:
            refuse(400, f"This server has several models ({listed(self.places)}): name one of them in the address.")
        return next(iter(self))

    def describe(self, served: Served) -> dict[str, Any]:
        """Return what a client may know of a model. Where its file stands is nobody's business."""
        fitted, place = served.fitted, self.places[served.name]
        shape = fitted.training_shape
        return {
            "name": served.name,
            "learner": fitted.learner,
            "target": fitted.target,
            "classes": served.labels,
            "columns": served.names,
            "probabilities": fitted.has_probabilities,
            "costs": served.cost is not None,
            "training_rows": None if shape is None else shape[0],
            "digest": served.digest,
            "loaded": _instant(place.loaded),
            "remark": place.said,
        }

    # -- replaced files ------------------------------------------------------------------------------------------------
    def replaced(self) -> list[str]:
        """Return the models whose file is not the one that was last looked at."""
        return [name for name, place in self.places.items() if _stamp(place.served.path) != place.stamp]

    def reload(self, name: str) -> Served | None:
        """Read a file again and return the new model, which is not served yet; None if the old one has to go on.

        Nothing but the record of this model is changed here, so that it can run in a thread.

        Parameters
        ----------
        name : str
        """
        place = self.places[name]
        place.stamp = _stamp(place.served.path)
        try:
            new = self._load(name, place.served.path)
            _check_successor(place.served, new)
        except (VaglioError, OSError, MemoryError, ArithmeticError) as error:
            place.said = f"The file was replaced, but the old model goes on: {clip(error, 500)}"
            self.counters.add("vaglio_reloads_total", 1, name, "refused")
            logger.error("%s: %s", name, place.said)
            return None
        return new

    def put(self, new: Served) -> None:
        """Serve a new model in place of the old one."""
        place = self.places[new.name]
        same = place.served.digest == new.digest
        place.served, place.loaded, place.said = new, time.time(), None
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
    shelf = Shelf(settings, Counters())
    if settings.decide == "cost":
        without = [served.name for served in shelf if served.fitted.cost is None]
        if without:
            raise InputError(f"{listed(without)}: the model has no costs to decide by.")


def _check_successor(old: Served, new: Served) -> None:
    """Refuse a model that could not answer the requests that its predecessor answers."""
    known, wanted = dict(old.columns), dict(new.columns)
    absent = [name for name in wanted if name not in known]
    if absent:
        raise InputError(
            f"the new one needs {listed(absent, quoted=True)}, which clients do not send; restart to serve it."
        )
    other = [name for name in wanted if wanted[name] != known[name]]
    if other:
        raise InputError(f"{listed(other, quoted=True)} holds other values than before; restart to serve it.")
    if (old.labels is None) != (new.labels is None):
        raise InputError("one predicts classes and the other numbers; restart to serve it.")


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return what tells two states of a file apart; None if it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _instant(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
