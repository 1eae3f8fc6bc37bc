"""Several models that decide together: bagged ones by vote or mean, boosted and different ones by weighted vote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from vaglio.encode import EncodedMatrix, Feature, decode, select_features
from vaglio.errors import NotSupportedError
from vaglio.learners.forest.model.forest import Forest
from vaglio.learners.forest.model.tree_shares import TreeShare, rules_of_trees
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.message import text
from vaglio.model import checks
from vaglio.model.base import State, class_codes
from vaglio.model.families import read_model

# How members decide together: by mean probability, by majority, by the mean of numbers, or by their weighted median.
VOTES = ("soft", "hard", "mean", "median")
_OF_NUMBERS = ("mean", "median")
# Why a weighted median is not written in formats that add up members.
NO_SUM = text("it predicts the weighted median of its members, which is not a sum")


@dataclass(frozen=True, eq=False)
class Foreign:
    """A fitted estimator of another library; it gets rows in its own form. It cannot be saved in a model file."""

    kind: ClassVar[str] = "foreign"

    estimator: Any
    named: bool
    # What its methods are given besides the rows, by method.
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        rows = decode(matrix, self.named)
        if hasattr(self.estimator, "predict_proba"):
            probability: np.ndarray = self.estimator.predict_proba(rows, **self.metadata.get("predict_proba", {}))
            return probability
        found = np.searchsorted(self.estimator.classes_, self._answer(rows))
        votes = np.zeros((matrix.n_rows, len(self.estimator.classes_)))
        votes[np.arange(matrix.n_rows), found] = 1.0
        return votes

    def predict_codes(self, matrix: EncodedMatrix) -> np.ndarray:
        return np.searchsorted(self.estimator.classes_, self._answer(decode(matrix, self.named)))

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        return np.asarray(self._answer(decode(matrix, self.named)), dtype=np.float64)

    def _answer(self, rows: Any) -> np.ndarray:
        answer: np.ndarray = self.estimator.predict(rows, **self.metadata.get("predict", {}))
        return answer

    def size(self) -> dict[str, int]:
        return {"estimators": 1}

    def state(self) -> State:
        raise NotSupportedError(
            "unsaveable-ensemble",
            "An ensemble of {name} cannot be saved: a model file holds only vaglio's own models. Use "
            "one of its learners, or keep the object yourself.",
            name=type(self.estimator).__name__,
        )


@dataclass(frozen=True)
class Member:
    """One model of an ensemble.

    Attributes
    ----------
    model : Model
    weight : float
        Of its vote.
    classes : int64 (k,)
        The class codes it knows; a sample may lack some. Empty for numbers.
    features : int64 (f,) or None
        The columns it sees, ascending; None for all.
    """

    model: Any
    weight: float
    classes: np.ndarray
    features: np.ndarray | None = None

    def rows(self, matrix: EncodedMatrix) -> EncodedMatrix:
        """Return what it sees of the rows."""
        return matrix if self.features is None else select_features(matrix, self.features)

    def decide(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the class code it gives each row."""
        rows = self.rows(matrix)
        if isinstance(self.model, Tree) and not self.model.spreads_missing:
            # The class of each node first: one look-up per row instead of two.
            decided: np.ndarray = self.classes[self.model.says.argmax(axis=1)][self.model.apply(rows)]
        else:
            decided = self.classes[class_codes(self.model, rows, n_classes=len(self.classes))]
        return decided

    @property
    def has_probabilities(self) -> bool:
        # A perceptron, and a support vector machine without calibration, have the method and refuse.
        return hasattr(self.model, "predict_proba") and getattr(self.model, "probabilistic", True)

    def answers(self, matrix: EncodedMatrix, vote: str, n_classes: int) -> np.ndarray:
        """Return what it adds for each row: probabilities, one vote, or a number."""
        given: np.ndarray
        if vote in _OF_NUMBERS:
            given = self.model.predict(self.rows(matrix))[:, None]
        elif vote == "soft" and self.has_probabilities:
            given = self.model.predict_proba(self.rows(matrix))
            if len(self.classes) != n_classes:
                full = np.zeros((len(given), n_classes))
                full[:, self.classes] = given
                return full
        else:
            given = np.zeros((matrix.n_rows, n_classes))
            given[np.arange(matrix.n_rows), self.decide(matrix)] = 1.0
        return given


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Models and their weights.

    Attributes
    ----------
    members : tuple of Member
    vote : {"soft", "hard", "mean", "median"}
        Probabilities are averaged, majorities counted, numbers averaged, or the one in the middle taken, all by weight.
    n_classes : int
        0 for numbers.
    """

    kind: ClassVar[str] = "ensemble"

    members: tuple[Member, ...]
    vote: str
    n_classes: int

    # Kinds that cannot be members: an ensemble may hold forests, but not itself, so that nesting has an end.
    _not_inside: ClassVar[tuple[str, ...]] = ("ensemble", "voting")

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        return self._mean(matrix)

    def predict(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the weighted mean or median, for an ensemble of numbers."""
        if self.vote == "mean":
            return self._mean(matrix)[:, 0]
        said = self.said(matrix)
        return np.asarray(np.take_along_axis(said, self.in_the_middle(said)[:, None], axis=1)[:, 0])

    def said(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the number that each member predicts for each row, shape (n, members)."""
        return np.hstack([member.answers(matrix, self.vote, 0) for member in self.members])

    def in_the_middle(self, said: np.ndarray) -> np.ndarray:
        """Return the member whose number is the weighted median of those that the first members say."""
        order = np.argsort(said, axis=1, kind="stable")
        weight = np.array([member.weight for member in self.members[: said.shape[1]]])[order]
        reached = np.cumsum(weight, axis=1)
        place = np.argmax(reached >= 0.5 * reached[:, -1:], axis=1)
        return np.asarray(order[np.arange(len(said)), place])

    def _mean(self, matrix: EncodedMatrix) -> np.ndarray:
        # In the order of the members, so that the sum is the same on any number of threads.
        total = np.zeros((matrix.n_rows, self.n_classes or 1))
        for member in self.members:
            total += member.weight * member.answers(matrix, self.vote, self.n_classes)
        return total / sum(member.weight for member in self.members)

    def staged(self, matrix: EncodedMatrix) -> Any:
        """Yield the weighted votes after each member, or the median of those so far."""
        if self.vote == "median":
            said = self.said(matrix)
            for k in range(1, len(self.members) + 1):
                yield np.take_along_axis(said, self.in_the_middle(said[:, :k])[:, None], axis=1)
            return
        total = np.zeros((matrix.n_rows, self.n_classes or 1))
        weight = 0.0
        for member in self.members:
            total = total + member.weight * member.answers(matrix, self.vote, self.n_classes)
            weight += member.weight
            yield total / weight

    @property
    def no_rules(self) -> str | None:
        """Why the members cannot be read as one set of rules; None if they can."""
        if self.vote == "median":
            return NO_SUM
        if not all(isinstance(member.model, (Tree, Forest)) for member in self.members):
            return text("its members vote, and only trees that vote add up to one list of rules")
        alone = self.vote == "soft"
        if not alone and any(isinstance(member.model, Forest) for member in self.members):
            return text("its members are forests, whose trees do not vote individually")
        if self.vote == "hard" and any(member.model.spreads_missing for member in self.members):
            return text("its trees distribute a row with missing values over branches before they vote")
        if self.vote == "mean" and len({member.weight for member in self.members}) > 1:
            return text("its members predict numbers and have different weights")
        return None

    def rules(self, features: tuple[Feature, ...], classes: np.ndarray | None) -> RuleSet:
        """Return the rules of the members, if they are trees: a row meets one of each, and their sum counts."""
        if self.no_rules is not None:
            raise NotSupportedError(
                "no-rules-of-ensemble", "This ensemble has no rules: {reason}.", reason=self.no_rules
            )
        shares = []
        for member in self.members:
            seen = features if member.features is None else tuple(features[j] for j in member.features)
            model = member.model
            trees = [model.tree(i, seen) for i in range(model.n_trees)] if isinstance(model, Forest) else [model]
            hard = self.vote == "hard"
            weight = member.weight / len(trees)
            shares += [TreeShare(tree, weight, member.classes, member.features, hard) for tree in trees]
        return rules_of_trees(shares, features, classes)

    def size(self) -> dict[str, int]:
        size = {"members": len(self.members)}
        for member in self.members:
            for what, count in member.model.size().items():
                size[what] = size.get(what, 0) + count
        return size

    # -- file --------------------------------------------------------------------------------------------------------
    def state(self) -> State:
        arrays: dict[str, np.ndarray] = {}
        described = []
        for i, member in enumerate(self.members):
            if member.model.kind in self._not_inside:
                raise NotSupportedError(
                    "unsaveable-nesting",
                    "A model of kind {inner!r} inside one of kind {outer!r} cannot be saved. Combine the "
                    "inner members directly, or keep the object yourself.",
                    inner=member.model.kind,
                    outer=self.kind,
                )
            own, meta = member.model.state()
            arrays.update({f"{i}.{name}": value for name, value in own.items()})
            arrays[f"{i}:classes"] = member.classes
            if member.features is not None:
                arrays[f"{i}:features"] = member.features
            described.append({"kind": member.model.kind, "weight": float(member.weight), "model": meta})
        return arrays, {"vote": self.vote, "members": described}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> Ensemble:
        vote, described = checks.number(meta, "vote", str), checks.number(meta, "members", list)
        checks.need(vote in VOTES and (vote in _OF_NUMBERS) == (n_classes == 0), "its vote is unknown")
        checks.need(described, "the ensemble has no members")
        parts: list[dict[str, np.ndarray]] = [{} for _ in described]
        for name, value in arrays.items():
            number, dot, rest = name.partition(".")
            if dot and number.isdecimal() and len(number) < 10 and int(number) < len(parts):
                parts[int(number)][rest] = value
        members = tuple(
            _read_member(i, entry, parts[i], arrays, features, n_classes, cls._not_inside)
            for i, entry in enumerate(described)
        )
        total = sum(member.weight for member in members)
        checks.need(0 < total < checks.LARGEST, "the weights of its members are impossible")
        return cls(members, vote, n_classes)


def _shares_rows(tree: Tree) -> bool:
    """Whether a missing value sends a row down several branches."""
    return bool((tree.missing_branch[~tree.is_leaf] < 0).any())


def _read_member(
    index: int,
    entry: Any,
    own: dict[str, np.ndarray],
    arrays: dict[str, np.ndarray],
    features: tuple[Feature, ...],
    n_classes: int,
    not_inside: tuple[str, ...],
) -> Member:
    checks.need(isinstance(entry, dict) and isinstance(entry.get("model"), dict), "a member is not described")
    checks.need(entry.get("kind") not in not_inside, "an ensemble is a member of an ensemble")
    weight = float(checks.number(entry, "weight"))
    checks.need(0 <= weight < np.inf, "the weight of a member is impossible")
    classes = checks.array(arrays, f"{index}:classes", np.int64, (None,))
    seen = features
    chosen = None
    if f"{index}:features" in arrays:
        chosen = checks.array(arrays, f"{index}:features", np.int64, (None,))
        checks.within(chosen, 0, len(features), "a column of a member is out of range")
        checks.need(chosen.size > 0 and (np.diff(chosen) > 0).all(), "the columns of a member are not in order")
        seen = tuple(features[j] for j in chosen)
    checks.within(classes, 0, max(n_classes, 1), "a class of a member is out of range")
    checks.need((np.diff(classes) > 0).all(), "a member lists a class twice, or not in order")
    checks.need((len(classes) > 0) == (n_classes > 0), "a member knows no class")
    model = read_model(entry.get("kind"), own, entry["model"], seen, len(classes))
    return Member(model, weight, classes, chosen)


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
