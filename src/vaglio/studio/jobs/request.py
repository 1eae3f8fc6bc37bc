"""What a run is asked for, read from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vaglio.errors import InputError
from vaglio.learners.from_words import learner_from_words
from vaglio.studio.project.folder import read_json, write_json
from vaglio.studio.project.loading import Loaded, load_table
from vaglio.studio.project.steps import TableState

__all__ = ["Request"]


@dataclass(frozen=True)
class Request:
    """The request of a run.

    Attributes
    ----------
    folder : Path
        Of the run; results are written into it.
    data : mapping
        Plain data.
    """

    folder: Path
    data: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path) -> Request:
        """Read the request of a run."""
        data = read_json(folder / "request.json")
        if not isinstance(data, dict):
            raise InputError(f"{folder} holds no request.")
        return cls(folder, data)

    @property
    def kind(self) -> str:
        """What is to be done."""
        return str(self.data["kind"])

    @property
    def state(self) -> TableState:
        """The table that it is about."""
        return TableState.from_dict(self.data["table"])

    @property
    def seed(self) -> int:
        """The seed of folds and learners."""
        return int(self.data.get("seed", 0))

    @property
    def cost(self) -> Any:
        """Costs as a mapping of (true, predicted) pairs; None without any."""
        given = self.data.get("cost")
        return None if not given else {(each["true"], each["predicted"]): each["cost"] for each in given}

    @property
    def way(self) -> str:
        """How the parameters are found: "fixed", "tune" for each learner, or "choose" among all of them."""
        way: dict[str, Any] = self.data.get("way") or {}
        return str(way.get("kind", "fixed"))

    @property
    def typed(self) -> dict[str, dict[str, str]]:
        """The parameters as typed, by learner."""
        return {each["id"]: each["params"] for each in self.data["learners"]}

    def load(self) -> Loaded:
        """Read and clean the table."""
        return load_table(self.state, self.folder.parent.parent / "tables")

    def learners(self) -> dict[str, Any]:
        """Return the chosen learners by id, with their parameters; they use all processors."""
        return {
            each["id"]: learner_from_words(each["id"], each["params"], self.seed, -1) for each in self.data["learners"]
        }

    def write_result(self, result: Mapping[str, Any]) -> None:
        """Write what has come out so far."""
        write_json(self.folder / "result.json", result)
