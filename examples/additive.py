"""Additive models: a sum of one table per column, which a person reads, checks and changes."""

import numpy as np

import vaglio

# One function per column, and one per pair of columns that belong together.
X, y = vaglio.datasets.load("breast-cancer").xy("diagnosis")
seen, unseen = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
model = vaglio.ExplainableBoostingClassifier(interactions=2, random_state=0).fit(X[seen], y[seen])
fitted = model.fitted_
print(f"accuracy on test rows {model.score(X[unseen], y[unseen]):.3f}, {len(model.term_names_)} terms")
print("\nthe terms that move the score most")
for entry in fitted.terms()[:4]:
    print(f"  {entry['term']:24} {entry['importance']:.3f}")

# The model is its own explanation: the terms of a row add up to its log-odds.
row = X[[1]]
first = model.explain(row, counterfactual=False)[0]
print(f"\n{first}")

# The whole model for reading; here the first lines.
print("\n" + "\n".join(fitted.export("text").splitlines()[:12]))

# Suppose a physician knows that a larger radius is never a good sign, and that one measure came from a broken device.
# The changes are kept with the model, with the reason.
changed = fitted.edit("mean_radius", "monotone", direction=1, reason="a larger radius is never a good sign")
changed = changed.edit("mean_smoothness", "remove", reason="measured by a broken device")
print("\nchanged by hand")
for line in changed.edits_in_words():
    print(f"  {line}")
agree = np.mean(changed.predict(X[unseen]) == fitted.predict(X[unseen]))
print(f"both models agree on {agree:.1%} of the test rows")

# The same model as one SELECT: a sum of CASEs that a database can compute.
print(f"\nas SQL: {len(changed.export('sql').splitlines())} lines")
