"""An asymmetric column, of which only presence matters, over all estimators; and what each family makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

import vaglio
from vaglio.quality.association import associate
from vaglio.quality.levels import describe
from vaglio.table import Column

from ..estimators import all_estimators, classifiers, name_of, others_nightly
from ..test_tables import output, target_for

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")

predictors = [e for e in all_estimators() if hasattr(e, "predict")]
RULES = ("AQClassifier", "CN2Classifier", "FOILClassifier", "RIPPERClassifier")


def table(asymmetric: bool = True, n: int = 60) -> tuple[Any, np.ndarray]:
    """A number, a colour and three items; the class depends on all of them."""
    rng = np.random.default_rng(0)
    milk, beer, nuts = rng.random((3, n)) < 0.25
    size = rng.integers(0, 10, n)
    y = np.where(milk, "dairy", np.where(size > 5, "big", "small"))
    X = vaglio.Table.from_any(
        {"size": size, "colour": rng.choice(["red", "blue"], n), "milk": milk, "beer": beer, "nuts": nuts}
    )
    levels = dict.fromkeys(("milk", "beer", "nuts"), "asymmetric") if asymmetric else {}
    return vaglio.Table.from_any(X, levels=levels), y


@pytest.mark.slow
@pytest.mark.parametrize("estimator", others_nightly(predictors), ids=name_of)
def test_fit_predict_explain_save(estimator: Any, tmp_path: Any) -> None:
    X, y = table()
    fitted = clone(estimator).fit(X, target_for(estimator, y))
    assert np.isfinite(output(fitted, X)).all()
    fitted.save(tmp_path / "model.vaglio")
    loaded = vaglio.load(tmp_path / "model.vaglio")
    features = {feature.name: feature for feature in loaded.codebook.features}
    assert features["milk"].asymmetric
    assert features["milk"].default == 0
    np.testing.assert_array_equal(output(loaded, X, like=fitted), output(fitted, X))
    # The model knows what is asymmetric; later rows need not say so, in whatever dtype they come.
    plain = X.to_frame()
    for rows in (plain, plain.astype({"milk": int, "beer": str})):
        np.testing.assert_array_equal(output(fitted, rows), output(fitted, X))
    assert fitted.explain(X[:2])[0].to_text()


@pytest.mark.parametrize("estimator", [e for e in classifiers() if type(e).__name__ in RULES], ids=name_of)
@pytest.mark.parametrize("options", [{}, {"negation": True}, {"value_sets": True}], ids=["plain", "negation", "sets"])
def test_rules_ask_for_presence_only(estimator: Any, options: dict[str, bool]) -> None:
    X, y = table()
    if not set(options) <= set(estimator.get_params()):
        pytest.skip("the learner has no such option")
    rules = clone(estimator).set_params(**options).fit(X, y).rules()
    tested = [condition for rule in rules for condition in rule.conditions if condition.feature.asymmetric]
    assert tested, "the class depends on milk"
    assert all(condition.codes == {1} for condition in tested)


@pytest.mark.parametrize("metric", ["manhattan", "hamming"])
def test_neighbours_of_items_are_those_of_jaccard(metric: str) -> None:
    rng = np.random.default_rng(1)
    baskets = rng.random((80, 9)) < 0.3
    X = {f"i{j}": baskets[:, j] for j in range(9)}
    y = rng.integers(0, 2, 80)
    model = vaglio.KNeighborsClassifier(7, metric=metric)
    model.fit(vaglio.Table.from_any(X, levels=dict.fromkeys(X, "asymmetric")), y)
    distances, rows = model.kneighbors(vaglio.Table.from_any(X))
    expected = cdist(baskets, baskets, "jaccard")
    factor = 9 if metric == "manhattan" else 1
    np.testing.assert_allclose(distances, factor * np.sort(expected, axis=1)[:, :7], atol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(expected, rows, axis=1), np.sort(expected, axis=1)[:, :7], atol=1e-12)


def test_mixed_columns_are_scaled_up_to_all_columns() -> None:
    X, y = table()
    distances, rows = vaglio.KNeighborsClassifier(59).fit(X, y).kneighbors(X)
    frame = X.to_frame()
    typical = np.sqrt(2) * frame["size"].std(ddof=0)
    for i in range(0, 60, 7):
        for d, j in zip(distances[i], rows[i]):
            a, b = frame.iloc[i], frame.iloc[j]
            parts = [((a["size"] - b["size"]) / typical) ** 2, float(a["colour"] != b["colour"])]
            items = [float(a[k] != b[k]) for k in ("milk", "beer", "nuts") if a[k] or b[k]]
            assert d == pytest.approx(np.sqrt(sum([*parts, *items]) * 5 / (2 + len(items))))


@pytest.mark.parametrize("name", ["LogisticRegression", "SVC", "MLPClassifier", "Perceptron"])
def test_weights_are_of_presence_only(name: str) -> None:
    X, y = table()
    encoder = getattr(vaglio, name)().fit(X, y).fitted_.model.encoder
    assert [column for column in encoder.names if "=" in column] == [
        "colour=blue",
        "colour=red",
        "milk=True",
        "beer=True",
        "nuts=True",
    ]


def test_naive_bayes_is_bernoulli_on_presence() -> None:
    X, y = table()
    items = X.select(["milk", "beer", "nuts"])
    by_frequency = vaglio.NaiveBayesClassifier(alpha=1.0).fit(items, y).predict_proba(items)
    np.testing.assert_allclose(by_frequency, vaglio.BernoulliNB().fit(items, y).predict_proba(items))
    np.testing.assert_allclose(
        vaglio.BernoulliNB().fit(items, y).feature_count_[0], [sum(items[name][y == "big"]) for name in items.columns]
    )


def test_association_of_two_items_is_jaccards() -> None:
    a = Column.nominal("a", [1, 1, 0, 0, 0, 0, 0, 0], (False, True), asymmetric=True)
    b = Column.nominal("b", [1, 0, 1, 0, 0, 0, 0, 0], (False, True), asymmetric=True)
    found = associate(a, b)
    assert (found.measure, found.strength) == ("Jaccard", pytest.approx(1 / 3))
    assert found.p_value == pytest.approx(13 / 28)  # 1 - C(6, 2)/C(8, 2)
    assert associate(a, b.replace(asymmetric=False)).measure == "Cramér's V"


def test_profile_says_it_and_the_audit_expects_absence() -> None:
    rare = np.arange(200) == 7
    symmetric = vaglio.Table.from_any({"rare": rare, "size": np.arange(200) % 7, "y": np.arange(200) % 2})
    declared = vaglio.Table.from_any(symmetric, levels={"rare": "asymmetric"})
    assert "near-constant" in [finding.kind for finding in vaglio.audit(symmetric)]
    assert "near-constant" not in [finding.kind for finding in vaglio.audit(declared)]
    facts = describe(declared.column("rare"))
    assert (facts["level"], facts["present"]) == ("nominal, asymmetric", 1)


@pytest.mark.parametrize(
    ("values", "default"),
    [
        ([True, False, True], False),
        ([1, 0, 1, 1], 0),
        (["yes", "no", "yes"], "no"),
        (["some", "none", "none"], "none"),
        ([0, 3, 2, 3, 3], 0),
    ],
)
def test_what_absence_is(values: list[Any], default: Any) -> None:
    X = vaglio.Table.from_any({"a": values}, levels={"a": "asymmetric"})
    feature = vaglio.C45Classifier().fit(X, np.arange(len(values)) % 2).fitted_.codebook.features[0]
    assert feature.categories[feature.default] == default


def test_set_on_the_command_line(tmp_path: Any, capsys: Any) -> None:
    from vaglio.cli.main import main

    X, y = table(asymmetric=False)
    X.to_frame().assign(answer=y).to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "m.vaglio"
    words = ["train", str(tmp_path / "t.csv"), "--target", "answer", "--learner", "ripper", "--out", str(model)]
    with pytest.raises(SystemExit):
        main([*words, "--levels", "milk=asymmetric"])
    assert vaglio.load(model).codebook.features[2].asymmetric
