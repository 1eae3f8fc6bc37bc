"""Ensembles: why a vote is better, bagging, forests, boosting, and further uses of a forest."""

import numpy as np

import vaglio
from vaglio.evaluation import majority_vote_error

# Independent learners, each with an error of one third.
print("members   error of the majority")
for members in (1, 3, 11, 101):
    print(f"{members:7}   {majority_vote_error(1 / 3, members):.4f}")

# Members of an ensemble are not independent: each method makes them differ in another way.
X, y = vaglio.datasets.load("breast-cancer").xy("diagnosis")
seen, unseen = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
committee = {
    "one tree": vaglio.CARTClassifier(),
    "bagging": vaglio.BaggingClassifier(n_estimators=100, random_state=0),
    "random forest": vaglio.RandomForestClassifier(100, random_state=0),
    "AdaBoost": vaglio.AdaBoostClassifier(n_estimators=100, random_state=0),
}
print("\naccuracy on test rows")
for name, learner in committee.items():
    print(f"  {name:14} {learner.fit(X[seen], y[seen]).score(X[unseen], y[unseen]):.3f}")

# The rows that a tree did not draw are test rows for it.
forest = vaglio.RandomForestClassifier(100, oob_score=True, random_state=0).fit(X, y)
print(f"\nthe forest's own estimate, out of bag: {forest.oob_score_:.3f}")

# AdaBoost, round by round: the error, and the weight of the vote.
print("\nround   error   alpha")
for number, attempt in enumerate(committee["AdaBoost"].rounds_[:4], start=1):
    print(f"{number:5}   {attempt.error:.3f}   {attempt.alpha:.3f}")

# A stump has a high bias, a full tree a high variance; boosting reduces the first, bagging the second.
print("\n               bias   variance")
for name, learner in {
    "stump": vaglio.CARTClassifier(max_depth=1),
    "boosted stumps": vaglio.AdaBoostClassifier(n_estimators=30, random_state=0),
    "full tree": vaglio.CARTClassifier(),
    "forest": vaglio.RandomForestClassifier(30, random_state=0),
}.items():
    parts = vaglio.bias_variance(learner, X, y, n_rounds=10, random_state=0)
    print(f"{name:14} {parts.bias:.3f}   {parts.variance:.3f}")

# Rows that often share a leaf are similar. This gives outliers, prototypes and values for missing cells.
X, y = vaglio.datasets.load("penguins").xy("species")
forest = vaglio.RandomForestClassifier(200, random_state=0).fit(X, y)
strangest = int(np.argmax(forest.outlier_scores(X, y)))
print(f"\nthe strongest outlier is row {strangest}, a {y[strangest]}:")
print(X[[strangest]].to_frame().to_string(index=False))
filled = vaglio.ForestImputer(random_state=0).fit_transform(X, y)
print(f"\nrow 3 has no measurements; imputed: {filled['bill_length_mm'][3]:.1f} mm, {filled['sex'][3]}")
