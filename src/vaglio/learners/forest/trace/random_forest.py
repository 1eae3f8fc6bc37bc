"""Random forests: the rows each tree did not see, its root, and the votes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vaglio.document.document import Page
from vaglio.document.notation import fixed, percent
from vaglio.document.training import Training
from vaglio.learners.forest.model.forest import Forest
from vaglio.learners.trees.model.tree_outline import test_text
from vaglio.runtime.seeds import seed_of

# Rows that are listed by number: more fill several pages.
_MOST_ROWS = 40


def announce_winner(page: Page, training: Training, sums: np.ndarray) -> None:
    """Write the sum of each class and the class of the largest."""
    best = int(np.argmax(sums))
    rows = [[label, fixed(v), percent(v / sums.sum())] for label, v in zip(training.classes, sums)]
    page.table([page.say("class"), page.say("col_votes"), page.say("col_share")], rows, chosen=[best])
    page.text(page.say("decision_is", label=training.classes[best], share=percent(sums[best] / sums.sum())))
    page.facts |= {"votes": dict(zip(training.classes, sums.tolist())), "decision": training.classes[best]}


def trace_random_forest(page: Page, training: Training) -> None:
    """Write the root and the size of each tree, the rows it did not see, and the vote on a row."""
    say, estimator, forest = page.say, training.estimator, training.model
    page.section(say("samples"))
    page.text(say("forest_rule", trees=forest.n_trees, n=len(training.y), features=str(estimator.max_features)))
    drawn = estimator._draws(len(training.y))
    unseen = _left_out(training, forest, drawn) if drawn else [np.empty(0, int)] * forest.n_trees
    lines = []
    for number in range(forest.n_trees):
        tree = forest.tree(number, training.features)
        root = test_text(tree, 0, training.features) if not tree.is_leaf[0] else "–"
        left = (
            " ".join(str(i + 1) for i in unseen[number]) if len(training.y) <= _MOST_ROWS else str(len(unseen[number]))
        )
        lines.append([str(number + 1), root, str(int(tree.is_leaf.sum())), left])
    columns = [say("col_tree"), say("col_root"), say("col_leaves"), say("left_out")]
    page.table(columns, lines, most=training.most_steps)
    page.text(say("left_out_share"))
    page.facts["left_out"] = [(rows + 1).tolist() for rows in unseen]
    if training.row is None:
        page.text(say("no_row"))
        return
    votes = [forest.tree(i, training.features).predict_proba(training.row)[0] for i in range(forest.n_trees)]
    shared_vote(page, training, np.array(votes), "soft")


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
    page.section(page.say("votes"))
    page.text(page.say("votes_soft" if vote == "soft" else "votes_hard"))
    rows = [[str(i), *map(fixed, line)] for i, line in enumerate(votes, start=1)]
    page.table([page.say("col_member"), *training.classes], rows, most=training.most_steps)
    announce_winner(page, training, votes.sum(axis=0))
