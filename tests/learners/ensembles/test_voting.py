"""The vote of different learners: scikit-learn's as an oracle, the three learners of error 1/3, files, explanations."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble as peers
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier as PeerNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as PeerTree

import vaglio
from vaglio.errors import InputError, NotSupportedError


def penguins() -> tuple[Any, np.ndarray]:
    return vaglio.datasets.load("penguins")[::4].xy("species")


@pytest.fixture(scope="module")
def numbers() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    return X, np.array(["a", "b", "c"])[(X[:, 0] + 0.7 * rng.normal(size=90) > 0).astype(int) + (X[:, 1] > 0.5)]


def foreign() -> list[tuple[str, Any]]:
    return [("tree", PeerTree(max_depth=2, random_state=0)), ("bayes", GaussianNB()), ("near", PeerNeighbors(3))]


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, [1, 2, 4], [0, 1, 1]])
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_same_as_scikit_learn(numbers: Any, voting: str, weights: Any) -> None:
    X, y = numbers
    ours = vaglio.VotingClassifier(foreign(), voting=voting, weights=weights).fit(X, y)
    theirs = peers.VotingClassifier(foreign(), voting=voting, weights=weights).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert list(ours.named_estimators_) == list(theirs.named_estimators_)
    if voting == "soft":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
        blocks = [clone(vote).set_params(flatten_transform=False).fit(X, y).transform(X) for vote in (ours, theirs)]
        np.testing.assert_array_equal(*blocks)


def test_members_are_set_and_left_out_by_name(numbers: Any) -> None:
    X, y = numbers
    for vote in (vaglio.VotingClassifier(foreign()), peers.VotingClassifier(foreign())):
        vote.set_params(tree__max_depth=5, bayes="drop").fit(X, y)
        assert vote.get_params()["tree__max_depth"] == vote.named_estimators_["tree"].get_params()["max_depth"] == 5
        assert [type(member).__name__ for member in vote.estimators_] == [
            "DecisionTreeClassifier",
            "KNeighborsClassifier",
        ]
        assert vote.transform(X).shape == (90, 2)


def independent_thirds() -> tuple[pd.DataFrame, np.ndarray]:
    """Every way in which three learners can be right or wrong, each wrong in one third of the rows."""
    cells = [(*parts, truth) for parts in product(range(3), repeat=3) for truth in (0, 1)]
    y = np.array([cell[3] for cell in cells])
    says = {f"f{i}": [truth if cell[i] else 1 - truth for cell, truth in zip(cells, y)] for i in range(3)}
    return pd.DataFrame(says), y


def test_three_learners_of_error_one_third() -> None:
    X, y = independent_thirds()
    one = [
        (f"f{i}", make_pipeline(ColumnTransformer([("only", "passthrough", [f"f{i}"])]), PeerTree())) for i in range(3)
    ]
    vote = vaglio.VotingClassifier(one).fit(X, y)
    assert [float((member.predict(X) != y).mean()) for member in vote.estimators_] == pytest.approx([1 / 3] * 3)
    assert (vote.predict(X) != y).mean() == pytest.approx(7 / 27)
    work = vaglio.trace(vote, X, y, row=X.head(1))
    assert work.facts["majority_error_if_independent"] == "7/27"
    assert work.facts["majority_error"] == 14
    assert vaglio.evaluate(vote, X, y).accuracy.value == pytest.approx(20 / 27)


def test_default_members_get_words_and_missing_values() -> None:
    X, y = penguins()
    vote = vaglio.VotingClassifier().fit(X, y)
    assert list(vote.named_estimators_) == ["c45", "naive-bayes", "logistic"]
    for name, member in vote.named_estimators_.items():
        alone = vaglio.learners.registry.find(name).make().fit(X, y)
        np.testing.assert_array_equal(member.fitted_.predict(X), alone.predict(X))
    votes = np.stack([member.fitted_.predict(X) for member in vote.estimators_])
    for row, label in enumerate(vote.predict(X)):
        assert (votes[:, row] == label).sum() == max((votes[:, row] == other).sum() for other in vote.classes_)


def test_ids_stand_for_learners() -> None:
    X, y = penguins()
    vote = vaglio.VotingClassifier(["cart", "knn"], voting="soft").fit(X, y)
    assert [type(member).__name__ for member in vote.estimators_] == ["CARTClassifier", "KNeighborsClassifier"]
    np.testing.assert_allclose(
        vote.predict_proba(X), np.mean([member.fitted_.predict_proba(X) for member in vote.estimators_], axis=0)
    )


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_explanation_says_who_voted_what_and_why(voting: str) -> None:
    X, y = penguins()
    vote = vaglio.VotingClassifier(voting=voting, weights=[2, 1, 1]).fit(X, y)
    for explanation, label, chance in zip(vote.explain(X[:5]), vote.predict(X[:5]), vote.predict_proba(X[:5])):
        told = [*explanation.reasons, *explanation.against]
        assert explanation.decision == label
        assert sorted(reason.text.split()[0] for reason in told) == ["c45", "logistic", "naive-bayes"]
        assert "c45 votes" in explanation.to_text()
        assert "weight 50%" in explanation.to_text()
        assert sum(reason.weight for reason in told) == pytest.approx(chance.max())
        assert (
            sum(note.split(":")[0] in vote.named_estimators_ and "because" in note for note in explanation.notes) == 3
        )


@pytest.mark.slow
def test_forests_may_vote_and_are_saved_and_votes_inside_votes_are_refused(tmp_path: Any) -> None:
    X, y = penguins()
    members = [
        ("forest", vaglio.RandomForestClassifier(5, random_state=0)),
        ("bag", vaglio.BaggingClassifier(n_estimators=3, random_state=0)),
        ("rules", vaglio.RIPPERClassifier(random_state=0)),
    ]
    vote = vaglio.VotingClassifier(members, weights=[1, 2, 3]).fit(X, y)
    vote.save(tmp_path / "vote.vaglio")
    loaded = vaglio.load(tmp_path / "vote.vaglio")
    assert loaded.model.names == ("forest", "bag", "rules")
    np.testing.assert_array_equal(loaded.predict_proba(X), vote.predict_proba(X))
    nested = vaglio.VotingClassifier([("inner", vote), ("tree", vaglio.C45Classifier())]).fit(X, y)
    assert len(nested.predict(X)) == len(X)
    with pytest.raises(NotSupportedError, match="inside"):
        nested.save(tmp_path / "nested.vaglio")
    with pytest.raises(NotSupportedError, match="DecisionTreeClassifier cannot be saved"):
        vaglio.VotingClassifier([("peer", PeerTree())]).fit(np.eye(4), [0, 1, 0, 1]).save(tmp_path / "no.vaglio")


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"estimators": []}, "at least one"),
        ({"estimators": [("a", "drop")]}, "at least one"),
        ({"estimators": [("a", GaussianNB()), ("a", GaussianNB())]}, "twice"),
        ({"estimators": [("voting", GaussianNB())]}, "cannot be used"),
        ({"estimators": ["no-such-learner"]}, "no learner"),
        ({"weights": [1, 2]}, "2 weights for 3"),
        ({"weights": [0, 0, 0]}, "zero"),
        ({"weights": [1, -1, 1]}, "at least 0"),
        ({"estimators": ["c45", "perceptron"], "voting": "soft"}, "'perceptron' cannot give"),
    ],
)
def test_what_cannot_vote_is_one_sentence(numbers: Any, params: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        vaglio.VotingClassifier(**params).fit(*numbers)


@pytest.mark.slow
def test_the_report_shows_the_members() -> None:
    from vaglio.report import report_html

    table = vaglio.datasets.load("penguins")[::4]
    page = report_html(vaglio.Study(table, "species", learners=["voting"], strategy="quick").run(progress=False))
    assert "Members of the vote" in page
    assert "naive-bayes" in page
