"""The terms of an additive model as trees, so that programs, databases and the compiled predictor need nothing new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.encode import Feature
from vaglio.learners.additive.model.additive import Additive
from vaglio.learners.boosting.model.boosted import Boosted
from vaglio.learners.forest.model.forest import MISSING_RIGHT, NODE, Forest


@dataclass(frozen=True)
class _Leaf:
    value: float
    weight: float


@dataclass(frozen=True)
class _Cut:
    """A test of a column: by a threshold, or by the categories that go right."""

    feature: int
    threshold: float
    right_codes: tuple[int, ...] | None
    missing_right: bool
    left: Any
    right: Any


Join = Callable[[list[Any], Callable[[int, Any, Any], Any]], Any]


def boosted_of(model: Additive, flat: bool = False) -> Boosted:
    """Return boosted trees that say the same: one tree per term and score, added up in the order of the terms.

    Parameters
    ----------
    model : Additive
    flat : bool
        One test after the other, as people write CASE; else a search that halves the cells with every test.
    """
    join = _chained if flat else _halved
    roots = [_tree(model, term, k, join, flat) for term in range(model.n_terms) for k in range(model.outputs)]
    forest = _forest(roots or [_Leaf(0.0, 0.0)] * model.outputs, model.features)
    return Boosted(forest, model.intercept, model.link)


def _tree(model: Additive, term: int, output: int, join: Join, flat: bool) -> Any:
    first, second = model.terms[term].tolist()
    scores, weights = model.table(term)[..., output], model.table(term, "weights")
    if second < 0:
        return _branches(model, first, _leaves(scores, weights), join, flat)
    rows = []
    for line, weight in zip(scores, weights):
        slots = model.groups_of(second)
        rows.append(_branches(model, second, [_Leaf(float(line[g]), float(weight[g])) for g in slots], join, flat))
    return _branches(model, first, [rows[g] for g in model.groups_of(first)], join, flat)


def _leaves(scores: np.ndarray, weights: np.ndarray) -> list[Any]:
    return [_Leaf(value, weight) for value, weight in zip(scores.tolist(), weights.tolist())]


def _branches(model: Additive, feature: int, slots: list[Any], join: Join, flat: bool) -> Any:
    """Return the tests of a column that lead to what each of its slots holds; the last slot is for missing values."""
    column = model.features[feature]
    if column.is_nominal:
        return _by_category(feature, slots, join, flat)
    cuts = model.cuts_of(feature)
    ends = [i for i in range(len(slots) - 1) if i == len(slots) - 2 or not _same(slots[i], slots[i + 1])]
    parts = [slots[i] for i in ends]

    def cut(at: int, left: Any, right: Any) -> Any:
        return _Cut(feature, float(cuts[ends[at]]), None, True, left, right)

    present = join(parts, cut)
    last = np.inf if flat else np.finfo(np.float64).max
    if column.kind == "ordinal" and not flat:
        last = float(len(column.categories) - 1)
    return present if _same(present, slots[-1]) else _Cut(feature, last, None, True, present, slots[-1])


def _by_category(feature: int, slots: list[Any], join: Join, flat: bool) -> Any:
    """The same of a nominal column: categories of one content together, the one of missing values last."""
    kinds: list[tuple[Any, list[int]]] = []
    places: dict[Any, int] = {}
    for code, content in enumerate(slots):
        key = content.value if isinstance(content, _Leaf) else id(content)
        if key not in places:
            places[key] = len(kinds)
            kinds.append((content, []))
        kinds[places[key]][1].append(code)
    missing = len(slots) - 1
    kinds.sort(key=lambda kind: missing in kind[1])

    def cut(at: int, left: Any, right: Any) -> Any:
        # In a chain, categories that were found before stand among the others: each test names its own alone.
        others = kinds[:at] + kinds[at + 1 :] if flat else kinds[at + 1 :]
        codes = tuple(code for _, own in others for code in own if code != missing)
        return _Cut(feature, 0.0, codes, True, left, right)

    return join([content for content, _ in kinds], cut)


def _same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, _Leaf) and isinstance(b, _Leaf) and a.value == b.value)


def _chained(parts: list[Any], cut: Callable[[int, Any, Any], Any]) -> Any:
    found = parts[-1]
    for at in range(len(parts) - 2, -1, -1):
        found = cut(at, parts[at], found)
    return found


def _halved(parts: list[Any], cut: Callable[[int, Any, Any], Any], first: int = 0) -> Any:
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    left, right = _halved(parts[:half], cut, first), _halved(parts[half:], cut, first + half)
    return cut(first + half - 1, left, right)


def _forest(roots: list[Any], features: tuple[Feature, ...]) -> Forest:
    """Lay the tests out as a forest has them: both branches of a test beside each other."""
    starts, tables = [0], list[np.ndarray]()
    nodes: list[tuple[float, int, int]] = []
    leaves: list[tuple[float, float]] = []
    words = 0
    for root in roots:
        queue = [root]
        for content in queue:  # grows as it goes
            if isinstance(content, _Leaf):
                nodes.append((0.0, ~len(leaves), 0))
                leaves.append((content.value, content.weight))
                continue
            threshold = content.threshold
            if content.right_codes is not None:
                threshold = float(words)
                tables.append(_bitset(content.right_codes, len(features[content.feature].categories)))
                words += len(tables[-1])
            mark = int(MISSING_RIGHT) if content.missing_right else 0
            nodes.append((threshold, len(queue), content.feature | mark))
            queue += [content.left, content.right]
        starts.append(len(nodes))
    return Forest(
        nodes=np.array(nodes, dtype=NODE),
        starts=np.array(starts, dtype=np.int64),
        tables=np.concatenate([np.zeros(0, np.uint32), *tables]),
        leaves=np.array(leaves, dtype=np.float64).reshape(-1, 2),
        importances=np.zeros(len(features)),
        regression=True,
    )


def _bitset(codes: tuple[int, ...], n_categories: int) -> np.ndarray:
    bits = np.zeros((n_categories + 31) // 32 * 32, dtype=np.uint8)
    bits[list(codes)] = 1
    return np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32)
