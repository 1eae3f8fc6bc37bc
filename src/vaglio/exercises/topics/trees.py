"""Exercises on decision trees: entropy and gain, gain ratio, the Gini index, pruning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import log, prod

import numpy as np

from vaglio.exercises.answers import Number, Word
from vaglio.exercises.drawing import Rows, draw_rows, entropy, entropy_work, gini, until
from vaglio.exercises.sheet import Draft
from vaglio.tracing import trace

# Two attributes that differ by less look equal to a student who rounds.
_CLEAR = 0.02


def _best(scores: list[float]) -> int:
    return max(range(len(scores)), key=scores.__getitem__)


def _is_clear(scores: list[float]) -> bool:
    ordered = sorted(scores, reverse=True)
    return len(ordered) < 2 or ordered[0] - ordered[1] > _CLEAR


def _gains(rows: Rows, left: tuple[int, ...]) -> list[float]:
    return [rows.gain(j) if j in left else -1.0 for j in range(len(rows.names))]


@dataclass(frozen=True)
class _Node:
    """A leaf with its class, or a test of an attribute with a node per value."""

    label: str = ""
    attribute: int = -1
    branches: Mapping[str, _Node] = field(default_factory=dict)

    @property
    def leaves(self) -> int:
        return sum(node.leaves for node in self.branches.values()) if self.branches else 1

    def predict(self, cells: Sequence[str]) -> str | None:
        """Return the class of a row; None for a value that no training row has here."""
        if not self.branches:
            return self.label
        below = self.branches.get(cells[self.attribute])
        return None if below is None else below.predict(cells)


def _grow(rows: Rows, left: tuple[int, ...]) -> _Node | None:
    """Return the tree of ID3; None where a choice or a majority is not clear."""
    if len(set(rows.labels)) == 1:
        return _Node(rows.labels[0])
    gains = _gains(rows, left)
    if not left or max(gains) < _CLEAR or not _is_clear(gains):
        return None
    at = _best(gains)
    parts, branches = rows.branches(at), {}
    if len(parts) < len(rows.values[at]):  # a value without rows would be a leaf of its own
        return None
    for value, part in parts.items():
        below = _grow(part, tuple(j for j in left if j != at))
        if below is None:
            return None
        branches[value] = below
    return _Node("", at, branches)


def _gain_work(draft: Draft, rows: Rows, j: int) -> list[str]:
    say = draft.say
    lines = [
        f"H({rows.names[j]} = {value}) = {entropy_work(part.labels, say)}" for value, part in rows.branches(j).items()
    ]
    parts = [f"{len(p.labels)}/{len(rows.labels)}·{draft.show(entropy(p.labels))}" for p in rows.branches(j).values()]
    lines.append(
        f"{say('gain')} = {draft.show(entropy(rows.labels))} − ({' + '.join(parts)}) = {draft.show(rows.gain(j))}"
    )
    return lines


def _gain_mistakes(draft: Draft, rows: Rows, j: int) -> list[tuple[str, Number]]:
    say, branches = draft.say, rows.branches(j)
    mean = sum(entropy(part.labels) for part in branches.values()) / len(branches)
    return [
        (say("the branches were not weighted by their rows"), Number(entropy(rows.labels) - mean)),
        (say("the entropy after the split was not subtracted"), Number(rows.after(j))),
        (say("natural logarithms"), Number(rows.gain(j) * log(2))),
    ]


def _ask_entropy(draft: Draft, rows: Rows) -> None:
    say, value = draft.say, entropy(rows.labels)
    draft.ask(
        say("What is the entropy of {target} in bits?", target=rows.target),
        Number(value),
        f"H = {entropy_work(rows.labels, say)}",
        mistakes=[(say("natural logarithms"), Number(value * log(2))), (say("the sign"), Number(-value))],
    )


def _new_row(draw: np.random.Generator, rows: Rows, tree: _Node) -> tuple[str, ...]:
    def make() -> tuple[str, ...]:
        return tuple(str(draw.choice(each)) for each in rows.values)

    found: tuple[str, ...] = until(make, lambda cells: cells not in rows.cells and tree.predict(cells) is not None)
    return found


def id3(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Entropy, gains, root; below the root; the whole tree."""
    say, every = draft.say, tuple(range(4 if level == 3 else 3))

    def fits(rows: Rows) -> bool:
        tree = _grow(rows, every)
        if tree is None or not tree.branches:
            return False
        pure = sum(not node.branches for node in tree.branches.values())
        # At least one leaf and one test below the root, and a row that nobody has seen.
        possible = prod(len(each) for each in rows.values)
        return 0 < pure < len(tree.branches) and len(set(rows.cells)) < possible and 4 <= tree.leaves <= 8

    rows = draw_rows(draw, say, 8 + 2 * level, len(every), fits, noise=0.05)
    tree = _grow(rows, every)
    assert tree is not None
    root = tree.attribute
    draft.text(say("The rows of a training set; the class is {target}.", target=rows.target))
    draft.table([say("row"), *rows.names, rows.target], rows.lines())
    draft.facts = rows.facts()
    _ask_entropy(draft, rows)
    for j in every if level > 1 else sorted({root, next(j for j in every if j != root)}):
        draft.ask(
            say("What is the information gain of {attribute}?", attribute=rows.names[j]),
            Number(rows.gain(j)),
            *_gain_work(draft, rows, j),
            mistakes=_gain_mistakes(draft, rows, j),
        )
    draft.ask(
        say("Which attribute does ID3 test at the root?"),
        Word(rows.names[root]),
        *(f"{say('gain')}({rows.names[j]}) = {draft.show(rows.gain(j))}" for j in every),
    )
    if level > 1:
        value, below = next((v, node) for v, node in tree.branches.items() if node.branches)
        draft.ask(
            say("Which attribute is tested next where {attribute} = {value}?", attribute=rows.names[root], value=value),
            Word(rows.names[below.attribute]),
        )
        value, leaf = next((v, node) for v, node in tree.branches.items() if not node.branches)
        draft.ask(
            say("Which class has the leaf {attribute} = {value}?", attribute=rows.names[root], value=value),
            Word(leaf.label),
        )
    if level > 2:
        draft.ask(say("Draw the whole tree. How many leaves does it have?"), Number(tree.leaves, 0))
        row = _new_row(draw, rows, tree)
        draft.facts["row"] = list(row)
        told = ", ".join(f"{name} = {value}" for name, value in zip(rows.names, row, strict=True))
        draft.ask(say("Which class does the tree predict for {row}?", row=told), Word(tree.predict(row) or ""))
    draft.trace = trace("id3", *rows.xy(), lang=say.lang)


