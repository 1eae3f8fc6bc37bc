"""Decision trees: ID3 on fourteen days, C4.5 on penguins with gaps, pruning, and a tree whose questions are slanted."""

import vaglio
from vaglio.evaluation import make_holdout

# ID3: the attribute of highest information gain first, one branch for each value.
X, y = vaglio.datasets.load("play").xy("play")
tree = vaglio.ID3Classifier().fit(X, y)
print("ID3 on the play table\n")
print(tree.to_text())

# Which class will a new day get, and by which path?
day = {"outlook": "rainy", "temperature": "cool", "humidity": "high", "windy": "false"}
print(f"\n{tree.explain([day])[0]}")

# Numbers are cut at thresholds, gaps are taken as they are. A full tree learns the accidents of its rows; pruning
# cuts them off. (Bill length is hidden here, to make it hard.)
X, y = vaglio.datasets.load("penguins").select(["bill_depth_mm", "body_mass_g", "sex", "species"]).xy("species")
train, test = make_holdout(y, "67-33")
print("\nThe same rows, pruned in different ways: leaves, accuracy on training rows, accuracy on others")
for name, options in {
    "not at all": {},
    "pessimistic": {"pruning": "pessimistic", "epsilon": 1.0},
    "error-based": {"pruning": "error_based"},
    "reduced-error": {"pruning": "reduced_error"},
    "cost-complexity": {"ccp_alpha": 0.01},
}.items():
    grown = vaglio.DecisionTreeClassifier(random_state=0, **options).fit(X[train], y[train])
    seen, unseen = grown.score(X[train], y[train]), grown.score(X[test], y[test])
    print(f"  {name:16} {grown.get_n_leaves():3}   {seen:.3f}   {unseen:.3f}")

# Cost-complexity pruning gives a whole sequence of trees, each inside the one before.
path = vaglio.CARTClassifier().fit(X, y).cost_complexity_pruning_path(X, y)
print("\nPrices of a leaf at which CART loses branches:", *path.ccp_alphas.round(4).tolist()[:6], "…")

# Where a border is slanted, an ordinary tree climbs stairs. An oblique tree draws the line.
X, y = vaglio.datasets.load("penguins").select(["bill_length_mm", "flipper_length_mm", "species"]).xy("species")
stairs, slanted = vaglio.CARTClassifier().fit(X, y), vaglio.ObliqueTreeClassifier(max_depth=2).fit(X, y)
print(f"\nleaves with straight questions: {stairs.get_n_leaves()}, with slanted ones: {slanted.get_n_leaves()}")
print(slanted.to_text())
