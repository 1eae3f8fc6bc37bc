"""Decision trees: ID3 on fourteen days, missing values, pruning methods, and a tree with oblique tests."""

import vaglio
from vaglio.evaluation import make_holdout

# ID3: each node tests the attribute with the highest information gain, with one branch per value.
X, y = vaglio.datasets.load("play").xy("play")
tree = vaglio.ID3Classifier().fit(X, y)
print("ID3 on the play table\n")
print(tree.to_text())

# The class of a new day, and the path that leads to it.
day = {"outlook": "rainy", "temperature": "cool", "humidity": "high", "windy": "false"}
print(f"\n{tree.explain([day])[0]}")

# Numbers are split at thresholds, and missing values need no preparation. A full tree also learns the noise of its
# training rows; pruning removes such branches. (Bill length is left out to make the task harder.)
X, y = vaglio.datasets.load("penguins").select(["bill_depth_mm", "body_mass_g", "sex", "species"]).xy("species")
train, test = make_holdout(y, "67-33")
print("\nThe same rows, pruned in different ways: leaves, accuracy on training rows, accuracy on test rows")
for name, options in {
    "none": {},
    "pessimistic": {"pruning": "pessimistic", "epsilon": 1.0},
    "error-based": {"pruning": "error_based"},
    "reduced-error": {"pruning": "reduced_error"},
    "cost-complexity": {"ccp_alpha": 0.01},
}.items():
    grown = vaglio.DecisionTreeClassifier(random_state=0, **options).fit(X[train], y[train])
    seen, unseen = grown.score(X[train], y[train]), grown.score(X[test], y[test])
    print(f"  {name:16} {grown.get_n_leaves():3}   {seen:.3f}   {unseen:.3f}")

# Cost-complexity pruning gives a sequence of trees, each a part of the one before.
path = vaglio.CARTClassifier().fit(X, y).cost_complexity_pruning_path(X, y)
print("\nValues of alpha at which CART loses branches:", *path.ccp_alphas.round(4).tolist()[:6], "…")

# An ordinary tree approximates a slanted boundary by many steps. An oblique tree tests a linear combination.
X, y = vaglio.datasets.load("penguins").select(["bill_length_mm", "flipper_length_mm", "species"]).xy("species")
single, oblique = vaglio.CARTClassifier().fit(X, y), vaglio.ObliqueTreeClassifier(max_depth=2).fit(X, y)
print(f"\nleaves with tests of single columns: {single.get_n_leaves()}, with oblique tests: {oblique.get_n_leaves()}")
print(oblique.to_text())
