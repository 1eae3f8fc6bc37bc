"""Why many models decided so: their votes; of trees, how much each column moved the prediction and a typical path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation._context import Context
from vaglio.explanation._explanation import Explanation, Reason, in_words
from vaglio.explanation.by_kind import cuts, explainers, leaves
from vaglio.learners.ensembles.model.ensemble import Ensemble, Member
from vaglio.learners.ensembles.model.voting import Voting
from vaglio.learners.forest.model.forest import MOST_TREES, Forest
from vaglio.learners.trees.explain import conditions_to, thresholds
from vaglio.learners.trees.model.binary_nodes import LINEAR
from vaglio.learners.trees.model.tree import Tree
from vaglio.model.kinds import KINDS

# Columns shown by themselves; what the others add is summed up in one line.
_SHOWN = 8
# Reasons that are told of each of several different learners.
_SHOWN_OF_MEMBER = 3


@dataclass(frozen=True)
class Part:
    """A tree of an ensemble.

    Attributes
    ----------
    tree : Tree
    seen : EncodedMatrix
        The rows as it sees them.
    columns : int64
        The columns it sees.
    says : float64 (nodes, K)
        What its nodes predict for every class, or the number.
    weight : float
        Of its vote; all together 1.
    """

    tree: Tree
    seen: EncodedMatrix
    columns: np.ndarray
    says: np.ndarray
    weight: float


class Tally:
    """What the trees make of rows, gathered tree by tree.

    Attributes
    ----------
    moved : float64 (n, n_features)
        How much each column moved the prediction for the class decided on: its Shapley value. In a tree with tests of
        several columns at once, every step down changes the values of the node, and the change is credited to the
        columns the step tested.
    start : float64 (n,)
        What the trees predict for that class when no column is known; together with ``moved`` it is the prediction.
    votes : float64 (n, K)
        Weight of the trees that decide for each class.
    typical : list of (int, Tree, leaf, columns)
        Of the trees that decide as all do, the one whose leaf is most like the prediction of all; of several the
        one with the shortest path.
    """

    def __init__(self, answers: np.ndarray, n_features: int, context: Context) -> None:
        n, k = answers.shape
        self.answers = answers
        self.best = np.array([context.ranked(answer)[0] for answer in answers], dtype=np.int64)
        self._meant = np.eye(k)[self.best]
        self.context = context
        self.moved = np.zeros((n, n_features))
        self.start = np.zeros(n)
        self.votes = np.zeros((n, k))
        self.typical: list[tuple[int, Tree, int, np.ndarray] | None] = [None] * n
        self._unlike = np.full(n, np.inf)
        self.parts = 0

    def add(self, part: Part) -> None:
        rows = np.arange(len(self.best))
        leaf = part.tree.apply(part.seen).astype(np.int64)
        code = np.argmax(part.says[leaf], axis=1)
        self.votes[rows, code] += part.weight
        if (part.tree.node_kind == LINEAR).any():
            self.start += part.weight * part.says[0, self.best]
            self._walk(part, rows, leaf)
        else:
            shares = part.weight * part.tree.contributions(part.seen, part.says, self._meant)
            self.moved[:, part.columns] += shares[:, :-1]
            self.start += shares[:, -1]
        # A long path is told last: it breaks ties only.
        unlike = np.abs(part.says[leaf] - self.answers).sum(axis=1) + 1e-9 * part.tree.depth_of[leaf]
        for i in np.flatnonzero((code == self.best) & (unlike < self._unlike)).tolist():
            self._unlike[i] = unlike[i]
            self.typical[i] = (self.parts, part.tree, int(leaf[i]), part.columns)
        self.parts += 1

    def add_forest(self, model: Forest, matrix: EncodedMatrix) -> None:
        """Add all trees of a forest at once; only the typical ones are taken out of it."""
        rows, everything = np.arange(matrix.n_rows), np.arange(matrix.n_features)
        shares = model.contributions(matrix, self._meant[:, None]) / model.n_trees
        self.moved += shares[:, :-1]
        self.start += shares[:, -1]
        leaf = model.apply(matrix).astype(np.int64)
        says = model.leaf_values[~model.nodes["link"][leaf]]
        code = np.argmax(says, axis=2)
        np.add.at(self.votes, (rows[:, None], code), 1 / model.n_trees)
        unlike = np.abs(says - self.answers[:, None]).sum(axis=2) + 1e-9 * model.node_depths[leaf]
        unlike[code != self.best[:, None]] = np.inf
        chosen = np.argmin(unlike, axis=1)
        told = np.isfinite(unlike[rows, chosen])
        trees = {number: model.tree(number, self.context.features) for number in np.unique(chosen[told]).tolist()}
        for i, number in zip(rows[told].tolist(), chosen[told].tolist()):
            self.typical[i] = (number, trees[number], int(leaf[i, number] - model.starts[number]), everything)

    def _walk(self, part: Part, rows: np.ndarray, node: np.ndarray) -> None:
        tree, says = part.tree, part.says
        above = tree.parent[node]
        while (above >= 0).any():
            inner = above >= 0
            i, child, parent = rows[inner], node[inner], above[inner]
            change = part.weight * (says[child, self.best[inner]] - says[parent, self.best[inner]])
            plain = tree.node_kind[parent] != LINEAR
            np.add.at(self.moved, (i[plain], part.columns[tree.feature[parent[plain]]]), change[plain])
            for row, at, step in zip(i[~plain].tolist(), parent[~plain].tolist(), change[~plain].tolist()):
                span = slice(int(tree.linear_start[at]), int(tree.linear_start[at + 1]))
                share = np.abs(tree.linear_coef[span])
                np.add.at(self.moved[row], part.columns[tree.linear_feature[span]], step * share / share.sum())
            node = np.where(inner, above, node)
            above = np.where(inner, tree.parent[node], -1)


@explainers.register("forest")
def explain_forest(model: Forest, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by the votes of the trees and the share of each column in them."""
    answers = model.predict(matrix)[:, None] if model.regression else model.predict_proba(matrix)
    tally = Tally(answers, matrix.n_features, context)
    tally.add_forest(model, matrix)
    return [_explain(tally, row, matrix, f"{model.n_trees} trees") for row in range(matrix.n_rows)]


