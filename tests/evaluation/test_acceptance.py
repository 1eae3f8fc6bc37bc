from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.conftest import run_here

from vaglio.errors import InputError
from vaglio.evaluation import Evaluation
from vaglio.evaluation.acceptance import Criterion
from vaglio.evaluation.figures import names_of

TRUE = ["no", "no", "no", "yes", "yes", "it's ]"]
PREDICTED = ["no", "no", "yes", "yes", "no", "it's ]"]


@pytest.fixture(scope="module")
def three() -> Evaluation:
    scores = np.eye(3)[[1, 1, 2, 2, 1, 0]] * 0.8 + 0.2 / 3
    cost = 1 - np.eye(3)
    return Evaluation.from_predictions(TRUE, PREDICTED, y_score=scores, labels=["it's ]", "no", "yes"], cost=cost)


@pytest.fixture(scope="module")
def two() -> Evaluation:
    score = [0.1, 0.2, 0.7, 0.9, 0.4, 0.8]
    return Evaluation.from_predictions([0, 0, 0, 1, 1, 1], y_score=score, pos_label=1)


@pytest.mark.parametrize("name", names_of("classification"))
def test_every_measure_has_a_value_that_is_compared(name: str, three: Evaluation):
    value = three.accept(f"{name} >= -1e9").checks[0].value
    assert value is not None
    assert three.accept(f"{name} >= {value!r} and {name} <= {value!r}")
    assert not three.accept(f"{name} > {value!r}")
    assert not three.accept(f"{name} < {value!r}")


def test_measures_are_those_of_the_evaluation(three: Evaluation, two: Evaluation):
    def value(evaluation: Evaluation, name: str) -> float | None:
        return evaluation.accept(f"{name} > 0").checks[0].value

    assert value(three, "recall[no]") == pytest.approx(2 / 3)
    assert value(three, 'recall["it\'s ]"]') == value(three, "recall['it\\'s ]']") == 1
    assert value(three, "f1") == value(three, "macro_f1") == pytest.approx(three.average("f1"))
    assert value(three, "cost") == value(three, "mean_cost") == three.mean_cost == pytest.approx(1 / 3)
    assert value(three, "accuracy.low") == three.accuracy.low
    assert value(three, "precision[no].high") == three.rate("precision", "no").high
    assert value(two, "recall") == value(two, "recall[1]") == two.rate("recall", 1).value
    assert value(two, "auc.low") == two.areas[1][0].low
    assert value(two, "cost") is None


