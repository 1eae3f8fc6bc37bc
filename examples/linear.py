"""Lines and networks: the updates of a perceptron, the odds ratios of logistic regression, and a hidden layer."""

import warnings

import numpy as np

import vaglio

corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])

# The perceptron moves its line at every mistake: w <- w + r (d - y) x.
gate = vaglio.Perceptron(preprocess=None).fit(corners, [0, 1, 1, 1])
print("or: errors in each pass", [int(epoch.errors.sum()) for epoch in gate.history_])
print(f"    w = {gate.coef_[0].tolist()}, b = {abs(gate.intercept_[0])}")

# No line separates exclusive or: the perceptron does not converge, and warns.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    restless = vaglio.Perceptron(preprocess=None, max_iter=50).fit(corners, [0, 1, 1, 0])
print(f"exclusive or: converged {restless.converged_}. {said[0].message}")

# One hidden layer is enough.
network = vaglio.MLPClassifier((4,), solver="lbfgs", preprocess=None, random_state=1).fit(corners, [0, 1, 1, 0])
print("exclusive or, by a network with four hidden units:", network.predict(corners).tolist())

# Logistic regression gives probabilities, and weights with a meaning: odds ratios per millimetre.
table = vaglio.datasets.load("penguins")
X, y = table.select(["bill_length_mm", "bill_depth_mm", "sex", "species"]).xy("species")
two = np.isin(y, ["Adelie", "Chinstrap"])
model = vaglio.LogisticRegression().fit(X[two], y[two])
print("\nChinstrap or Adelie?")
print(model.coefficients()[["name", "coefficient", "odds_ratio"]].round(2).to_string(index=False))
print(f"\n{model.explain(X[two][[0]])[0]}")

# An absolute penalty sets weights to zero: a model with fewer columns is easier to understand.
X, y = vaglio.datasets.load("breast-cancer").xy("diagnosis")
print("\npenalty   columns in use   accuracy on every other row")
for C in (0.01, 0.1, 1.0, 10.0):
    sparse = vaglio.LogisticRegression(penalty="l1", C=C).fit(X[::2], y[::2])
    used = int(np.count_nonzero(sparse.coef_))
    print(f"C = {C:<6} {used:3} of {X.shape[1]}        {sparse.score(X[1::2], y[1::2]):.3f}")
