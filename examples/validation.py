"""Validation: evaluation on test rows, thresholds and costs, overfitting, and selection without bias."""

import numpy as np

import vaglio
from vaglio.evaluation import advise_split, make_holdout

# advise_split says how to divide these rows, with reasons.
X, y = vaglio.datasets.load("breast-cancer").xy("diagnosis")
print(f"{advise_split(y)}\n")

train, test = make_holdout(y, "67-33")
model = vaglio.LogisticRegression().fit(X[train], y[train])
result = vaglio.evaluate(model, X[test], y[test], pos_label="malignant")
print(result)

# A lower threshold misses fewer tumours and gives more false alarms.
print("\nthreshold   tumours missed   false alarms")
for threshold in (0.9, 0.5, 0.2, 0.05):
    matrix = result.at_threshold(threshold).confusion  # rows true, columns predicted; benign first
    print(f"{threshold:9}   {int(matrix[1, 0]):14}   {int(matrix[0, 1]):12}")

# With the costs of errors, the prediction is the class of least expected cost.
prices = {("malignant", "benign"): 10, ("benign", "malignant"): 1}
priced = vaglio.evaluate(model, X[test], y[test], pos_label="malignant", cost=prices)
print(f"\nconfusion matrix at least cost: {priced.confusion.tolist()}, mean cost {priced.mean_cost:.3f} per row")

# Deeper trees are more accurate on their training rows, and less accurate on test rows: overfitting.
table = vaglio.datasets.load("penguins").select(["bill_depth_mm", "body_mass_g", "sex", "species"])
P, species = table.xy("species")
known, new = make_holdout(species, "50-50")
print("\ndepth   training rows   test rows")
for depth in (1, 2, 4, 8, 16):
    tree = vaglio.CARTClassifier(max_depth=depth).fit(P[known], species[known])
    print(f"{depth:5}   {tree.score(P[known], species[known]):13.3f}   {tree.score(P[new], species[new]):9.3f}")

# Learners on the same folds, and which differences are significant.
penguins = vaglio.datasets.load("penguins")
names = ["c45", "naive-bayes", "knn", "random-forest"]
comparison = vaglio.compare(penguins, "species", learners=names, folds=5, noise=(), missing=(), sizes=())
print()
for report in comparison.reports:
    print(f"{report.learner:14} {report.score}")
print(*comparison.notes(), sep="\n")

# The accuracy of the best of many settings on one test set is too high. On pure noise the true accuracy is 0.5.
noise = np.random.default_rng(0).normal(size=(80, 5))
coin = np.random.default_rng(1).choice(["head", "tail"], 80)
optimistic = vaglio.select(noise, coin, learners=["cart", "knn"], strategy="standard", seed=0)
nested = vaglio.select(
    noise, coin, learners=["cart", "knn"], strategy="cross-validation", outer_folds=3, folds=3, seed=0
)
print(f"\naccuracy on noise: {optimistic.score:.2f} ({optimistic.strategy.reliability}), {nested.score:.2f} (nested)")

# A line in the plane can shatter three points, but not four.
line = vaglio.SVC(kernel="linear", C=1e6, preprocess=None)
print(f"\n{vaglio.shatters(line, [[0, 0], [1, 0], [0, 1]])}")
print(vaglio.shatters(line, [[0, 0], [1, 0], [0, 1], [1, 1]]))
