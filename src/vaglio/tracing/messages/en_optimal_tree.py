"""The sentences about optimal trees in English."""

from __future__ import annotations

MESSAGES = {
    "name_optimal-tree": "optimal tree",
    "optimal_rule": "Of all trees with at most {depth} tests on a path, this is one with the lowest cost on the training rows: an error costs 1 times the weight of its row, unless costs are given. A greedy learner (CART) takes at every node the test that leaves the smallest Gini index, and never returns to it.",
    "optimal_leaves": "The tree may have at most {leaves} leaves.",
    "optimal_price": "Each leaf costs {price} of the weight of all rows in addition.",
    "optimal_greedy": "The greedy tree",
    "optimal_optimal": "The optimal tree",
    "optimal_beside": "The two trees side by side",
    "optimal_col_greedy": "greedy",
    "optimal_col_optimal": "optimal",
    "optimal_root": "test at the root",
    "optimal_gini": "Gini index after this test",
    "optimal_alone": "cost after this test alone",
    "optimal_below": "cost with the best tests below it",
    "optimal_cost": "cost of the whole tree",
    "optimal_size": "leaves",
    "optimal_share": "cost per row",
    "optimal_none": "no test",
    "optimal_same": "No tree within these limits costs less than the greedy one: here it is optimal.",
    "optimal_why_root": "The greedy tree loses at the root. Its test {greedy} leaves a Gini index of {gini}, the smallest; but whatever is tested below it, a cost of {below} remains. The test {optimal} leaves a larger Gini index of {other}, and with the best tests below it a cost of {cost}.",
    "optimal_why_below": "The greedy tree loses below the root. With its own test at the root a cost of {below} would be possible, but a later choice by the Gini index leaves {lost}.",
    "optimal_why": "The greedy tree costs {lost} and the optimal one {cost}: {less} less.",
    "optimal_proved": "Proved: every other tree within these limits was tried or excluded by a bound, and none costs less.",
    "optimal_gap": "Not proved: the time ended. The best tree costs between {low} and {cost}.",
    "optimal_col_cost": "cost",
}
