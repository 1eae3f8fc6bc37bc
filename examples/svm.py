"""Support vector machines: the largest margin, the cost of rows inside it, and kernels."""

import numpy as np

import vaglio
from vaglio.errors import VaglioError

# Two species of iris that a line separates. The hard margin allows no row inside the margin.
table = vaglio.datasets.load("iris")
X, y = table[:100].select(["petal_length", "petal_width", "species"]).xy("species")
hard = vaglio.SVC(kernel="linear", C=float("inf"), preprocess=None).fit(X, y)
print(f"hard margin: w = {hard.coef_[0].round(3).tolist()}, b = {float(hard.intercept_[0]):.3f}")
print(f"width 2/|w| = {float(hard.margin_):.3f} cm, {len(hard.support_)} support vectors: {hard.support_.tolist()}")
print("their multipliers:", hard.multipliers_.round(3).tolist())

# Without any other row the line is the same.
others = np.setdiff1d(np.arange(100), [1, 2, 3, 60, 61, *hard.support_])
again = vaglio.SVC(kernel="linear", C=float("inf"), preprocess=None)
keep = np.sort(np.concatenate([others, hard.support_]))
print("the same line without five other rows:", np.allclose(again.fit(X[keep], y[keep]).coef_, hard.coef_, atol=1e-3))

# The other two species overlap: a hard margin does not exist, and fit raises an error.
X, y = table[50:].select(["petal_length", "petal_width", "species"]).xy("species")
try:
    vaglio.SVC(kernel="linear", C=float("inf"), preprocess=None).fit(X, y)
except VaglioError as refusal:
    print(f"\nhard margin on overlapping classes: {refusal}")

# The soft margin allows rows inside the margin, at the cost C.
print("\nC        width   support vectors   rows in the margin   on the wrong side")
for C in (0.1, 1.0, 10.0, 100.0):
    soft = vaglio.SVC(kernel="linear", C=C, preprocess=None).fit(X, y)
    inside, wrong = int((soft.slack_ > 1e-3).sum()), int((soft.slack_ > 1).sum())
    print(
        f"{C:<7} {float(soft.margin_):6.2f}   {len(soft.support_):3}               {inside:3}                  {wrong}"
    )

# A kernel gives a curved boundary: exclusive or, which no line separates.
corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
bent = vaglio.SVC(C=100, preprocess=None).fit(corners, [0, 1, 1, 0])
print("\nexclusive or by a Gaussian kernel:", bent.predict(corners).tolist())

# A kernel is a dot product after a map: (1 + x1 z1)(x . z) in three dimensions is a dot product in six.
x, z = np.array([1.0, 2.0, 3.0]), np.array([2.0, 0.0, 1.0])
phi = lambda v: np.array([*v, v[0] ** 2, v[0] * v[1], v[0] * v[2]])  # noqa: E731 - a formula
print(f"(1 + x1 z1)(x . z) = {(1 + x[0] * z[0]) * (x @ z)} = phi(x) . phi(z) = {phi(x) @ phi(z)}")

# Which kernel? Try them on folds.
X, y = vaglio.datasets.load("wine").xy("cultivar")
chosen = vaglio.SVC(kernel="auto", random_state=0).fit(X, y)
print(f"\n{chosen.kernel_table_.head(4).round(3).to_string(index=False)}")
