"""When to use which learner."""

from __future__ import annotations

from vaglio.messages.message import text

__all__ = ["WHEN_TO_USE"]

WHEN_TO_USE = {
    "id3": text("Teaching, and small categorical tables without noise."),
    "naive-bayes": text("A first model for any table: fast, handles missing values, needs few rows."),
    "multinomial-nb": text("Text and counts."),
    "bernoulli-nb": text("Short texts and yes/no columns."),
    "gaussian-map": text("Numbers that follow one Gaussian per class."),
    "gaussian-mixture": text("Numbers that form several clusters per class."),
    "joint-bayes": text("Very few columns with few values, and many rows."),
    "bayes-net": text("When columns depend on each other too strongly for naive Bayes."),
    "c45": text("When the model must be interpretable; handles missing values and categories."),
    "cart": text("When the model must be interpretable, and for numbers; pruning keeps the tree small."),
    "optimal-tree": text("When a very small tree must be the best of its size."),
    "oblique": text("Numbers whose classes are separated by oblique lines."),
    "perceptron": text("Teaching, and linearly separable classes."),
    "logistic": text("When you need probabilities and the effect of each column."),
    "mlp": text("Many numbers with smooth, curved boundaries, when the model need not be interpretable."),
    "svm": text("Numbers with a clear margin, up to some ten thousand rows."),
    "knn": text("When similar rows have the same class. Training is instant, prediction searches all rows."),
    "bagging": text("To reduce the variance of trees."),
    "random-forest": text("Accurate on most tables without tuning."),
    "adaboost": text("Tables with little label noise."),
    "gradient-boosting": text("Often the most accurate on tables, including large ones."),
    "additive": text("Nearly as accurate as boosting, and the effect of every column is visible."),
    "voting": text("To combine good but different learners."),
    "foil": text("Short rules for one class against the rest."),
    "cn2": text("Rules that must be statistically significant."),
    "aq": text("Rules that describe a class completely, on small tables."),
    "ripper": text("Few and short rules, also on large and noisy tables."),
}
