"""Validation: honest figures, curves and costs, over- and underfitting, choosing without fooling oneself."""

import numpy as np

import vaglio
from vaglio.evaluation import advise_split, make_holdout

# How should these rows be divided? The adviser gives reasons.
X, y = vaglio.datasets.load("breast-cancer").xy("diagnosis")
print(f"{advise_split(y)}\n")

train, test = make_holdout(y, "67-33")
model = vaglio.LogisticRegression().fit(X[train], y[train])
result = vaglio.evaluate(model, X[test], y[test], pos_label="malignant")
print(result)

# A threshold is a choice: find more tumours, frighten more people.
print("\nthreshold   tumours missed   people frightened")
for threshold in (0.9, 0.5, 0.2, 0.05):
    matrix = result.at_threshold(threshold).confusion  # rows true, columns called; benign first
    print(f"{threshold:9}   {int(matrix[1, 0]):14}   {int(matrix[0, 1]):17}")

# Say what errors cost, and the decision follows.
prices = {("malignant", "benign"): 10, ("benign", "malignant"): 1}
priced = vaglio.evaluate(model, X[test], y[test], pos_label="malignant", cost=prices)
print(f"\nat least cost: {priced.confusion.tolist()}, {priced.mean_cost:.3f} a row")

# Deeper trees know their own rows better and better, and others worse.
table = vaglio.datasets.load("penguins").select(["bill_depth_mm", "body_mass_g", "sex", "species"])
P, species = table.xy("species")
known, new = make_holdout(species, "50-50")
print("\ndepth   on its own rows   on others")
for depth in (1, 2, 4, 8, 16):
    tree = vaglio.CARTClassifier(max_depth=depth).fit(P[known], species[known])
    print(f"{depth:5}   {tree.score(P[known], species[known]):15.3f}   {tree.score(P[new], species[new]):9.3f}")

# Learners on the same folds: which differences are more than chance?
penguins = vaglio.datasets.load("penguins")
names = ["c45", "naive-bayes", "knn", "random-forest"]
comparison = vaglio.compare(penguins, "species", learners=names, folds=5, noise=(), missing=(), sizes=())
print()
for report in comparison.reports:
    print(f"{report.learner:14} {report.accuracy}")
print(*comparison.notes(), sep="\n")

# The best of many settings on one test set is too good. On pure noise everybody can see it.
noise = np.random.default_rng(0).normal(size=(80, 5))
coin = np.random.default_rng(1).choice(["head", "tail"], 80)
flattered = vaglio.select(noise, coin, learners=["cart", "knn"], strategy="standard", seed=0)
honest = vaglio.select(
    noise, coin, learners=["cart", "knn"], strategy="cross-validation", outer_folds=3, folds=3, seed=0
)
print(f"\ncoins predicted: {flattered.score:.2f} ({flattered.strategy.reliability}), {honest.score:.2f} (nested)")

# A line in the plane can label three points in every way, and no four.
line = vaglio.SVC(kernel="linear", C=1e6, preprocess=None)
print(f"\n{vaglio.shatters(line, [[0, 0], [1, 0], [0, 1]])}")
print(vaglio.shatters(line, [[0, 0], [1, 0], [0, 1], [1, 1]]))