@pytest.mark.slow
@given(st.lists(st.booleans(), min_size=1, max_size=5), st.data())
@settings(max_examples=80, deadline=None)
def test_and_or_and_parentheses_mean_what_they_mean_in_python(facts: list[bool], data: st.DataObject):
    evaluation = Evaluation.from_predictions(["a", "b"], ["a", "a"])
    words = ["accuracy >= 0.5" if fact else "accuracy > 50%" for fact in facts]
    joints = [data.draw(st.sampled_from([" and ", " OR "])) for _ in facts[1:]]
    opened = data.draw(st.integers(0, len(facts) - 1))
    closed = data.draw(st.integers(opened, len(facts) - 1))
    words[opened], ours = "(" + words[opened], [str(fact) for fact in facts]
    ours[opened], words[closed] = "(" + ours[opened], words[closed] + ")"
    ours[closed] += ")"
    text = "".join(itertools.chain.from_iterable(itertools.zip_longest(words, joints, fillvalue="")))
    python = "".join(itertools.chain.from_iterable(itertools.zip_longest(ours, joints, fillvalue=""))).lower()
    wanted = eval(python.replace("true", "True").replace("false", "False"))
    assert evaluation.accept(text).accepted is wanted
    assert len(evaluation.accept(text).checks) == len(facts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the name of a measure at the end"),
        ("f1", "expected one of >=, <=, > and <"),
        ("f1 >=", "expected a number at the end"),
        ("f1 >= high", "expected a number at 'high'"),
        ("f1 >= 0.5 kappa > 0", "'and' or 'or' is missing before 'kappa'"),
        ("acuracy > 0.5", "did you mean accuracy"),
        ("kappa[yes] > 0", "leave out"),
        ("accuracy.mean > 0", "not .mean"),
        ("(f1 > 0", "closing parenthesis"),
        ("f1 == 1", "cannot read '== 1'"),
        ("__import__('os').system('true') > 0", "cannot read"),
        ("(" * 500 + "f1 > 0" + ")" * 500, "too many parentheses"),
    ],
)
def test_a_slip_is_one_sentence(text: str, message: str):
    with pytest.raises(InputError, match=r"Cannot read the criterion|There is no measure") as error:
        Criterion(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_undefined_is_never_good_enough():
    evaluation = Evaluation.from_predictions(["a", "a", "b"], ["a", "a", "a"], labels=["a", "b"])
    found = evaluation.accept("fdr[b] <= 0.5 or precision[b] >= 0")
    assert not found
    assert str(found) == "Rejected: fdr[b] is undefined, not <= 0.5; precision[b] is undefined, not >= 0."
    with pytest.raises(InputError, match="There is no class 'c'"):
        evaluation.accept("recall[c] > 0")
    with pytest.raises(InputError, match="no interval"):
        evaluation.accept("rows.low > 0")


def test_every_figure_with_an_interval_has_bounds_to_accept_by(three: Evaluation, two: Evaluation):
    for evaluation in (three, two):
        for name in names_of("classification"):
            found = evaluation.estimate(name)
            if found is not None and name != "rows":
                assert evaluation.accept(f"{name}.low > 0").checks[0].value == found.low, name
                assert evaluation.accept(f"{name}.high > 0").checks[0].value == found.high, name


def test_an_acceptance_says_rows_interval_and_how_likely_it_is_wrong():
    evaluation = Evaluation.from_predictions(["a", "b"] * 20, ["a", "b"] * 17 + ["b", "a"] * 3)
    criteria = ("accuracy >= 0.85", "accuracy >= 0.8", "accuracy >= 0.5", "accuracy.low >= 0.7")
    at_the_limit, above, far, by_bound = map(evaluation.accept, criteria)
    assert at_the_limit.checks[0].risk == pytest.approx(0.5)
    assert "0.8500 (0.7093 to 0.9294 on 40 rows), >= 0.85. The true accuracy misses the limit" in str(at_the_limit)
    assert "with a chance of 50%. To be safe, require accuracy.low >= 0.85." in str(at_the_limit)
    assert 0.1 < above.checks[0].risk < 0.4
    assert str(far) == "Accepted: accuracy is 0.8500 (0.7093 to 0.9294 on 40 rows), >= 0.5."
    assert str(by_bound) == "Accepted: accuracy.low is 0.7093, >= 0.7."
    assert evaluation.accept("error <= 15.01%").checks[0].risk == pytest.approx(0.5, abs=0.01)
    assert "error.high <= 0.1501" in str(evaluation.accept("error <= 15.01%"))
    data = at_the_limit.to_dict()["checks"][0]
    assert (data["low"], data["rows"], data["risk"]) == (evaluation.accuracy.low, 40, pytest.approx(0.5))


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["accuracy >= 0.7 and recall[Gentoo] >= 80%", "accuracy > 0.999"])
def test_the_program_accepts_or_rejects(criterion: str, penguins: Path, tmp_path: Path):
    good = "0.7" in criterion
    model = tmp_path / "m.vaglio"
    how = ("--target", "species", "--holdout", "0.3", "-o", model, "--accept", criterion)
    trained = run_here("train", penguins, *how)
    assert trained.code == (0 if good else 3), trained.err
    assert ("Accepted: accuracy is" if good else "Rejected: accuracy is") in trained.out
    assert criterion in run_here("inspect", model).out
    assert json.loads(run_here("inspect", model, "--json").out)["provenance"]["acceptance"]["accepted"] is good
    evaluated = run_here("evaluate", model, penguins, "--accept", criterion, "--json")
    assert evaluated.code == (0 if good else 3)
    assert json.loads(evaluated.out)["acceptance"]["checks"][0]["measure"] == "accuracy"
    chosen = run_here(
        "select", penguins, "-t", "species", "-l", "c45", "-s", "quick", "-o", model, "--accept", criterion, "--json"
    )
    assert chosen.code == (0 if good else 3)
    assert json.loads(chosen.out)["acceptance"]["accepted"] is good


def test_a_criterion_needs_figures(penguins: Path, tmp_path: Path):
    without = run_here("train", penguins, "--target", "species", "-o", tmp_path / "m.vaglio", "--accept", "f1>0")
    assert (without.code, "--accept needs an evaluation" in without.err) == (2, True)
    slip = run_here("evaluate", penguins, "--target", "species", "--accept", "recal>0")
    assert (slip.code, "did you mean recall" in slip.err) == (2, True)
    assert not (tmp_path / "m.vaglio").exists()


@pytest.fixture(scope="module")
def penguins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("accept") / "penguins.csv"
    assert run_here("datasets", "penguins", "--out", path).code == 0
    return path
