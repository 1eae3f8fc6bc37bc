"""Gradient boosting: trees that add up, the number of rounds, names in explanations, bounds that an expert sets."""

import numpy as np

import vaglio
from vaglio.evaluation import make_holdout

# Numbers, categories and missing values go in as they are. Each tree corrects what the sum of those before got wrong.
X, y = vaglio.datasets.load("penguins").xy("species")
seen, unseen = make_holdout(y, "67-33")
model = vaglio.HistGradientBoostingClassifier(random_state=0).fit(X[seen], y[seen])
print(f"{model.n_iter_} rounds, chosen by five folds; accuracy on test rows {model.score(X[unseen], y[unseen]):.3f}")

# The loss of the rows held out falls, and rises again when the trees begin to learn chance.
print("\nrounds   loss of the rows held out")
for rounds in (0, 1, 10, model.n_iter_):
    print(f"{rounds:6}   {-model.validation_score_[rounds]:.4f}")

# Accuracy after each round, from one model.
staged = [np.mean(predicted == y[unseen]) for predicted in model.staged_predict(X[unseen])]
print("\naccuracy after 1, 5 and all rounds:", *(f"{staged[at]:.3f}" for at in (0, 4, -1)))

# Why one row got its class: what each column added to its score, exactly.
print(f"\n{model.explain(X[[1]])[0]}")

# Numbers are predicted as well. A price that must not fall with the area can be told so.
rng = np.random.default_rng(0)
area, age = rng.uniform(30, 200, 400), rng.uniform(0, 80, 400)
price = 3000 * area - 1000 * age + rng.normal(0, 60_000, 400)
homes = vaglio.Table.from_any({"area": area, "age": age})
free = vaglio.HistGradientBoostingRegressor(random_state=0).fit(homes, price)
bound = vaglio.HistGradientBoostingRegressor(monotonic_cst={"area": 1, "age": -1}, random_state=0).fit(homes, price)
line = vaglio.Table.from_any({"area": np.linspace(30, 200, 300), "age": np.full(300, 20.0)})
print("\nsteps down while the area grows")
for name, regressor in (("free", free), ("bound to rise", bound)):
    print(f"  {name:14} {int((np.diff(regressor.predict(line)) < -1e-9).sum())}")
