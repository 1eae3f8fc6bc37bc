"""With costs, money comes first: what is saved against the same answer for every row."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.cli.conftest import run_here

import vaglio
from vaglio.errors import InputError
from vaglio.evaluation import Evaluation, permutation_importance
from vaglio.model.costs import CostMatrix
from vaglio.report import report_html

WORDS = "missed=500,alarm=20,right=5"


def rows(n=300):
    """Two columns: one is right more often, the other finds the rare class."""
    rng = np.random.default_rng(3)
    gone = rng.random(n) < 0.15
    sign = np.where(gone, rng.random(n) < 0.95, rng.random(n) < 0.3)
    return vaglio.Table.from_any(
        {"sign": sign.astype(float), "noise": rng.normal(size=n), "gone": np.where(gone, "yes", "no")}
    )


def test_costs_in_words_are_those_of_a_matrix():
    expected = [[0.0, 20.0], [500.0, 5.0]]
    for given in (WORDS, {"missed": 500, "alarm": 20, "right": 5}, WORDS + ",of=yes"):
        assert CostMatrix.from_any(given, labels=("no", "yes")).matrix.tolist() == expected
    turned = CostMatrix.from_any(WORDS + ", of=no", labels=("no", "yes")).matrix.tolist()
    assert turned == [[5.0, 500.0], [20.0, 0.0]]
    for wrong, message in (
        ("missed=x,alarm=1", "missed='x' is not a number"),
        ("missed=1,of=maybe", "class 'maybe'"),
    ):
        with pytest.raises(InputError, match=message):
            CostMatrix.from_any(wrong, labels=("no", "yes"))
    with pytest.raises(InputError, match="need two classes; there are 3"):
        CostMatrix.from_any(WORDS, labels=tuple("abc"))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("vero;no;sì\nno;0;20,50 €\nsì;1.500,00 €;0\n", "cp1252"),
        ("vero\tno\tsì\nno\t0\t20,5\nsì\t1500\t0\n", "utf-16"),
        (',no,sì\r\nno,0,20.5\r\nsì,"1,500.00",0\r\n', "utf-8-sig"),
    ],
)
def test_a_file_of_costs_is_read_as_leniently_as_a_table(text, encoding, tmp_path):
    path = tmp_path / "costs.csv"
    path.write_bytes(text.encode(encoding))
    assert CostMatrix.from_any(path, labels=("no", "sì")).matrix.tolist() == [[0.0, 20.5], [1500.0, 0.0]]


def test_what_is_saved_is_against_the_cheapest_policy():
    e = Evaluation.from_predictions(["no"] * 80 + ["yes"] * 20, ["yes"] * 30 + ["no"] * 50 + ["yes"] * 20, cost=WORDS)
    assert e.savings.cost == pytest.approx((30 * 20 + 20 * 5) / 100)
    assert e.savings.policies == (("yes", pytest.approx(17.0)), ("no", pytest.approx(100.0)))
    assert e.savings.saved.value == pytest.approx(10)
    assert e.savings.saved.low < 10 < e.savings.saved.high
    assert "save 10 against always predicting yes" in e.to_text().split("\n\n")[1]
    assert e.to_dict()["measures"][0]["measure"] == "mean cost per row"
    assert not any("imbalanced" in line for line in e.advice)
    assert Evaluation.from_predictions(["no", "yes"], ["no", "yes"]).savings is None


def test_importance_follows_the_costs():
    table = rows()
    X, y = table.xy("gone")
    model = vaglio.NaiveBayesClassifier().fit(X, y).fitted_
    by_accuracy = permutation_importance(model, X, y)
    by_cost = permutation_importance(model.with_cost(WORDS), X, y)
    assert by_accuracy.losses["sign"] < 0.01
    assert next(iter(by_cost.losses)) == "sign"
    assert by_cost.losses["sign"] > 1
    assert by_cost.mean_cost == pytest.approx(vaglio.evaluate(model.with_cost(WORDS), X, y).mean_cost)
    assert "further cost per row" in by_cost.to_text()


def test_the_report_begins_with_money(tmp_path):
    study = vaglio.Study(rows(), "gone", learners=["naive-bayes"], strategy="quick", cost=WORDS).run(progress=False)
    page = report_html(study)
    cards = page[page.index('class="cards"') :]
    assert cards.index("Saved per row") < cards.index("Accuracy")
    assert "Baseline" not in cards[: cards.index("</dl>")]
    assert page.index("which costs") < page.index('class="cards"')
    assert "always yes" in page


def test_a_command_takes_costs_in_words(tmp_path):
    path = tmp_path / "rows.csv"
    vaglio.table.write(rows(), path)
    costs = ["--cost-missed", "500", "--cost-alarm", "20", "--cost-right", "5", "--positive", "yes"]
    out = tmp_path / "m.vaglio"
    outcome = run_here(
        "train", path, "--target", "gone", "--learner", "naive-bayes", *costs, "--folds", "3", "--out", out
    )
    assert outcome.code == 0, outcome.err
    model = vaglio.load(out)
    assert model.cost.matrix.tolist() == [[0.0, 20.0], [500.0, 5.0]]
    assert "--cost missed=500,alarm=20,right=5,of=yes" in model.provenance["command"]
    found = json.loads(run_here("evaluate", out, path, *costs, "--json").out)["savings"]
    assert found["policies"][0]["label"] == "yes"
    for wrong in (["--cost-missed", "5"], ["--cost", "c.csv", "--cost-missed", "5", "--cost-alarm", "1"]):
        assert run_here("train", path, "--target", "gone", *wrong).code == 2
