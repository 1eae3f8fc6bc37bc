"""Why many trees decided so: their votes, how much each column moved the prediction, and a typical path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode import EncodedMatrix
from vaglio.explanation.context import Context
from vaglio.explanation.contributions import more_columns
from vaglio.explanation.explanation import Explanation, Reason
from vaglio.learners.forest.model.forest import Forest
from vaglio.learners.trees.explain import conditions_to
from vaglio.learners.trees.model.tree import LINEAR, Tree
from vaglio.messages.message import Message, join, text
from vaglio.messages.sentences import plural
from vaglio.model.condition import condition_text, rule_message

# Columns shown by themselves; what the others add is summed up in one line.
_SHOWN = 8


@dataclass(frozen=True)
class TreeOfMany:
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

    def add(self, part: TreeOfMany) -> None:
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

    def _walk(self, part: TreeOfMany, rows: np.ndarray, node: np.ndarray) -> None:
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


def explain_forest(model: Forest, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    """Explain each row by the votes of the trees and the share of each column in them."""
    answers = model.predict(matrix)[:, None] if model.regression else model.predict_proba(matrix)
    tally = Tally(answers, matrix.n_features, context)
    tally.add_forest(model, matrix)
    return [_explain(tally, row, matrix, plural(model.n_trees, "tree")) for row in range(matrix.n_rows)]


def explain_trees(
    answers: np.ndarray, parts: Iterator[TreeOfMany], matrix: EncodedMatrix, context: Context, who: str
) -> list[Explanation]:
    """Explain what trees that decide together say about each row."""
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
        return Explanation(
            float(answer[0]), measure=Message("share-in-mean", "share in the mean of {who}", who=who), **sides
        )
    notes = [votes_in_words(tally.votes[row], who, context)]
    typical = tally.typical[row]
    if typical is not None:
        number, tree, leaf, columns = typical
        seen = Context(tuple(context.features[j] for j in columns), context.classes)
        notes.append(
            Message(
                "typical-tree",
                "the most typical of them (number {number}): {rule}",
                number=number + 1,
                rule=rule_message(map(condition_text, conditions_to(tree, leaf, seen)), str(context.label(best))),
            )
        )
    ranked = context.ranked(answer)
    second = ranked[1] if len(ranked) > 1 and answer[ranked[1]] > 0 else None
    return Explanation(
        decision=context.label(best),
        probability=float(answer[best]),
        runner_up=None if second is None else context.label(second),
        notes=tuple(notes),
        measure=Message("share-in-probability", "share in the probability of {label}", label=str(context.label(best))),
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
        found.append(Reason(more_columns(len(rest)), weight=float(moved[rest].sum())))
    told = (
        Message("start-at-mean", "start: the mean of the training rows")
        if context.classes is None
        else Message("start-at-frequency", "start: how frequent the class is")
    )
    found.append(Reason(told, weight=float(tally.start[row])))
    return sorted(found, key=lambda reason: -abs(reason.weight or 0.0))


def votes_in_words(votes: np.ndarray, who: str, context: Context) -> str:
    """Return the share of each class in the votes."""
    order = [int(c) for c in np.argsort(-votes, kind="stable") if votes[c] > 0]
    shares = [text("{label} {share:.0%}", label=str(context.label(c)), share=float(votes[c])) for c in order]
    return Message("votes", "votes of {who}: {shares}", who=who, shares=join(", ", shares))


def cuts_of_forest(model: Forest, context: Context) -> dict[int, Sequence[float]]:
    """The thresholds of some of the trees, by feature."""
    found = zip(context.features, model.cuts, strict=True)
    return {j: cuts.tolist() for j, (feature, cuts) in enumerate(found) if cuts.size and not feature.is_nominal}


def leaves_of_forest(model: Forest, matrix: EncodedMatrix) -> tuple[np.ndarray, np.ndarray]:
    """The leaf of each row in each tree; all trees weigh the same."""
    return model.apply(matrix), np.full(model.n_trees, 1 / model.n_trees)
