"""Optimal trees: the fewest errors that a tree of this depth can have, with the proof, beside the greedy tree."""

import numpy as np

import vaglio

# Exclusive or: no single test tells anything, so that a greedy tree has no reason for the right first one.
rng = np.random.default_rng(0)
bits = rng.integers(0, 2, (200, 4))
table = vaglio.Table.from_any({name: np.where(bits[:, j], "yes", "no") for j, name in enumerate("abcd")})
odd = np.where(bits[:, 0] ^ bits[:, 1], "odd", "even")
best = vaglio.OptimalTreeClassifier(max_depth=2).fit(table, odd)
greedy = vaglio.CARTClassifier(max_depth=2).fit(table, odd)
print(f"errors on 200 rows: optimal {round(200 * (1 - best.score(table, odd)))}, greedy", end=" ")
print(round(200 * (1 - greedy.score(table, odd))))
print(best.to_text())

# On measurements the greedy tree is seldom far off. Here one can see how far.
table = vaglio.datasets.load("breast-cancer")
X, y = table.select([name for name in table.columns if name.startswith(("worst", "diagnosis"))]).xy("diagnosis")
print("\ndepth   errors of the optimal tree   of the greedy tree")
for depth in (1, 2, 3):
    best = vaglio.OptimalTreeClassifier(max_depth=depth).fit(X, y)
    greedy = vaglio.CARTClassifier(max_depth=depth).fit(X, y)
    errors = [round(len(y) * (1 - tree.score(X, y))) for tree in (best, greedy)]
    print(f"{depth:5}   {errors[0]:26}   {errors[1]:18}   proved: {best.proved_}")

# A tree of few leaves is one that people remember. The price of a leaf decides how many it has.
small = vaglio.OptimalTreeClassifier(max_depth=3, max_leaf_nodes=4).fit(X, y)
print(f"\nat most four leaves: {small.score(X, y):.3f} of the training rows are right")
print(small.to_text())
