"""The answers of every topic, calculated by other means: SciPy, scikit-learn, and the learners themselves.

Each function takes the facts of an exercise and its level, and returns the expected answers in the order of the
questions: a number, a word, or a set of words.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from scipy import special, stats
from sklearn import metrics as measures
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OrdinalEncoder
from sklearn.svm import SVC

import vaglio

Facts = dict[str, Any]
Expected = list[Any]


def _bits(values: Any) -> float:
    return float(stats.entropy(np.unique(np.asarray(values, dtype=str), return_counts=True)[1], base=2))


def _masks(column: np.ndarray) -> list[np.ndarray]:
    return [column == value for value in np.unique(column)]


def _gain(column: np.ndarray, y: np.ndarray) -> float:
    return float(measures.mutual_info_score(column, y) / np.log(2))


def _arrays(facts: Facts) -> tuple[list[str], list[np.ndarray], np.ndarray]:
    columns = facts["columns"]
    return list(columns), [np.array(values) for values in columns.values()], np.array(facts["labels"])


def _table(facts: Facts) -> tuple[vaglio.Table, np.ndarray]:
    return vaglio.Table.from_any(facts["columns"]), np.array(facts["labels"], dtype=object)


def id3(facts: Facts, level: int) -> Expected:
    names, columns, y = _arrays(facts)
    gains = [_gain(column, y) for column in columns]
    tree = vaglio.ID3Classifier().fit(*_table(facts))
    root = int(np.argmax(gains))
    asked = range(len(names)) if level > 1 else sorted({root, 0 if root else 1})
    expected: Expected = [_bits(y), *(gains[j] for j in asked), names[root]]
    ordered = list(dict.fromkeys(columns[root]))
    if level > 1:
        parts = {value: columns[root] == value for value in ordered}
        tested = {
            names[int(np.argmax([_gain(column[part], y[part]) for column in columns]))]
            for part in parts.values()
            if _bits(y[part])
        }
        expected += [tested, {y[part][0] for part in parts.values() if not _bits(y[part])}]
    if level > 2:
        row = dict(zip(names, ([value] for value in facts["row"]), strict=True))
        expected += [tree.get_n_leaves(), tree.predict(vaglio.Table.from_any(row))[0]]
    return expected


def c45(facts: Facts, level: int) -> Expected:
    names, columns, y = _arrays(facts)
    split = [_bits(column) for column in columns]
    ratio = [_gain(column, y) / each for column, each in zip(columns, split, strict=True)]
    expected: Expected = [_bits(y)]
    for j in range(3 if level > 1 else 1):
        expected += [split[j], ratio[j]]
    if level > 1:
        expected.append(names[int(np.argmax(ratio))])
    if level > 2:
        numbers, labels = np.array(facts["numbers"], dtype=float), np.array(facts["number_labels"])
        cuts = (numbers[1:] + numbers[:-1]) / 2
        expected.append(float(cuts[np.argmax([_gain(numbers > cut, labels) for cut in cuts])]))
    return expected


def _gini(y: np.ndarray) -> float:
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return float(1 - shares @ shares)


def cart(facts: Facts, level: int) -> Expected:
    names, columns, y = _arrays(facts)

    def after(mask: np.ndarray) -> float:
        return mask.mean() * _gini(y[mask]) + (~mask).mean() * _gini(y[~mask])

    splits = {(name, v): after(c == v) for name, c in zip(names, columns, strict=True) for v in np.unique(c)}
    best = min(splits, key=lambda each: splits[each])
    expected: Expected = [_gini(y)]
    n = {1: 2, 2: 2, 3: sum(len(v) if len(v := np.unique(c)) > 2 else 1 for c in columns)}[level]
    # Which of the splits is asked depends on the order of the values: each must be one of those there are.
    expected += [set(splits.values())] * n
    expected.append(best[0])
    if level > 1:
        expected.append(_gini(y) - splits[best])
    return expected


def pruning(facts: Facts, level: int) -> Expected:
    leaves = [dict(zip(("name", "label", "P", "N", "vP", "vN"), row, strict=True)) for row in facts["leaves"]]
    total = {label: sum(leaf[label] for leaf in leaves) for label in ("P", "N", "vP", "vN")}
    label = "P" if total["P"] > total["N"] else "N"
    other = {"P": "N", "N": "P"}
    as_tree = sum(leaf[f"v{other[leaf['label']]}"] for leaf in leaves)
    as_leaf = total[f"v{other[label]}"]
    expected: Expected = [label, as_tree, as_leaf, "yes" if as_leaf <= as_tree else "no"]
    if level > 1:
        wrong = sum(leaf[other[leaf["label"]]] for leaf in leaves)
        n = total["P"] + total["N"]
        expected.append((total[other[label]] - wrong) / n / (len(leaves) - 1))
    return expected


def _covered(facts: Facts) -> tuple[dict[tuple[str, str], tuple[int, int]], tuple[int, int]]:
    names, columns, y = _arrays(facts)
    hits = y == facts["positive"]
    found = {
        (name, value): (int((hits & (column == value)).sum()), int((~hits & (column == value)).sum()))
        for name, column in zip(names, columns, strict=True)
        for value in np.unique(column)
    }
    return found, (int(hits.sum()), int((~hits).sum()))


def foil(facts: Facts, level: int) -> Expected:
    counts, before = _covered(facts)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = {
            key: p * (np.log2(p / (p + n)) - np.log2(before[0] / sum(before))) if p else 0.0
            for key, (p, n) in counts.items()
        }
    best = max(gains, key=lambda key: gains[key])
    expected: Expected = [set(gains.values())] * {1: 2, 2: 4, 3: 4}[level]
    expected += [best[0], best[1]]
    p, n = counts[best]
    if level > 1:
        expected += [p, "yes" if n else "no"]
    if level > 2:
        expected.append(before[0] - p)
    return expected


def cn2(facts: Facts, level: int) -> Expected:
    counts, before = _covered(facts)
    laplace = {key: (max(each) + 1) / (sum(each) + 2) for key, each in counts.items()}
    best = max(laplace, key=lambda key: laplace[key])
    here = np.array(counts[best])
    expected: Expected = [here.sum(), stats.entropy(here, base=2), laplace[best]]
    if level > 1:
        ratio = 2 * here.sum() * stats.entropy(here / here.sum(), np.array(before) / sum(before))
        expected += [ratio, "yes" if ratio > 3.84 else "no"]
    if level > 2:
        expected.append(set(laplace.values()))
    return expected


def ripper(facts: Facts, level: int) -> Expected:
    covered = np.array(facts["covered"], dtype=float)
    worth = (covered[:, 0] - covered[:, 1]) / covered.sum(axis=1)
    best = int(worth.argmax())
    expected: Expected = [*worth, best + 1, covered[best, 0] / covered[best].sum()]
    if level > 1:
        expected.append("yes" if covered[best, 1] > covered[best, 0] else "no")
    return expected


def naive_bayes(facts: Facts, level: int) -> Expected:
    _, columns, y = _arrays(facts)
    encoder = OrdinalEncoder(categories=[np.array(values) for values in facts["values"]])
    codes = encoder.fit_transform(np.column_stack(columns))
    row = encoder.transform([facts["row"]])
    # The positive class is the first of its story: the answer to the first question says which.
    expected: Expected = []
    for label in ("yes",):
        expected.append(np.mean(y == label))
    for label in ("yes", "no") if level > 1 else ("yes",):
        expected.append(np.mean(columns[0][y == label] == facts["row"][0]))
    last = ""
    for alpha in (1e-12, 1.0) if level > 1 else (1e-12,):
        learner = CategoricalNB(alpha=alpha, force_alpha=True, min_categories=[len(v) for v in facts["values"]])
        shares = dict(zip(learner.fit(codes, y).classes_, learner.predict_proba(row)[0], strict=True))
        expected.append(shares["yes"])
        last = max(shares, key=lambda label: shares[label])
    return [*expected, last]


def multinomial_nb(facts: Facts, level: int) -> Expected:
    prior = np.array(facts["documents"]) / np.sum(facts["documents"])
    learner = MultinomialNB(alpha=1.0, class_prior=prior).fit(np.array(facts["counts"]), [0, 1])
    new = np.array([facts["new"]])
    score = learner.predict_joint_log_proba(new)[0]
    expected: Expected = [prior[0], np.exp(learner.feature_log_prob_[0, 0]), score[0]]
    if level > 1:
        expected.append(("sport", "politics")[int(learner.predict(new)[0])])
    if level > 2:
        expected.append(learner.predict_proba(new)[0, 0])
    return expected


def joint_bayes(facts: Facts, level: int) -> Expected:
    table = np.array(facts["counts"])
    cells = {key: int(table[key]) for key in product((0, 1), repeat=3)}

    def p(
        event: Callable[[int, int, int], bool], given: Callable[[int, int, int], bool] = lambda f, c, i: True
    ) -> float:
        total = sum(n for key, n in cells.items() if given(*key))
        return sum(n for key, n in cells.items() if given(*key) and event(*key)) / total

    ill = p(lambda f, c, i: i == 0)
    both = p(lambda f, c, i: i == 0 and f == 0)
    expected: Expected = [ill, p(lambda f, c, i: i == 0, lambda f, c, i: f == 0), both]
    if level > 1:
        independent = np.isclose(both, ill * p(lambda f, c, i: f == 0), rtol=1e-12)
        expected += [p(lambda f, c, i: i == 0, lambda f, c, i: f == 0 and c == 1), "yes" if independent else "no"]
    if level > 2:
        expected.append(p(lambda f, c, i: i == 0, lambda f, c, i: f == 0 or c == 0))
    return expected


def bayes(facts: Facts, level: int) -> Expected:
    # A population of a million people, counted.
    people = 1_000_000
    ill = people * facts["prior"]
    found, alarms = ill * facts["sensitivity"], (people - ill) * (1 - facts["specificity"])
    expected: Expected = [alarms / (people - ill), (found + alarms) / people, found / (found + alarms)]
    if level > 1:
        expected.append((ill - found) / (people - found - alarms))
    if level > 2:
        twice, again = found * facts["sensitivity"], alarms * (1 - facts["specificity"])
        expected.append(twice / (twice + again))
    return expected


def gaussian_map(facts: Facts, level: int) -> Expected:
    x, groups = facts["x"], {"A": np.array(facts["A"], float), "B": np.array(facts["B"], float)}
    names = ("A", "B") if level > 1 else ("A",)
    expected: Expected = [value for name in names for value in (groups[name].mean(), groups[name].var())]
    densities = {name: stats.norm(values.mean(), values.std()).pdf(x) for name, values in groups.items()}
    expected += [densities[name] for name in names]
    learner = GaussianNB(var_smoothing=0).fit(
        np.concatenate([*groups.values()])[:, None], ["A"] * len(groups["A"]) + ["B"] * len(groups["B"])
    )
    if level > 1:
        shares = learner.predict_proba([[x]])[0]
        expected += [shares[0], learner.predict([[x]])[0]]
    if level > 2:
        expected.append(
            learner.set_params(priors=[0.25, 0.75])
            .fit(np.concatenate([*groups.values()])[:, None], ["A"] * len(groups["A"]) + ["B"] * len(groups["B"]))
            .predict_proba([[x]])[0][1]
        )
    return expected


def perceptron(facts: Facts, level: int) -> Expected:
    X, y = np.array(facts["points"], float), np.array(facts["signs"])
    learner = Perceptron(shuffle=False, tol=None, max_iter=1).fit(X, y)
    w, b = learner.coef_[0], learner.intercept_[0]
    homogeneous = np.column_stack([X, np.ones(len(X))])
    weights, updates, first = np.zeros(3), 0, None
    for row, sign in zip(homogeneous, y, strict=True):
        if sign * (weights @ row) <= 0:
            weights = weights + sign * row
            updates += 1
        first = weights[0] if first is None else first
    assert np.array_equal(weights, [*w, b])
    expected: Expected = [first, updates, w[0], w[1], b]
    if level > 1:
        expected.append(int(learner.predict([facts["new"]])[0]))
    if level > 2:
        expected.append(int((y * learner.decision_function(X) <= 0).sum()))
    return expected


def logistic(facts: Facts, level: int) -> Expected:
    w, X, y = np.array(facts["w"], float), np.array(facts["points"], float), np.array(facts["labels"])
    rows = np.column_stack([X, np.ones(len(X))])
    shares = special.expit(rows @ w)
    expected: Expected = [*shares[: 3 if level > 1 else 1], int(shares[0] > 0.5)]
    expected.append(measures.log_loss(y[:1], [[1 - shares[0], shares[0]]], labels=[0, 1]))
    gradient = rows.T @ (y - shares)
    if level > 1:
        expected.append(gradient[0])
    if level > 2:
        expected += [w[0] + gradient[0] / 10, w[2] + gradient[2] / 10]
    return expected


def mlp(facts: Facts, level: int) -> Expected:
    hidden, out, x = (np.array(facts[name], float) for name in ("hidden", "out", "x"))
    sums = hidden @ np.append(x, 1)
    acts = np.tanh(sums) if facts["activation"] == "tanh" else np.clip(sums, 0, None)
    share = special.expit(out @ np.append(acts, 1))
    expected: Expected = [*sums, *acts, share]
    if level > 2:
        # The derivatives by differences of the loss.
        def loss(weights: np.ndarray) -> float:
            return float(-np.log(special.expit(weights @ np.append(acts, 1))))

        step = 1e-6
        slope = [(loss(out + step * unit) - loss(out - step * unit)) / (2 * step) for unit in np.eye(3)[[2, 0]]]
        expected += slope
    return expected


def svm(facts: Facts, level: int) -> Expected:
    X, y = np.array(facts["points"], float), np.array(facts["signs"])
    learner = SVC(kernel="linear", C=1e7, tol=1e-9).fit(X, y)
    w, b = learner.coef_[0], learner.intercept_[0]
    edges = {str(i) for i, value in enumerate(y * (X @ w + b), 1) if abs(value - 1) < 1e-3}
    expected: Expected = [frozenset(edges), 2 / np.linalg.norm(w), w[0], w[1], b]
    if level > 1:
        expected.append(int(learner.predict([facts["new"]])[0]))
    return [*expected, "no"] if level > 2 else expected


def kernel(facts: Facts, level: int) -> Expected:
    x, z = np.array([facts["x"]], float), np.array([facts["z"]], float)
    kernels = measures.pairwise
    expected: Expected = [
        kernels.linear_kernel(x, z)[0, 0],
        kernels.polynomial_kernel(x, z, degree=2, gamma=1, coef0=0)[0, 0],
        np.sqrt(2) * x[0].prod(),
        kernels.polynomial_kernel(x, z, degree=2, gamma=1, coef0=1)[0, 0],
    ]
    if level > 1:
        expected.append(kernels.rbf_kernel(x, z, gamma=1 / 8)[0, 0])
    return [*expected, 6] if level > 2 else expected


def knn(facts: Facts, level: int) -> Expected:
    X, y, x = np.array(facts["points"], float), np.array(facts["labels"]), [facts["x"]]
    near = KNeighborsClassifier(len(X)).fit(X, y)
    distances, order = (each[0] for each in near.kneighbors(x))
    manhattan = measures.pairwise.manhattan_distances(X, x)[:, 0]
    expected: Expected = [
        distances[0],
        manhattan[order[3]],
        frozenset(str(i + 1) for i in order[:3]),
        *(KNeighborsClassifier(k).fit(X, y).predict(x)[0] for k in (1, 3)),
    ]
    if level > 1:
        weighted = KNeighborsClassifier(3, weights=lambda d: 1 / d**2).fit(X, y)
        expected.append(
            weighted.predict_proba(x)[0][list(weighted.classes_).index("A")] if "A" in y[order[:3]] else 0.0
        )
    if level > 2:
        pairs = measures.pairwise.euclidean_distances(X)
        np.fill_diagonal(pairs, np.inf)
        clear = [i for i in range(len(X)) if np.isclose(pairs[i], pairs[i].min()).sum() == 1]
        if clear:
            other = int(pairs[clear[0]].argmin())
            expected += [frozenset({str(other + 1)}), "yes" if y[other] == y[clear[0]] else "no"]
    return expected


def bagging(facts: Facts, level: int) -> Expected:
    n, members = facts["n"], facts["members"]
    expected: Expected = [
        frozenset(str(i) for i in range(1, n + 1) if i not in facts["sample"]),
        stats.binom(n, 1 / n).pmf(0),
        stats.binom(members, facts["error"]).sf(members // 2),
    ]
    if level > 1:
        votes, shares = np.array(facts["votes"]), np.array(facts["shares"])
        expected += ["A" if votes.mean() > 0.5 else "B", np.where(votes, shares, 1 - shares).mean()]
    return expected


def random_forest(facts: Facts, level: int) -> Expected:
    leaves, labels = np.array(facts["leaves"]), facts["labels"]
    alike = 1 - measures.pairwise_distances(leaves, metric="hamming")
    expected: Expected = [np.sqrt(facts["attributes"]), alike[0, 1]]
    expected += [alike[0, 2]] if level > 1 else []
    expected += [frozenset({str(int(alike[0, 1:].argmax()) + 2)}), max(sorted(set(labels)), key=labels.count)]
    return [*expected, alike[0, 1:].mean()] if level > 2 else expected


def adaboost(facts: Facts, level: int) -> Expected:
    y, predicted = (2 * np.array(facts[name]) - 1 for name in ("labels", "predicted"))
    weights = np.full(len(y), 1 / len(y))
    error = weights[y != predicted].sum()
    alpha = np.log((1 - error) / error) / 2
    raised = weights * np.exp(-alpha * y * predicted)
    after = raised / raised.sum()
    expected: Expected = [error, alpha, after[y != predicted][0]]
    if level > 1:
        expected += [after[y == predicted][0], raised.sum()]
    if level > 2:
        expected.append(after[y != 2 * np.array(facts["second"]) - 1].sum())
    return expected


def metrics(facts: Facts, level: int) -> Expected:
    matrix = np.array(facts["matrix"])
    true = np.repeat([1, 1, 0, 0], matrix.ravel())
    predicted = np.repeat([1, 0, 1, 0], matrix.ravel())
    expected: Expected = [
        measures.accuracy_score(true, predicted),
        measures.precision_score(true, predicted),
        measures.recall_score(true, predicted),
        measures.f1_score(true, predicted),
    ]
    if level > 1:
        chance = true.mean() * predicted.mean() + (1 - true.mean()) * (1 - predicted.mean())
        kappa = measures.cohen_kappa_score(true, predicted)
        expected += [measures.recall_score(true, predicted, pos_label=0), chance, kappa]
    if level > 2:
        missed, alarm = facts["costs"]
        cost = np.where(true > predicted, missed, np.where(true < predicted, alarm, 0)).mean()
        expected += [measures.matthews_corrcoef(true, predicted), cost]
    return expected


def roc(facts: Facts, level: int) -> Expected:
    scores, y = np.array(facts["scores"]), np.array(facts["labels"])
    called = scores > facts["threshold"]
    fpr, tpr, _ = measures.roc_curve(y, scores, drop_intermediate=False)
    top = max(2, len(y) // 3)
    expected: Expected = [
        measures.recall_score(y, called),
        called[y == 0].mean(),
        measures.roc_auc_score(y, scores),
        y[np.argsort(-scores)[:top]].mean() / y.mean(),
    ]
    if level > 1:
        expected += [(tpr - fpr)[1:-1].max(), frozenset(str(i) for i in range(1, top + 1))]
    return [*expected, measures.average_precision_score(y, scores)] if level > 2 else expected


def folds(facts: Facts, level: int) -> Expected:
    n, sizes, right = facts["n"], np.array(facts["sizes"]), np.array(facts["right"])
    assert [len(part) for part in np.array_split(np.arange(n), len(sizes))] == sizes.tolist()
    shares = right / sizes
    expected: Expected = [n - sizes[0], right.sum() / n, shares.mean(), n]
    if level > 1:
        expected += [stats.tstd(shares), int(np.floor(np.floor(2 * n / 5) / len(sizes)))]
    return [*expected, facts["out"] * 0.632 + facts["inside"] * 0.368] if level > 2 else expected


def significance(facts: Facts, level: int) -> Expected:
    n, right = facts["n"], facts["right"]
    share = right / n
    error = stats.binom(n, share).std() / n
    expected: Expected = [share, error, share - 1.96 * error]
    if level > 1:
        low, high = stats.binomtest(right, n).proportion_ci(
            method="wilson", confidence_level=2 * stats.norm.cdf(1.96) - 1
        )
        expected += [(low + high) / 2, low]
    if level > 2:
        b, c = facts["only_a"], facts["only_b"]
        # The statistic that scipy calls by its test of two equal expected counts, with Yates' correction.
        half = (b + c) / 2
        statistic = sum((abs(seen - half) - 0.5) ** 2 / half for seen in (b, c))
        expected += [statistic, "yes" if statistic > 3.84 else "no"]
    return expected


ORACLES: dict[str, Callable[[Facts, int], Expected]] = {
    "id3": id3,
    "c45": c45,
    "cart": cart,
    "pruning": pruning,
    "foil": foil,
    "cn2": cn2,
    "ripper": ripper,
    "naive-bayes": naive_bayes,
    "multinomial-nb": multinomial_nb,
    "joint-bayes": joint_bayes,
    "bayes": bayes,
    "gaussian-map": gaussian_map,
    "perceptron": perceptron,
    "logistic": logistic,
    "mlp": mlp,
    "svm": svm,
    "kernel": kernel,
    "knn": knn,
    "bagging": bagging,
    "random-forest": random_forest,
    "adaboost": adaboost,
    "metrics": metrics,
    "roc": roc,
    "folds": folds,
    "significance": significance,
}