def c45(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Split information and gain ratio; the root; the threshold of a numeric attribute."""
    say, every = draft.say, (0, 1, 2)

    def ratios(rows: Rows) -> list[float]:
        return [rows.gain(j) / rows.split_information(j) if rows.split_information(j) else 0.0 for j in every]

    def fits(rows: Rows) -> bool:
        return all(len(rows.branches(j)) == len(rows.values[j]) for j in every) and _is_clear(ratios(rows))

    rows = draw_rows(draw, say, 10 + 2 * level, 3, fits)
    draft.text(say("The rows of a training set; the class is {target}.", target=rows.target))
    draft.table([say("row"), *rows.names, rows.target], rows.lines())
    draft.facts = rows.facts()
    _ask_entropy(draft, rows)
    for j in every if level > 1 else every[:1]:
        split, gain = rows.split_information(j), rows.gain(j)
        draft.ask(
            say("What is the split information of {attribute}?", attribute=rows.names[j]),
            Number(split),
            f"{say('split information')} = {entropy_work([row[j] for row in rows.cells], say)}",
            mistakes=[(say("natural logarithms"), Number(split * log(2)))],
        )
        draft.ask(
            say("What is the gain ratio of {attribute}?", attribute=rows.names[j]),
            Number(gain / split),
            *_gain_work(draft, rows, j),
            f"{say('gain ratio')} = {draft.show(gain)} / {draft.show(split)} = {draft.show(gain / split)}",
            mistakes=[
                (say("the gain was not divided by the split information"), Number(gain)),
                (say("multiplied instead of divided"), Number(gain * split)),
            ],
        )
    if level > 1:
        draft.ask(
            say("Which attribute has the highest gain ratio?"),
            Word(rows.names[_best(ratios(rows))]),
            mistakes=[(say("the highest gain"), Word(rows.names[_best([rows.gain(j) for j in every])]))],
        )
    if level > 2:
        _ask_threshold(draft, draw, rows.classes)


def _ask_threshold(draft: Draft, draw: np.random.Generator, classes: tuple[str, str] | tuple[str, ...]) -> None:
    """The best threshold of six sorted numbers."""
    say = draft.say

    def make() -> tuple[list[int], list[str]]:
        numbers = sorted(draw.choice(np.arange(10, 60), size=6, replace=False).tolist())
        return numbers, [classes[int(code)] for code in draw.integers(2, size=6)]

    def gain(labels: list[str], cut: int) -> float:
        after = (cut * entropy(labels[:cut]) + (6 - cut) * entropy(labels[cut:])) / 6
        return entropy(labels) - after

    def fits(made: tuple[list[int], list[str]]) -> bool:
        return len(set(made[1])) == 2 and _is_clear([gain(made[1], cut) for cut in range(1, 6)])

    numbers, labels = until(make, fits)
    draft.facts["numbers"], draft.facts["number_labels"] = numbers, labels
    cut = max(range(1, 6), key=lambda cut: gain(labels, cut))
    middle = Fraction(numbers[cut - 1] + numbers[cut], 2)
    told = ", ".join(f"{number} ({label})" for number, label in zip(numbers, labels, strict=True))
    draft.ask(
        say(
            "A numeric attribute has these values and classes: {values}. Which threshold, halfway between two values, "
            "has the highest gain?",
            values=told,
        ),
        Number(middle, 1),
        *(
            f"{say.short((numbers[c - 1] + numbers[c]) / 2)}: {say('gain')} = {draft.show(gain(labels, c))}"
            for c in range(1, 6)
        ),
    )


def _two_values(rows: Rows, j: int) -> list[tuple[str, Fraction]]:
    """Each split of an attribute in one value and the others, with the Gini index after it."""
    n = len(rows.labels)
    found = []
    values = [value for value in rows.values[j] if value in rows.branches(j)]
    for value in values if len(values) > 2 else values[:1]:
        parts = [part for others in (False, True) if (part := rows.taken(j, value, others)).labels]
        found.append((value, sum((Fraction(len(p.labels), n) * gini(p.labels) for p in parts), Fraction(0))))
    return found


def cart(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Gini index before and after a binary split; the best split."""
    say, every = draft.say, (0, 1, 2)

    def splits(rows: Rows) -> list[tuple[int, str, Fraction]]:
        return [(j, value, after) for j in every for value, after in _two_values(rows, j)]

    def fits(rows: Rows) -> bool:
        scores = [-float(after) for _, _, after in splits(rows)]
        return all(len(rows.branches(j)) == len(rows.values[j]) for j in every) and _is_clear(scores)

    rows = draw_rows(draw, say, 8 + 2 * level, 3, fits)
    draft.text(say("The rows of a training set; the class is {target}.", target=rows.target))
    draft.table([say("row"), *rows.names, rows.target], rows.lines())
    draft.facts = rows.facts()
    counts, n = Counter(rows.labels), len(rows.labels)
    squares = " − ".join(f"({count}/{n})²" for _, count in sorted(counts.items()))
    before = gini(rows.labels)
    draft.ask(
        say("What is the Gini index of {target}?", target=rows.target),
        Number(before),
        f"1 − {squares} = {draft.show(before)}",
        mistakes=[
            (say("the squares were not subtracted from 1"), Number(1 - before)),
            (say("entropy instead of Gini"), Number(entropy(rows.labels))),
        ],
    )
    found = splits(rows)
    best = min(found, key=lambda each: each[2])
    asked = found if level > 2 else sorted({best, next(each for each in found if each != best)})
    for j, value, after in asked:
        inside, outside = rows.taken(j, value), rows.taken(j, value, others=True)
        draft.ask(
            say(
                "What is the Gini index after the split {attribute} = {value} against all other values?",
                attribute=rows.names[j],
                value=value,
            ),
            Number(after),
            f"{len(inside.labels)}/{n}·{draft.show(gini(inside.labels))} + "
            f"{len(outside.labels)}/{n}·{draft.show(gini(outside.labels))} = {draft.show(after)}",
            mistakes=[
                (
                    say("the branches were not weighted by their rows"),
                    Number((gini(inside.labels) + gini(outside.labels)) / 2),
                ),
                (say("the decrease instead of the index"), Number(before - after)),
            ],
        )
    draft.ask(
        say("Of the splits above, which attribute has the best one?"),
        Word(rows.names[best[0]]),
    )
    if level > 1:
        draft.ask(
            say("By how much does the best split lower the Gini index?"),
            Number(before - best[2]),
            f"{draft.show(before)} − {draft.show(best[2])} = {draft.show(before - best[2])}",
        )


def pruning(draft: Draft, draw: np.random.Generator, level: int) -> None:
    """Reduced-error pruning of one node; cost-complexity pruning."""
    say = draft.say
    names = ["A", "B", "C"][: 2 if level == 1 else 3]

    def make() -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        training = [(int(draw.integers(3, 10)), int(draw.integers(0, 3))) for _ in names]
        pruning = [(int(draw.integers(2, 9)), int(draw.integers(0, 6))) for _ in names]
        return training, pruning

    # Right rows and errors per leaf; the leaves predict P except the last.
    def errors(made: tuple[list[tuple[int, int]], list[tuple[int, int]]]) -> tuple[int, int, int, int]:
        training, held = made
        positive = sum(right for right, _ in training[:-1]) + training[-1][1]
        negative = sum(wrong for _, wrong in training[:-1]) + training[-1][0]
        held_positive = sum(right for right, _ in held[:-1]) + held[-1][1]
        held_negative = sum(wrong for _, wrong in held[:-1]) + held[-1][0]
        as_leaf = held_negative if positive > negative else held_positive
        return positive, negative, as_leaf, sum(wrong for _, wrong in held)

    def fits(made: tuple[list[tuple[int, int]], list[tuple[int, int]]]) -> bool:
        positive, negative, as_leaf, as_tree = errors(made)
        return positive != negative and as_leaf != as_tree and min(positive, negative) > sum(w for _, w in made[0])

    training, held = until(make, fits)
    positive, negative, as_leaf, as_tree = errors((training, held))
    rows = []
    for at, name in enumerate(names):
        label = "N" if at == len(names) - 1 else "P"
        (right, wrong), (held_right, held_wrong) = training[at], held[at]
        counts = [(right, wrong), (held_right, held_wrong)]
        if label == "N":
            counts = [(wrong, right), (held_wrong, held_right)]
        rows.append([name, label, *counts[0], *counts[1]])
    draft.text(
        say(
            "A node of a decision tree has {n:,} leaves. The table shows their classes, and how many rows of the "
            "classes "
            "P and N reach each: training rows, and pruning rows that were not used for growing.",
            n=len(names),
        )
    )
    draft.table(
        [say("leaf"), say("class"), say("training P"), say("training N"), say("pruning P"), say("pruning N")], rows
    )
    draft.facts = {"leaves": rows}
    label = "P" if positive > negative else "N"
    draft.ask(say("Which class would the node have if it were a leaf?"), Word(label), f"P: {positive}, N: {negative}")
    draft.ask(say("How many pruning rows does the tree misclassify as it is?"), Number(as_tree, 0))
    draft.ask(
        say("How many pruning rows does the node misclassify as a leaf?"),
        Number(as_leaf, 0),
        mistakes=[(say("the other class"), Number(sum(r for r, _ in held) + sum(w for _, w in held) - as_leaf, 0))],
    )
    draft.ask(
        say("Does reduced-error pruning make it a leaf? (yes or no)"),
        Word(say("yes") if as_leaf <= as_tree else say("no")),
        f"{as_leaf} {'≤' if as_leaf <= as_tree else '>'} {as_tree}",
    )
    if level > 1:
        n = positive + negative
        wrong = sum(w for _, w in training)
        alpha = Fraction(min(positive, negative) - wrong, n * (len(names) - 1))
        draft.ask(
            say(
                "Cost-complexity pruning: at which α does the node become a leaf? Errors are shares of the {n:,} "
                "training "
                "rows of this node.",
                n=n,
            ),
            Number(alpha),
            f"({min(positive, negative)}/{n} − {wrong}/{n}) / ({len(names)} − 1) = {draft.show(alpha)}",
            mistakes=[
                (
                    say("divided by the number of leaves, not by leaves − 1"),
                    Number(alpha * (len(names) - 1) / len(names)),
                )
            ],
        )