@explainers.register("ensemble")
def explain_ensemble(model: Ensemble, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row likewise, as far as the members are trees; else by the votes alone."""
    answers = model.predict_proba(matrix) if model.n_classes else model.predict(matrix)[:, None]
    total = sum(member.weight for member in model.members)
    who = f"{len(model.members)} members"
    if not all(isinstance(member.model, Tree) for member in model.members):
        return _explained_by_votes(model, answers, matrix, context, who, total)
    everything = np.arange(matrix.n_features)
    parts = (
        Part(
            member.model,
            member.rows(matrix),
            everything if member.features is None else member.features,
            _full(_says(member.model, model.vote), member.classes, model.n_classes),
            member.weight / total,
        )
        for member in model.members
    )
    return _explained(answers, parts, matrix, context, who)


def _says(tree: Tree, vote: str | None) -> np.ndarray:
    """What each node would predict: the mean, the class probabilities, or one vote."""
    if vote == "hard" and not tree.regression:
        votes: np.ndarray = np.eye(tree.value.shape[1])[np.argmax(tree.says, axis=1)]
        return votes
    return tree.says


def _full(says: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    if n_classes in (0, len(classes)):
        return says
    full = np.zeros((len(says), n_classes))
    full[:, classes] = says
    return full


def _explained(
    answers: np.ndarray, parts: Iterator[Part], matrix: EncodedMatrix, context: Context, who: str
) -> list[Explanation]:
    tally = Tally(answers, matrix.n_features, context)
    for part in parts:
        tally.add(part)
    return [_explain(tally, row, matrix, who) for row in range(matrix.n_rows)]


def _explain(tally: Tally, row: int, matrix: EncodedMatrix, who: str) -> Explanation:
    context, answer, best = tally.context, tally.answers[row], int(tally.best[row])
    found = _reasons(tally, row, matrix)
    sides: dict[str, Any] = {
        "reasons": tuple(reason for reason in found if (reason.weight or 0.0) > 0),
        "against": tuple(reason for reason in found if (reason.weight or 0.0) < 0),
    }
    # Where a missing value shares a row out, the heaviest path alone does not lead to the prediction.
    total = float(tally.start[row] + tally.moved[row].sum())
    sides["total"] = total if np.isclose(total, answer[best]) else None
    if context.classes is None:
        return Explanation(float(answer[0]), measure=f"share in the mean of {who}", **sides)
    ranked = context.ranked(answer)
    second = ranked[1] if len(ranked) > 1 and answer[ranked[1]] > 0 else None
    return Explanation(
        decision=context.label(best),
        probability=float(answer[best]),
        runner_up=None if second is None else context.label(second),
        notes=(_votes(tally.votes[row], who, context), *_typical(tally, row)),
        measure=f"share in the probability of {context.label(best)}",
        **sides,
    )


def _reasons(tally: Tally, row: int, matrix: EncodedMatrix) -> list[Reason]:
    """The start and what each column moved, strongest first; the least are summed up in one."""
    context, moved = tally.context, tally.moved[row]
    order = [int(j) for j in np.argsort(-np.abs(moved), kind="stable") if moved[j] != 0]
    values = {j: context.value(matrix, row, j) for j in order[:_SHOWN]}
    found = [Reason(context.said(j, v), context.features[j].name, v, float(moved[j])) for j, v in values.items()]
    rest = order[_SHOWN:]
    if rest:
        text = f"{len(rest)} more column{'s' if len(rest) > 1 else ''} together"
        found.append(Reason(text, weight=float(moved[rest].sum())))
    told = "start: the mean of the training rows" if context.classes is None else "start: how frequent the class is"
    found.append(Reason(told, weight=float(tally.start[row])))
    return sorted(found, key=lambda reason: -abs(reason.weight or 0.0))


def _votes(votes: np.ndarray, who: str, context: Context) -> str:
    order = [int(c) for c in np.argsort(-votes, kind="stable") if votes[c] > 0]
    return f"votes of {who}: {', '.join(f'{context.label(c)} {votes[c]:.0%}' for c in order)}"


def _typical(tally: Tally, row: int) -> tuple[str, ...]:
    """The path of the most typical tree, as a rule."""
    if tally.typical[row] is None:
        return ()
    number, tree, leaf, columns = tally.typical[row]  # type: ignore[misc]
    seen = Context(tuple(tally.context.features[j] for j in columns), tally.context.classes)
    path = " AND ".join(in_words(condition, seen) for condition in conditions_to(tree, leaf, seen))
    label = tally.context.label(int(tally.best[row]))
    return (f"the most typical of them (number {number + 1}): IF {path or 'ANYTHING'} THEN {label}",)


def _explained_by_votes(
    model: Ensemble, answers: np.ndarray, matrix: EncodedMatrix, context: Context, who: str, total: float
) -> list[Explanation]:
    """Members that are no trees: how they voted, and what the weightiest of them has to say."""
    if context.classes is None:
        return [Explanation(float(answer[0]), notes=(f"the mean of {who}",)) for answer in answers]
    votes = np.zeros_like(answers)
    for member in model.members:
        votes[np.arange(len(votes)), member.decide(matrix)] += member.weight / total
    explanations = []
    for answer, vote in zip(answers, votes):
        ranked = context.ranked(answer)
        second = ranked[1] if len(ranked) > 1 and answer[ranked[1]] > 0 else None
        explanations.append(
            Explanation(
                decision=context.label(ranked[0]),
                probability=float(answer[ranked[0]]),
                runner_up=None if second is None else context.label(second),
                notes=(_votes(vote, who, context),),
            )
        )
    return explanations


# -- different learners ------------------------------------------------------------------------------------------------
@explainers.register("voting")
def explain_voting(model: Voting, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by what each member says, with which weight, and by the member's own reasons."""
    said, answers = model.each(matrix), model.predict_proba(matrix)
    decided = np.stack([member.decide(matrix) for member in model.members])
    own = [_own_reasons(member, matrix, context) for member in model.members]
    what, explanations = "votes" if model.vote == "hard" else "mean probability", []
    for row, answer in enumerate(answers):
        ranked = context.ranked(answer)
        best, second = ranked[0], ranked[1] if len(ranked) > 1 and answer[ranked[1]] > 0 else None
        votes = [_vote_of(model, i, said[i, row], int(code), best, context) for i, code in enumerate(decided[:, row])]
        order = sorted(range(len(votes)), key=lambda i: -(votes[i].weight or 0.0))
        explanations.append(
            Explanation(
                decision=context.label(best),
                probability=float(answer[best]),
                runner_up=None if second is None else context.label(second),
                reasons=tuple(votes[i] for i in order if decided[i, row] == best),
                against=tuple(votes[i] for i in order if decided[i, row] != best),
                notes=tuple(f"{model.names[i]}: {own[i][row]}" for i in order if own[i][row]),
                measure=f"share in the {what} of {context.label(best)}",
                total=float(answer[best]),
            )
        )
    return explanations


def _vote_of(model: Voting, i: int, said: np.ndarray, code: int, best: int, context: Context) -> Reason:
    chance = "" if model.vote == "hard" else f" ({said[code]:.1%})"
    share = float(model.shares[i])
    text = f"{model.names[i]} votes {context.label(code)}{chance}, weight {share:.0%}"
    return Reason(text, weight=share * float(said[best]))


def _own_reasons(member: Member, matrix: EncodedMatrix, context: Context) -> list[str]:
    """What speaks most for each row's class in the eyes of one member; nothing for models of other libraries."""
    explain = explainers.find(member.model.kind) if member.model.kind in KINDS else None
    if explain is None:
        return [""] * matrix.n_rows
    labels = None if context.classes is None else np.asarray(context.classes)[member.classes]
    seen = replace(context, classes=labels, cost=None)  # a member votes by itself; the costs decide among the votes
    told = []
    for explanation in explain(member.model, member.rows(matrix), seen):
        reasons = [reason.text for reason in explanation.reasons if reason.feature is not None] or [
            reason.text for reason in explanation.reasons
        ]
        why = ", ".join(reasons[:_SHOWN_OF_MEMBER]) or "; ".join(explanation.notes[:1])
        told.append(f"{explanation.decision} because {why}" if why else "")
    return told


@cuts.register("voting")
def cuts_of_voters(model: Voting, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of the members that are made of thresholds, by feature."""
    found: dict[int, list[float]] = {}
    for member in model.members:
        find = cuts.find(member.model.kind) if member.model.kind in KINDS else None
        for feature, values in (find(member.model, context) if find is not None else {}).items():
            found.setdefault(feature, []).extend(values)
    return {feature: sorted(set(values)) for feature, values in found.items()}


@cuts.register("forest")
def cuts_of_forest(model: Forest, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of some of the trees, by feature."""
    found = zip(context.features, model.cuts, strict=True)
    return {j: cuts.tolist() for j, (feature, cuts) in enumerate(found) if cuts.size and not feature.is_nominal}


@cuts.register("ensemble")
def cuts_of_members(model: Ensemble, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of some of the members that are trees, by feature."""
    everything = np.arange(len(context.features))
    trees = [member for member in model.members if isinstance(member.model, Tree)]
    chosen = trees[:: max(1, len(trees) // MOST_TREES)]
    return thresholds((member.model, everything if member.features is None else member.features) for member in chosen)


@leaves.register("forest")
def leaves_of_forest(model: Forest, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each row in each tree; all trees weigh the same."""
    return model.apply(matrix), np.full(model.n_trees, 1 / model.n_trees)


@leaves.register("ensemble")
def leaves_of_members(model: Ensemble, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray] | None:
    """The leaf of each row in each member, and the weights of the members; None if some are no trees."""
    if not all(isinstance(member.model, Tree) for member in model.members):
        return None
    weight = np.array([member.weight for member in model.members])
    found = [member.model.apply(member.rows(matrix)) for member in model.members]
    return np.column_stack(found), weight / weight.sum()
