"""Different models, each with a name, that decide together by vote."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.ensembles.model.ensemble import Ensemble
from vaglio.model import checks
from vaglio.model.base import State


@dataclass(frozen=True, eq=False)
class Voting(Ensemble):
    """Models of any kinds, their names and weights.

    Attributes
    ----------
    names : tuple of str
        What each member is called, in their order.
    """

    kind: ClassVar[str] = "voting"

    names: tuple[str, ...] = ()

    # A forest or a bag may be a member; a vote may not, so that nesting has an end.
    _not_inside: ClassVar[tuple[str, ...]] = ("voting",)

    def each(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return what each member adds for each row, shape (members, n, n_classes): probabilities, or one vote."""
        return np.stack([member.answers(matrix, self.vote, self.n_classes) for member in self.members])

    @property
    def shares(self) -> np.ndarray:
        """The weight of each member's vote; all together 1."""
        weight = np.array([member.weight for member in self.members])
        share: np.ndarray = weight / weight.sum()
        return share

    def state(self) -> State:
        arrays, meta = super().state()
        return arrays, {**meta, "names": list(self.names)}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> Voting:
        model = super().from_state(arrays, meta, features, n_classes)
        assert isinstance(model, Voting)
        names = checks.number(meta, "names", list)
        checks.need(
            len(names) == len(model.members) and all(isinstance(name, str) for name in names),
            "its members have no names",
        )
        checks.need(len(set(names)) == len(names), "two of its members have the same name")
        return replace(model, names=tuple(names))
