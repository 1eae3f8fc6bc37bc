"""Random trees and rows for the tests of rules, and a tree walked by hand as their oracle."""

from __future__ import annotations

import numpy as np

from vaglio.encode import EncodedMatrix, Feature
from vaglio.learners.trees.model.tree import LEAF, LINEAR, MULTIWAY, SUBSET, THRESHOLD, Tree

AWKWARD = ("it's", 'a "b"', "größe\nzwei", "5", " ", "NULL")
FEATURES = (
    Feature("plain"),
    Feature('odd "name"; --'),
    Feature("colour", "nominal", AWKWARD),
    Feature("größe", "ordinal", ("small", "medium", "large", "huge")),
    Feature("code", "nominal", (1, 2, 30)),
    Feature("flag", "nominal", (False, True)),
)


def random_matrix(rng: np.random.Generator, n: int, missing: float = 0.2) -> EncodedMatrix:
    """Rows of FEATURES with missing values."""
    numeric = np.column_stack(
        [rng.integers(0, 8, n) / 7.0, rng.normal(size=n).round(1) * 1e-3, rng.integers(0, 4, n).astype(float)]
    )
    codes = np.column_stack([rng.integers(0, k, n) for k in (6, 3, 2)]).astype(np.int32)
    numeric[rng.random(numeric.shape) < missing] = np.nan
    codes[rng.random(codes.shape) < missing] = -1
    return EncodedMatrix(FEATURES, numeric, np.asfortranarray(codes))


def random_tree(rng: np.random.Generator, depth: int, n_classes: int, missing: str, linear: bool = False) -> Tree:
    """A tree of the arrays layout with random tests; ``missing`` is "share", "direction" or "mixed"."""
    nodes: list[dict] = []
    tables: list[int] = []
    terms: list[list[tuple[int, float]]] = []

    def add() -> int:
        value = rng.integers(0, 6, n_classes).astype(float) + (rng.random(n_classes) < 0.3)
        value[rng.integers(n_classes)] += 1
        nodes.append({"kind": LEAF, "feature": -1, "threshold": 0.0, "first": -1, "count": 0, "missing": -1})
        nodes[-1] |= {"table": -1, "value": value, "weight": float(value.sum())}
        terms.append([])
        return len(nodes) - 1

    pending = [(add(), 0)]
    while pending:
        node, level = pending.pop(0)
        if level == depth or (level and rng.random() < 0.2):
            continue
        entry = nodes[node]
        feature = int(rng.integers(len(FEATURES)))
        entry["feature"] = feature
        if linear and rng.random() < 0.4:
            entry |= {"kind": LINEAR, "feature": -1, "threshold": float(rng.normal())}
            terms[node] = [(0, float(rng.normal())), (1, float(rng.normal()) * 1e3)]
            count = 2
        elif FEATURES[feature].kind != "nominal":
            low, high = {0: (0.0, 1.0), 1: (-2e-3, 2e-3), 3: (0.0, 3.0)}[feature]
            entry |= {"kind": THRESHOLD, "threshold": float(rng.uniform(low, high))}
            count = 2
        else:
            k = len(FEATURES[feature].categories)
            entry["table"] = len(tables)
            if rng.random() < 0.5:
                entry["kind"] = SUBSET
                tables.append(int(rng.integers(1 << k)))
                count = 2
            else:
                entry["kind"] = MULTIWAY
                count = int(rng.integers(2, k + 1))
                tables.extend(rng.integers(0, count, k).tolist())
        entry |= {"first": len(nodes), "count": count}
        if missing == "direction" or (missing == "mixed" and rng.random() < 0.5):
            entry["missing"] = int(rng.integers(count))
        pending += [(add(), level + 1) for _ in range(count)]
    return _tree(nodes, tables, terms)


def _tree(nodes: list[dict], tables: list[int], terms: list[list[tuple[int, float]]]) -> Tree:
    column = {name: [node[name] for node in nodes] for name in nodes[0]}
    flat = [term for some in terms for term in some]
    return Tree(
        node_kind=np.array(column["kind"], dtype=np.uint8),
        feature=np.array(column["feature"], dtype=np.int32),
        threshold=np.array(column["threshold"]),
        first_child=np.array(column["first"], dtype=np.int32),
        n_children=np.array(column["count"], dtype=np.int32),
        missing_branch=np.array(column["missing"], dtype=np.int32),
        table_start=np.array(column["table"], dtype=np.int64),
        tables=np.array(tables, dtype=np.uint32),
        value=np.array(column["value"]),
        weight=np.array(column["weight"]),
        impurity=np.zeros(len(nodes)),
        gain=np.zeros(len(nodes)),
        linear_start=np.concatenate([[0], np.cumsum([len(some) for some in terms])]).astype(np.int64),
        linear_feature=np.array([feature for feature, _ in flat], dtype=np.int32),
        linear_coef=np.array([coefficient for _, coefficient in flat]),
    )


def walk(tree: Tree, matrix: EncodedMatrix) -> np.ndarray:
    """Class probabilities by walking every row down the tree, splitting its weight where a value is missing."""
    result = np.zeros((matrix.n_rows, tree.value.shape[1]))
    for row in range(matrix.n_rows):
        pending = [(0, 1.0)]
        while pending:
            node, share = pending.pop()
            if tree.node_kind[node] == LEAF:
                result[row] += share * tree.says[node]
                continue
            branch = _branch(tree, node, matrix, row)
            first, count = tree.first_child[node], tree.n_children[node]
            if branch is not None:
                pending.append((first + branch, share))
            else:
                weights = tree.weight[first : first + count]
                pending += [(first + b, share * weights[b] / weights.sum()) for b in range(count)]
    return result


def _branch(tree: Tree, node: int, matrix: EncodedMatrix, row: int) -> int | None:
    kind, feature = tree.node_kind[node], int(tree.feature[node])
    if kind == LINEAR:
        terms = slice(tree.linear_start[node], tree.linear_start[node + 1])
        x = [matrix.numeric[row, matrix.position[f]] for f in tree.linear_feature[terms]]
        value = sum(c * v for c, v in zip(tree.linear_coef[terms], x))
        known, code = not np.isnan(value), -1
    elif kind == THRESHOLD:
        value, code = matrix.numeric[row, matrix.position[feature]], -1
        known = not np.isnan(value)
    else:
        value, code = 0.0, int(matrix.codes[row, matrix.position[feature]])
        known = code >= 0
    if not known:
        return None if tree.missing_branch[node] < 0 else int(tree.missing_branch[node])
    if kind in (THRESHOLD, LINEAR):
        return int(value > tree.threshold[node])
    start = tree.table_start[node]
    return int(tree.tables[start + code]) if kind == MULTIWAY else int(tree.tables[start] >> np.uint32(code)) & 1


def records(matrix: EncodedMatrix) -> list[dict]:
    """The rows in the user's terms: values by column name, None where missing."""
    rows = []
    for i in range(matrix.n_rows):
        row = {}
        for j, feature in enumerate(matrix.features):
            position = matrix.position[j]
            if feature.kind == "nominal":
                code = int(matrix.codes[i, position])
                row[feature.name] = None if code < 0 else feature.categories[code]
            else:
                number = float(matrix.numeric[i, position])
                value = number if feature.kind == "numeric" or np.isnan(number) else feature.categories[int(number)]
                row[feature.name] = None if np.isnan(number) else value
        rows.append(row)
    return rows
