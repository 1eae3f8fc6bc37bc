"""Naive Bayes: the notes' figures, the peers it coincides with, and what partial_fit and missing values promise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import vaglio
from vaglio import NaiveBayesClassifier
from vaglio.errors import InputError, NotSupportedError

DAY = pd.DataFrame({"outlook": ["sunny"], "temperature": ["cool"], "humidity": ["high"], "windy": ["true"]})


def blobs(n: int = 300, p: int = 4, k: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, p)) * rng.uniform(0.5, 3, (k, p))[y] + y[:, None], y


def test_the_notes_example_without_smoothing(play: tuple) -> None:
    model = NaiveBayesClassifier(alpha=0).fit(*play)
    joint = np.exp(model.fitted_.model.joint_log_likelihood(model._encode(DAY)))[0]
    no, yes = joint
    assert f"{yes:.4f}" == "0.0053"
    assert f"{no:.4f}" == "0.0206"
    assert [f"{p:.1%}" for p in model.predict_proba(DAY)[0]] == ["79.5%", "20.5%"]


def test_the_notes_example_smoothed(play: tuple) -> None:
    assert f"{NaiveBayesClassifier(alpha=1).fit(*play).predict_proba(DAY)[0, 1]:.1%}" == "28.0%"


def test_frequencies_tend_to_uniform_as_alpha_grows(play: tuple) -> None:
    model = NaiveBayesClassifier(alpha=1e9).fit(*play)
    for weights in model.linear_weights().values():
        probability = np.exp(weights.to_numpy())
        np.testing.assert_allclose(probability, 1 / probability.shape[0], atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(DAY)[0], [5 / 14, 9 / 14], atol=1e-6)


def test_a_duplicated_attribute_counts_twice(play: tuple) -> None:
    X, y = play[0].to_frame(), play[1]
    once = NaiveBayesClassifier().fit(X, y)
    twice = NaiveBayesClassifier().fit(X.assign(again=X["outlook"]), y)
    day = DAY.assign(again=DAY["outlook"])
    evidence = once.fitted_.model.evidence(once._encode(DAY))[0]
    difference = twice.fitted_.model.joint_log_likelihood(twice._encode(day)) - once.fitted_.model.joint_log_likelihood(
        once._encode(DAY)
    )
    np.testing.assert_allclose(difference, evidence, rtol=1e-12)


def test_agrees_with_gaussian_nb() -> None:
    X, y = blobs()
    ours = NaiveBayesClassifier("gaussian", var_smoothing=0).fit(X, y)
    theirs = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    weight = np.random.default_rng(1).random(len(y)) + 0.1
    ours.fit(X, y, sample_weight=weight)
    theirs.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 5.0])
def test_agrees_with_categorical_nb(alpha: float) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 4, (200, 5)), rng.integers(0, 3, 200)
    frame = pd.DataFrame(X.astype(str), columns=list("abcde"))
    ours = NaiveBayesClassifier(alpha=alpha).fit(frame, y)
    theirs = CategoricalNB(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(frame), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("likelihood", "attributes"),
    [("gaussian", 10_000), ("auto", 2000), ("kde", 2000), ("mdl", 2000), ("discrete", 2000)],
)
def test_ten_thousand_attributes_do_not_underflow(likelihood: str, attributes: int) -> None:
    X, y = blobs(40, attributes, 2)
    log_probability = NaiveBayesClassifier(likelihood).fit(X, y).predict_log_proba(X)
    assert not np.isnan(log_probability).any()
    np.testing.assert_allclose(np.exp(log_probability).sum(axis=1), 1)


def mixed(n: int = 500, seed: int = 3) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "c"], n)
    code = np.searchsorted(["a", "b", "c"], y)
    frame = pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(code, 1) + 10),
            "word": pd.Series(np.array(["x", "y", "z", "w"])[(code + rng.integers(0, 2, n)) % 4]).where(
                rng.random(n) > 0.1
            ),
            "flag": rng.random(n) < 0.3 + 0.2 * code,
            "grade": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
        }
    )
    return frame, y


@pytest.mark.parametrize("weighted", [False, True])
def test_partial_fit_over_chunks_is_fit(weighted: bool) -> None:
    X, y = mixed()
    weight = np.random.default_rng(4).random(len(y)) if weighted else np.ones(len(y))
    whole = NaiveBayesClassifier("gaussian").fit(X, y, weight)
    parts = NaiveBayesClassifier()
    order = np.argsort(X["word"].fillna("").to_numpy(), kind="stable")  # later chunks bring categories not seen before
    for rows in np.array_split(order, 7):
        parts.partial_fit(X.iloc[rows], y[rows], classes=["a", "b", "c"], sample_weight=weight[rows])
    assert parts.fitted_.codebook.features == whole.fitted_.codebook.features
    np.testing.assert_allclose(parts.predict_log_proba(X), whole.predict_log_proba(X), rtol=1e-12, atol=1e-12)


def test_partial_fit_refuses_what_needs_all_rows() -> None:
    X, y = blobs()
    for likelihood in ("kde", "mdl", "discrete", {"x0": "kde"}):
        with pytest.raises(NotSupportedError, match="all rows at once"):
            NaiveBayesClassifier(likelihood).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(InputError, match="was not declared"):
        NaiveBayesClassifier().partial_fit(X, y, classes=[0, 1])


def test_missing_values_are_left_out_on_both_sides(play: tuple) -> None:
    X, y = play[0].to_frame(), play[1]
    holed = X.copy()
    holed.loc[0, "outlook"] = None
    model = NaiveBayesClassifier(alpha=0).fit(holed, y)
    counts = {j: model.fitted_.model.table.counts(t) for t, j in enumerate(model.fitted_.model.table.feature)}
    assert counts[0].sum() == 13
    assert counts[1].sum() == 14
    only = NaiveBayesClassifier(alpha=0).fit(X[["temperature", "humidity", "windy"]], y)
    without = NaiveBayesClassifier(alpha=0).fit(X, y)
    np.testing.assert_allclose(
        without.predict_proba(DAY.assign(outlook=None)), only.predict_proba(DAY.drop(columns="outlook"))
    )


@pytest.mark.parametrize("likelihood", ["auto", "gaussian", "kde", "mdl", "discrete"])
def test_constant_within_a_class_does_not_blow_up(likelihood: str) -> None:
    X = np.array([[1.0, 5.0]] * 10 + [[2.0, 5.0], [3.0, 5.0]] * 5)
    y = np.repeat([0, 1], 10)
    model = NaiveBayesClassifier(likelihood, var_smoothing=0).fit(X, y)
    assert model.score(X, y) == 1
    assert np.isfinite(model.predict_proba([[1.5, 5.0], [100.0, -7.0], [np.nan, np.nan]])).all()


def test_likelihood_by_column() -> None:
    X, y = blobs(200)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(e=np.arange(200) % 4)
    model = NaiveBayesClassifier({"a": "kde", "b": "gaussian", "c": "mdl", "d": "mdl"}).fit(frame, y)
    assert model.likelihoods_ == {"a": "kde", "b": "gaussian", "c": "mdl", "d": "mdl", "e": "discrete"}
    with pytest.raises(InputError, match="not a numeric column"):
        NaiveBayesClassifier({"z": "kde"}).fit(frame, y)
    with pytest.raises(InputError, match="There is no likelihood"):
        NaiveBayesClassifier({"a": "magic"}).fit(frame, y)


def test_auto_is_gaussian_where_nothing_is_cut() -> None:
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        model = NaiveBayesClassifier().fit(rng.normal(size=(60, 3)), rng.integers(0, 2, 60))
        found.append(set(model.likelihoods_.values()))
    assert found.count({"gaussian"}) >= 8
    assert found.count({"mdl"}) == 0


def test_auto_takes_a_density_where_cross_validation_prefers_it() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    normal = rng.normal(rng.normal(size=(3, 6))[y])
    assert set(NaiveBayesClassifier().fit(normal, y).likelihoods_.values()) <= {"gaussian", "kde"}
    # The class shows in the fraction of the number: no density of one shape sees it.
    steps = rng.integers(0, 6, (300, 1)) + 0.5 * (y[:, None] == 1) + rng.uniform(0, 0.3, (300, 1))
    assert set(NaiveBayesClassifier().fit(steps, y).likelihoods_.values()) != {"gaussian"}
    heavy = np.exp(3 * normal)
    assert set(NaiveBayesClassifier().fit(heavy, y).likelihoods_.values()) != {"gaussian"}


def test_the_choice_of_a_density_depends_neither_on_the_order_of_rows_nor_on_repetitions() -> None:
    X, y = blobs(120)
    rng = np.random.default_rng(1)
    times = rng.integers(1, 4, 120)
    shuffled = rng.permutation(np.repeat(np.arange(120), times))
    weighted = NaiveBayesClassifier().fit(X, y, sample_weight=times)
    repeated = NaiveBayesClassifier().fit(X[shuffled], y[shuffled])
    assert weighted.likelihoods_ == repeated.likelihoods_
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-7)


def test_priors() -> None:
    X, y = blobs(100, k=2)
    y = (np.arange(100) < 80).astype(int)
    np.testing.assert_allclose(NaiveBayesClassifier().fit(X, y).class_prior_, [0.2, 0.8])
    np.testing.assert_allclose(NaiveBayesClassifier(priors="equal").fit(X, y).class_prior_, [0.5, 0.5])
    np.testing.assert_allclose(NaiveBayesClassifier(priors=[0.3, 0.7]).fit(X, y).class_prior_, [0.3, 0.7])
    np.testing.assert_allclose(NaiveBayesClassifier(class_weight="balanced").fit(X, y).class_prior_, [0.5, 0.5])
    with pytest.raises(InputError, match="add up to 1"):
        NaiveBayesClassifier(priors=[0.3, 0.3]).fit(X, y)
    with pytest.raises(InputError, match="one prior per class"):
        NaiveBayesClassifier(priors=[1.0]).fit(X, y)


def test_a_row_every_class_rules_out_gets_the_priors() -> None:
    X = pd.DataFrame({"a": ["p", "p", "q"], "b": ["r", "r", "s"]})
    model = NaiveBayesClassifier(alpha=0).fit(X, [0, 0, 1])
    np.testing.assert_allclose(model.predict_proba(pd.DataFrame({"a": ["p"], "b": ["s"]})), [[2 / 3, 1 / 3]])


def test_sample_keeps_types_and_follows_the_class() -> None:
    X, y = mixed(2000)
    X["whole"] = np.arange(2000) % 97
    model = NaiveBayesClassifier("gaussian").fit(X, y)
    drawn = model.sample(4000, label="c", random_state=0)
    assert list(drawn.columns) == list(X.columns)
    assert drawn["whole"].dtype.kind == "i"
    assert drawn["flag"].dtype == bool
    assert drawn["grade"].dtype == X["grade"].dtype
    assert set(drawn["word"]) <= {"w", "x", "y", "z"}
    assert abs(drawn["number"].mean() - X["number"][y == "c"].mean()) < 0.1
    assert abs(drawn["flag"].mean() - X["flag"][y == "c"].mean()) < 0.05
    pd.testing.assert_frame_equal(drawn, model.sample(4000, label="c", random_state=0))
    with pytest.raises(InputError, match="no class"):
        model.sample(1, label="d")


@pytest.mark.parametrize("likelihood", ["auto", "gaussian", "kde", "mdl", "discrete"])
def test_saved_and_loaded(likelihood: str, tmp_path) -> None:
    X, y = mixed()
    X["text"] = "some words"
    model = NaiveBayesClassifier(likelihood).fit(X, y)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(vaglio.load(tmp_path / "model").predict_proba(X), model.predict_proba(X))


def test_a_text_column_is_a_bag_of_words() -> None:
    from vaglio.table import Column

    rows = ["good great film", "bad awful film", "great fun", "awful mess", None, "bad bad"]
    table = vaglio.Table([Column.text("review", rows), Column.numeric("stars", [5, 1, 4, 2, 5, 1])])
    y = ["+", "-", "+", "-", "+", "-"]
    model = NaiveBayesClassifier({"stars": "gaussian"}).fit(table, y)
    assert model.likelihoods_ == {"review": "words", "stars": "gaussian"}
    query = vaglio.Table([Column.text("review", ["awful awful"]), Column.numeric("stars", [np.nan])])
    assert model.predict(query).tolist() == ["-"]
    assert model.sample(3, random_state=1)["review"].map(type).eq(str).all()


def test_a_declared_value_that_never_occurs_has_the_share_of_a_count_of_0_and_does_not_enlarge_v() -> None:
    seen = pd.DataFrame({"a": ["x", "x", "y", "y", "x"]})
    y = ["p", "p", "p", "q", "q"]
    declared = seen.astype({"a": pd.CategoricalDtype(["x", "y", "never", "nowhere"])})
    model = NaiveBayesClassifier(alpha=1).fit(declared, y)
    plain = NaiveBayesClassifier(alpha=1).fit(seen, y)
    np.testing.assert_allclose(model.predict_proba(declared), plain.predict_proba(seen))
    weights = np.exp(model.linear_weights()["a"])
    np.testing.assert_allclose(weights["p"], [3 / 5, 2 / 5, 1 / 5, 1 / 5])
    np.testing.assert_allclose(weights["q"], [2 / 4, 2 / 4, 1 / 4, 1 / 4])


@pytest.mark.parametrize("learner", [vaglio.BayesianNetworkClassifier(), vaglio.JointBayesClassifier()], ids=repr)
@pytest.mark.parametrize("ordered", [False, True])
def test_declared_values_change_nothing_in_the_other_tables_either(learner, ordered: bool, tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(["u", "v", "w"], (80, 2)), columns=["a", "b"])
    y = np.where(X["a"] == X["b"], "same", "other")
    exact = X.astype(pd.CategoricalDtype(["u", "v", "w"], ordered=ordered))
    wide = X.astype(pd.CategoricalDtype(["u", "v", "w", "never"], ordered=ordered))
    known = learner.fit(exact, y).predict_proba(exact)
    np.testing.assert_allclose(learner.fit(wide, y).predict_proba(wide), known)
    learner.save(tmp_path / "model")
    np.testing.assert_allclose(vaglio.load(tmp_path / "model").predict_proba(wide), known)
    missing = wide.assign(b=pd.NA).astype(wide.dtypes)
    np.testing.assert_allclose(learner.predict_proba(missing).sum(axis=1), 1)


def test_counts_of_many_values_are_shrunk_towards_all_rows() -> None:
    """By hand: the class shares of a value of n rows, as if m more rows had those of all rows."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 240)
    code = np.where(random.random(240) < 0.8, y * 10 + random.integers(0, 10, 240), random.integers(0, 20, 240))
    X = pd.DataFrame({"code": [f"v{c:02}" for c in code]})
    model = vaglio.NaiveBayesClassifier().fit(X, y)
    r = model.reliability_["code"]
    assert 0.5 < r < 1
    count = np.zeros((2, 20))
    np.add.at(count, (y, code), 1)
    more = 240 / 20 * (1 - r) / r
    share = (count + more * np.bincount(y)[:, None] / 240) / (count.sum(axis=0) + more)  # P(c|v)
    given_class = share * count.sum(axis=0)
    given_class /= given_class.sum(axis=1, keepdims=True)  # P(v|c)
    expected = np.bincount(y)[:, None] / 240 * given_class
    cells = pd.DataFrame({"code": [f"v{c:02}" for c in range(20)]})
    assert model.predict_proba(cells) == pytest.approx((expected / expected.sum(axis=0)).T)
    free = vaglio.NaiveBayesClassifier(high_cardinality=None).fit(X, y)
    laplace = (count + 1) / (count.sum(axis=1, keepdims=True) + 20) * np.bincount(y)[:, None]
    assert free.predict_proba(cells) == pytest.approx((laplace / laplace.sum(axis=0)).T)


def test_parts_of_a_table_of_many_values_give_what_all_rows_give() -> None:
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 200)
    X = pd.DataFrame({"code": [f"v{c}" for c in y * 9 + random.integers(0, 12, 200)]})
    weight = random.uniform(0.5, 2, 200)
    whole = vaglio.NaiveBayesClassifier().fit(X, y, weight)
    parts = vaglio.NaiveBayesClassifier()
    for rows in (slice(60), slice(60, 200)):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1], sample_weight=weight[rows])
    assert parts.reliability_["code"] == pytest.approx(whole.reliability_["code"])
    assert parts.predict_proba(X) == pytest.approx(whole.predict_proba(X))
