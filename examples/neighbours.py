"""Nearest neighbours: distance, number of neighbours, and a rule for one row."""

import vaglio
from vaglio.evaluation import make_holdout

X, y = vaglio.datasets.load("penguins").xy("species")
train, test = make_holdout(y, "67-33")

# Grams are large numbers and would dominate the distance. Differences are divided by the range of their column.
careless = vaglio.KNeighborsClassifier(5, preprocess=None).fit(X[train], y[train])
careful = vaglio.KNeighborsClassifier(5).fit(X[train], y[train])
print(
    f"accuracy without scaling: {careless.score(X[test], y[test]):.3f}, with columns divided by their range:", end=" "
)
print(f"{careful.score(X[test], y[test]):.3f}")

# One neighbour may be noise, a hundred are not near: cross-validation chooses the number.
model = vaglio.KNeighborsClassifier("cv").fit(X[train], y[train])
print(f"K chosen by cross-validation: {model.n_neighbors_}")

# Nearer rows may count more. A row at distance 0 decides alone.
for weights in ("uniform", "distance", "squared_distance"):
    voting = vaglio.KNeighborsClassifier(15, weights=weights).fit(X[train], y[train])
    print(f"  15 neighbours, {weights:17} {voting.score(X[test], y[test]):.3f}")

# A penguin without a weight: a missing value counts as a difference of 1 to every row, so the other columns decide.
bird = vaglio.Table.from_any(
    [
        {
            "island": "Dream",
            "bill_length_mm": 46.0,
            "bill_depth_mm": 18.5,
            "flipper_length_mm": 195.0,
            "body_mass_g": None,
            "sex": "female",
            "year": 2009,
        }
    ]
)
print(f"\n{careful.explain(bird)[0]}")

# Besides the neighbours themselves, a small tree of the neighbourhood explains the prediction.
print(f"\n{careful.local_tree(bird)}")

# New rows can be added at once: no training is needed.
before = len(train)
careful.add(X[test], y[test])
print(
    f"\n{before} rows known before, {before + len(test)} now: {careful.score(X[test], y[test]):.3f} on the added ones"
)

# Neighbours also predict numbers, by their mean.
complete = X.to_frame().dropna()
mass = complete.pop("body_mass_g")
regressor = vaglio.KNeighborsRegressor(10, weights="distance").fit(complete[::2], mass[::2])
error = (regressor.predict(complete[1::2]) - mass[1::2]).abs().mean()
guess = (mass - mass.mean()).abs().mean()
print(f"mean absolute error of the predicted mass: {error:.0f} g; of the mean as prediction: {guess:.0f} g")
