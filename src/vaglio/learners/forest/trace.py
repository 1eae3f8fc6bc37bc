"""Random forests: the rows each tree did not see, its root, the votes, and the regions after each tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from math import exp
from typing import Any

import numpy as np

from vaglio.document.animation import MAX_FRAMES, AnimationContext, Frame
from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.learners.forest.model.forest import Forest
from vaglio.learners.trees.model.rules import test_text
from vaglio.runtime.seeds import seed_of

# Rows that are listed by number: more fill several pages.
_MOST_ROWS = 40
# Rows of a table of similarities, and neighbours that are listed of a row.
_MOST_SQUARE, _MOST_SIMILAR = 20, 10


def announce_winner(page: Page, training: Training, sums: np.ndarray) -> None:
    """Write the sum of each class and the class of the largest."""
    best = int(np.argmax(sums))
    rows = [[label, page.say.fixed(v), page.say.percent(v / sums.sum())] for label, v in zip(training.classes, sums)]
    page.table([page.say("class"), page.say("votes"), page.say("share")], rows, chosen=[best])
    page.text(
        page.say(
            "Decision: {label} ({share}).",
            label=training.classes[best],
            share=page.say.percent(sums[best] / sums.sum()),
        )
    )
    page.facts |= {"votes": dict(zip(training.classes, sums.tolist())), "decision": training.classes[best]}


def trace_random_forest(page: Page, training: Training) -> None:
    """Write the root and the size of each tree, the rows it did not see, and the vote on a row."""
    say, estimator, forest = page.say, training.estimator, training.model
    page.section(say("Samples"))
    page.text(
        say("{trees} trees, each grown on {n} rows drawn with replacement.", trees=forest.n_trees, n=len(training.y))
    )
    if estimator.features_per_tree is not None:
        page.text(
            say("Each tree uses a random subset of the attributes ({features}).", features=estimator.features_per_tree)
        )
    if estimator.max_features is not None:
        page.text(
            say("Each split considers a random subset of the attributes ({features}).", features=estimator.max_features)
        )
    drawn = estimator._draws(len(training.y))
    unseen = _left_out(training, forest, drawn) if drawn else [np.empty(0, int)] * forest.n_trees
    lines = []
    for number in range(forest.n_trees):
        tree = forest.tree(number, training.features)
        root = say.text(test_text(tree, 0, training.features)) if not tree.is_leaf[0] else "–"
        left = (
            " ".join(str(i + 1) for i in unseen[number]) if len(training.y) <= _MOST_ROWS else str(len(unseen[number]))
        )
        lines.append([str(number + 1), root, str(int(tree.is_leaf.sum())), left])
    columns = [say("tree"), say("test at the root"), say("leaves"), say("left out")]
    page.table(columns, lines, most=training.most_steps)
    page.text(
        say(
            "About {share:.0%} of the rows, (1 − 1/n)^n → 1/e, are left out of each sample. They give the "
            "out-of-bag estimate.",
            share=exp(-1),
        )
    )
    page.facts["left_out"] = [(rows + 1).tolist() for rows in unseen]
    _similarity(page, training, forest)
    if training.row is None:
        page.text(
            say("Give a row to see its prediction.")
            if training.is_numeric
            else say("Give a row to see how it is classified.")
        )
        return
    if training.is_numeric:
        said = [float(forest.tree(i, training.features).predict(training.row)[0]) for i in range(forest.n_trees)]
        write_mean(page, training, np.array(said))
        return
    votes = [forest.tree(i, training.features).predict_proba(training.row)[0] for i in range(forest.n_trees)]
    shared_vote(page, training, np.array(votes), estimator.voting)


def _similarity(page: Page, training: Training, forest: Forest) -> None:
    """Write the share of trees in which rows end in the same leaf: with a row, its most similar rows."""
    say, n = page.say, len(training.y)
    if training.row is None and n > _MOST_SQUARE:
        return
    leaf, target = forest.apply(training.matrix), "y" if training.is_numeric else say("class")
    page.section(say("Similarity"))
    page.text(
        say(
            "The similarity of two rows is the share of the {trees} trees in which they end in the same leaf; the "
            "distance is 1 minus it.",
            trees=forest.n_trees,
        )
    )
    asked = leaf if training.row is None else forest.apply(training.row)
    shared = (asked[:, None, :] == leaf[None]).sum(axis=2)
    page.facts["similarity"] = (shared / forest.n_trees).tolist()
    if training.row is None:
        lines = [[str(i + 1), training.target_text(say, i), *map(str, line)] for i, line in enumerate(shared)]
        head = [say("row"), target, *(str(i + 1) for i in range(n))]
        page.table(head, lines, say("Trees in which two rows share the leaf"))
        return
    order = np.argsort(-shared[0], kind="stable")[:_MOST_SIMILAR]
    lines = [
        [
            str(i + 1),
            training.target_text(say, i),
            f"{say.fraction(shared[0, i], forest.n_trees)} = {say.fixed(shared[0, i] / forest.n_trees)}",
            say.fixed(1 - shared[0, i] / forest.n_trees),
        ]
        for i in order.tolist()
    ]
    head = [say("row"), target, say("similarity"), say("distance")]
    page.table(head, lines, say("The most similar training rows"))


def _left_out(training: Training, forest: Forest, draws: int) -> list[np.ndarray]:
    """The rows each tree did not draw.

    A forest keeps no samples, but counts for each row the trees that did not draw it: the rows whose count grows with
    one more tree are those which that tree did not draw.
    """
    seed, before, found = seed_of(training.estimator.random_state), np.zeros(len(training.y)), list[np.ndarray]()
    for trees in range(1, forest.n_trees + 1):
        part = replace(forest, nodes=forest.nodes[: forest.starts[trees]], starts=forest.starts[: trees + 1])
        _, asked = part.predict_unseen(training.matrix, draws, seed)
        found.append(np.flatnonzero(asked > before))
        before = asked
    return found


def shared_vote(page: Page, training: Training, votes: np.ndarray, vote: str) -> None:
    """Write what every member says about the row, and the class that wins."""
    page.section(page.say("Votes"))
    page.text(
        page.say("The class probabilities of all members are added.")
        if vote == "soft"
        else page.say("Each member has one vote.")
    )
    rows = [[str(i), *map(page.say.fixed, line)] for i, line in enumerate(votes, start=1)]
    page.table([page.say("member"), *training.classes], rows, most=training.most_steps)
    announce_winner(page, training, votes.sum(axis=0))


def write_mean(page: Page, training: Training, said: np.ndarray, weight: np.ndarray | None = None) -> None:
    """Write what every member predicts for the row, and their mean."""
    say, w = page.say, np.ones(len(said)) if weight is None else weight
    page.section(say("The mean"))
    rows = [
        [str(i), say.fixed(y), *([] if weight is None else [say.fixed(share)])]
        for i, (y, share) in enumerate(zip(said, w), 1)
    ]
    head = [say("member"), "ŷ", *([] if weight is None else [say("weight")])]
    page.table(head, rows, most=training.most_steps)
    predicted, total = float(w @ said / w.sum()), say.fixed(float(w @ said))
    how = "(1/M)·Σ ŷ" if weight is None else "Σ w·ŷ / Σ w"
    page.formula(f"ŷ = {how} = {total} / {say.fixed(float(w.sum()))} = {say.fixed(predicted)}")
    if weight is None:
        spread = say.figures(float(said.std()))
        page.text(say("The members differ by a standard deviation of {spread}: the mean evens it out.", spread=spread))
    page.text(say("Prediction: {number}.", number=say.short(float(f"{predicted:.6g}"))))
    page.facts |= {"members": said.tolist(), "prediction": predicted}


def animate_members(context: AnimationContext) -> list[Frame]:
    """Make one picture per member: the vote, or the mean, of all up to it."""
    if context.plane is None:
        return []
    members = islice(context.estimator.estimators_, MAX_FRAMES)
    grid = context.like_source(context.points)
    together = _means(members, grid) if context.training.is_numeric else _votes(members, grid, context.estimator)
    return [
        Frame(context.say("Members: {n}", n=number), context.marks(predicted))
        for number, predicted in enumerate(together, start=1)
    ]


def _means(members: Iterable[Any], grid: Any) -> Iterator[np.ndarray]:
    """What members predict on average, with each one more."""
    total: np.ndarray | float = 0.0
    for number, member in enumerate(members, start=1):
        total = total + np.asarray(member.predict(grid))
        yield total / number


def _votes(members: Iterable[Any], grid: Any, estimator: Any) -> Iterator[np.ndarray]:
    """The class with the most votes, with each member more."""
    classes = np.asarray(estimator.classes_)
    votes: np.ndarray | float = 0.0
    for member in members:
        if isinstance(estimator.fitted_.model, Forest):  # whose trees say shares
            votes = votes + member.predict_proba(grid)
        else:
            votes = votes + (np.asarray(member.predict(grid))[:, None] == classes)
        yield classes[np.asarray(votes).argmax(axis=1)]
