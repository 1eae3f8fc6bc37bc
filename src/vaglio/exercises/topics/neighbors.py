"""Exercises on nearest neighbours: distances, the vote, the weighted vote."""

from __future__ import annotations

from math import sqrt

import numpy as np

from vaglio.exercises.answers import Number, Word, Words
from vaglio.exercises.drawing import until
from vaglio.exercises.sheet import Draft


def nearest(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Distances of a new point, its neighbours, their vote."""
    say, n = draft.say, 6 + level

    def make() -> tuple[np.ndarray, list[str], np.ndarray]:
        labels = [str(each) for each in draw.choice(["A", "B"], size=n)]
        return draw.integers(0, 11, size=(n, 2)), labels, draw.integers(2, 9, size=2)

    def squares(points: np.ndarray, x: np.ndarray) -> list[int]:
        return [int(each) for each in ((points - x) ** 2).sum(axis=1)]

    def fits(made: tuple[np.ndarray, list[str], np.ndarray]) -> bool:
        points, labels, x = made
        ordered = sorted(squares(points, x))
        # No two rows are equally far, and one neighbour decides otherwise than three.
        if len(set(ordered)) < n or ordered[0] == 0 or len(set(labels)) < 2:
            return False
        order = np.argsort(squares(points, x))
        three = [labels[i] for i in order[:3]]
        shares = _weights(points, labels, x, 3)
        return labels[order[0]] != max(set(three), key=three.count) and abs(shares["A"] - shares["B"]) > 0.02

    points, labels, x = until(make, fits)
    away = squares(points, x)
    order = np.argsort(away).tolist()
    draft.text(say("Rows of two classes, and a new point x = ({a:,}, {b:,}).", a=int(x[0]), b=int(x[1])))
    draft.table(
        [say("row"), "x1", "x2", say("class")],
        [[i, *p.tolist(), c] for i, (p, c) in enumerate(zip(points, labels, strict=True), 1)],
    )
    draft.facts = {"points": points.tolist(), "labels": labels, "x": x.tolist()}
    first = order[0]
    draft.ask(
        say("What is the Euclidean distance of row {row:,} from x?", row=first + 1),
        Number(sqrt(away[first])),
        f"√{away[first]} = {draft.show(sqrt(away[first]))}",
        mistakes=[
            (say("no square root"), Number(away[first])),
            (say("the Manhattan distance"), Number(int(np.abs(points[first] - x).sum()))),
        ],
    )
    other = order[3]
    draft.ask(
        say("What is the Manhattan distance of row {row:,} from x?", row=other + 1),
        Number(int(np.abs(points[other] - x).sum()), 0),
    )
    every = [f"{i + 1}: √{away[i]} = {draft.show(sqrt(away[i]))}" for i in order]
    draft.ask(
        say("Which three rows are nearest to x, by the Euclidean distance?"), Words.of(i + 1 for i in order[:3]), *every
    )
    draft.ask(say("Which class does x get with K = 1?"), Word(labels[first]))
    three = [labels[i] for i in order[:3]]
    majority = max(set(three), key=three.count)
    draft.ask(
        say("Which class does x get with K = 3?"),
        Word(majority),
        mistakes=[(say("the class of the nearest row"), Word(labels[first]))],
    )
    if level > 1:
        shares = _weights(points, labels, x, 3)
        draft.ask(
            say("What is the share of class A among the three nearest rows, each with weight 1/d²?"),
            Number(shares["A"]),
            " + ".join(f"1/{away[i]} ({labels[i]})" for i in order[:3]),
            mistakes=[(say("weights 1/d"), Number(_weights(points, labels, x, 3, power=1)["A"]))],
        )
    if level > 2:
        # Leave one out: does the nearest other row of row 1 have its class?
        pairs = ((points[:, None] - points[None]) ** 2).sum(axis=2).astype(float)
        np.fill_diagonal(pairs, np.inf)
        best = pairs.min(axis=1)
        clear = [i for i in range(n) if (pairs[i] == best[i]).sum() == 1]
        row = clear[0] if clear else 0
        neighbour = int(pairs[row].argmin())
        if clear:
            draft.ask(
                say("Which other row is nearest to row {row:,}?", row=row + 1),
                Words.of([neighbour + 1]),
            )
            draft.ask(
                say("Leave one out with K = 1: is row {row:,} classified correctly? (yes or no)", row=row + 1),
                Word(say("yes") if labels[row] == labels[neighbour] else say("no")),
            )


def _weights(points: np.ndarray, labels: list[str], x: np.ndarray, k: int, power: int = 2) -> dict[str, float]:
    away = np.sqrt(((points - x) ** 2).sum(axis=1))
    near = np.argsort(away)[:k]
    total = sum(1 / away[i] ** power for i in near)
    return {label: float(sum(1 / away[i] ** power for i in near if labels[i] == label) / total) for label in ("A", "B")}
