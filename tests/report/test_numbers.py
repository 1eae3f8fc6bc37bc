"""The report of predicted numbers: its figures are those of the evaluation, and nothing in it is about classes."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from tests.report.conftest import run_study

import vaglio
from vaglio.evaluation import permutation_importance
from vaglio.learners.registry import learners_of
from vaglio.report import render_html, summarize_study
from vaglio.table import Table

QUICK = ["cart", "linear"]
# What only a report of classes says, in both languages.
OF_CLASSES = re.compile(
    "confusion|threshold|accuracy|ROC curve|most frequent class|another class|"
    "confusione|soglia|accuratezza|classe più frequente",
    re.I,
)


def homes(n: int = 300) -> Table:
    """Errors that grow with the size, and that are larger in the south."""
    rng = np.random.default_rng(0)
    size, zone = rng.uniform(30, 200, n), rng.choice(["north", "south"], n)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.uniform(0, 90, n))
    noise = rng.normal(0, 1, n) * size * np.where(zone == "south", 300, 30)
    return Table.from_any({"size": size, "zone": zone, "age": age, "price": 2000.5 * size + noise})


@pytest.fixture(scope="module")
def study() -> vaglio.Study:
    return run_study(homes(), "price", QUICK, selection_options={"outer_folds": 3})


def text_of(page: str) -> str:
    body = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


@pytest.mark.parametrize("lang", ["en", "it"])
def test_a_page_of_numbers_says_nothing_about_classes(study: vaglio.Study, lang: str) -> None:
    page = render_html(summarize_study(study, name="homes.csv"), lang)
    said = text_of(page)
    assert not OF_CLASSES.search(said), OF_CLASSES.search(said)
    for word in {"en": ("Predicted against true", "Errors by group", "What raises the number"),
                 "it": ("Previsto e vero", "Errori per gruppo", "Che cosa alza il numero")}[lang]:  # fmt: skip
        assert word in said
    assert 'id="curve-data"' not in page
    assert len(page) < 400_000


def test_figures_are_those_of_the_evaluation(study: vaglio.Study) -> None:
    summary, evaluation = summarize_study(study), study.evaluation
    chapter = summary["performance"]
    assert chapter["headline"]["value"] == evaluation.rmse
    dots = chapter["numbers"]["dots"]
    assert (dots["shown"], dots["total"]) == (300, 300)
    np.testing.assert_allclose(dots["picture"]["x"], evaluation.true, rtol=1e-4)
    np.testing.assert_allclose(dots["residuals"], evaluation.residuals, rtol=1e-4, atol=1e-4 * evaluation.rmse)
    ranges = chapter["numbers"]["ranges"]
    assert sum(int(row["rows"]) for row in ranges) == 300
    squares = sum(int(row["rows"]) * row["size"] ** 2 for row in ranges)
    assert np.sqrt(squares / 300) == pytest.approx(evaluation.rmse)


def test_columns_that_tell_about_the_errors_are_found_and_the_worst_group_is_first(study: vaglio.Study) -> None:
    groups = summarize_study(study)["performance"]["numbers"]["groups"]
    assert {group["name"] for group in groups} >= {"zone", "size"}
    zone = next(group for group in groups if group["name"] == "zone")
    assert [row["label"] for row in zone["rows"]] == ["south", "north"]
    assert zone["rows"][0]["size"] > 4 * zone["rows"][1]["size"]


def test_the_rows_that_are_explained_have_the_largest_errors(study: vaglio.Study) -> None:
    chapter = summarize_study(study)["examples"]
    titles = [str(group["title"]) for group in chapter["groups"]]
    assert titles[:2] == ["Predicted far too high", "Predicted far too low"]
    residuals = study.evaluation.residuals
    judged = {
        int(str(example["row"]).replace(",", "")) - 1
        for group in chapter["groups"][:2]
        for example in group["examples"]
    }
    worst = np.argsort(-np.abs(residuals))[:6]
    assert judged & set(study.selection.judged[worst].tolist())
    assert all(example["reasons"] or example["against"] for group in chapter["groups"] for example in group["examples"])


def test_the_target_and_the_columns_are_coloured_by_thirds(study: vaglio.Study) -> None:
    data = summarize_study(study)["data"]
    assert data["classes"]["card"]["name"] == "price"
    assert len(data["columns"]["labels"]) == 3
    counts = np.array(data["classes"]["card"]["histogram"]["counts"])
    assert counts.sum(axis=1).tolist() == [100, 100, 100]
    assert data["columns"]["cards"][0]["name"] == "size"
    assert "explains" in data["columns"]["cards"][0]["gain"]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["zero", "quick", "standard", "validation", "cross-validation"])
def test_every_strategy_has_a_page(strategy: str) -> None:
    options = {"test_size": 0.3} if strategy != "zero" else {}
    study = run_study(homes(120), "price", ["linear"], strategy=strategy, selection_options=options)
    said = text_of(render_html(summarize_study(study)))
    assert "root mean squared error" in said
    json.dumps(summarize_study(study), default=str)


@pytest.mark.slow
def test_costs_of_a_unit_are_told() -> None:
    study = run_study(homes(120), "price", ["linear", "cart"], cost={"over": 1, "under": 3})
    said = text_of(render_html(summarize_study(study)))
    assert "The errors cost" in said
    assert "Cost per row" in said


@pytest.mark.slow
@pytest.mark.parametrize("learner", learners_of("regression"))
def test_every_learner_of_numbers_has_a_page(learner: str) -> None:
    rng = np.random.default_rng(0)
    table = Table.from_any({"a": rng.normal(size=60), "b": rng.choice(["x", "y"], 60), "y": rng.normal(size=60)})
    study = run_study(table, "y", [learner], strategy="quick")
    assert "Residuals against prediction" in text_of(render_html(summarize_study(study)))


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_a_unit_changes_numbers_and_not_the_story(unit: float) -> None:
    table = homes(120)
    scaled = table.with_column(table.column("price").replace(data=table.column("price").data * unit))
    pages = [summarize_study(run_study(each, "price", ["linear"], strategy="quick")) for each in (table, scaled)]
    first, second = ([group["name"] for group in page["performance"]["numbers"]["groups"]] for page in pages)
    assert first == second
    assert pages[0]["performance"]["headline"]["r2"] == pages[1]["performance"]["headline"]["r2"]


def test_importance_of_numbers_is_the_loss_of_r2() -> None:
    X, y = homes().xy("price", task="regression")
    model = vaglio.LinearRegression().fit(X, y)
    found = permutation_importance(model, X, y)
    assert found.accuracy == pytest.approx(model.score(X, y))
    assert next(iter(found.losses)) == "size"
    # Shuffled, the column adds its variance again: R² falls by twice what it explains.
    assert found.losses["size"] == pytest.approx(2 * found.accuracy, rel=0.15)
    assert "loss of R²" in repr(found)
    assert permutation_importance(model.fitted_, X, y) == found
