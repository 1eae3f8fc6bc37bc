"""A numeric target: its distribution, doubtful values, columns that give it away, rows that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

import vaglio
from vaglio.quality import Audit, explore, rank_attributes
from vaglio.quality.association import explained_by_groups
from vaglio.quality.checks.context import Context
from vaglio.report import exploration_html
from vaglio.table import Table

from .findings import numbers, the

ABOUT_TARGET = ("target-outliers", "skewed-target", "cut-off-target", "many-zeros", "constant-target", "leakage")


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def audited(n: int, **columns: object) -> Audit:
    return vaglio.audit(Table.from_any(numbers(n, **columns)), "y", task="regression")


@pytest.mark.parametrize("seed", range(1, 6))
def test_numbers_as_they_usually_are_raise_no_alarm(seed: int):
    draw = np.random.default_rng(seed)
    for y in (draw.normal(size=300), draw.uniform(size=300), draw.integers(10, 300, 300).astype(float)):
        assert not [finding for finding in audited(300, y=y) if finding.kind in ABOUT_TARGET]


def test_far_values_of_the_target_are_named_by_their_rows():
    y = rng().normal(100, 10, 300)
    y[[7, 41]] = 5000, -3000
    found = the(audited(300, y=y), "target-outliers")
    assert (found.rows.tolist(), found.severity) == ([7, 41], "medium")
    assert "rows 8 and 42" in found.message


def test_shapes_of_the_target_are_told():
    draw = rng()
    assert "median" in the(audited(500, y=draw.lognormal(0, 1.2, 500)), "skewed-target").message
    zeros = np.where(draw.random(500) < 0.4, 0.0, draw.gamma(2, 10, 500))
    assert "zero in" in the(audited(500, y=zeros), "many-zeros").message
    capped = np.minimum(draw.normal(30, 12, 500), 50.0)
    assert "50, its largest value, in" in the(audited(500, y=capped), "cut-off-target").message
    assert the(audited(50, y=np.full(50, 2.5)), "constant-target").severity == "high"


def test_columns_that_give_the_target_away_are_reported_and_honest_ones_are_not():
    draw = rng()
    y = draw.normal(50, 10, 400)
    columns = {
        "in_cents": np.exp(y / 20),
        "curve": np.abs(y - 50),
        "noisy": y + draw.normal(0, 3, 400),
        "filled": np.where(y > 50, 1.0, np.nan) * draw.normal(size=400),
        "code": np.floor(y).astype(int).astype(str),
    }
    found = {finding.columns[0] for finding in audited(400, y=y, **columns).of_kind("leakage")}
    assert found == {"in_cents", "code"}
    both = np.where(draw.random(400) < 0.5, 0.0, 100.0) + draw.normal(size=400)
    after = np.where(both > 50, draw.normal(size=400), np.nan)
    assert "Whether column 'after' is missing" in the(audited(400, y=both, after=after), "leakage").message


def test_a_row_that_does_not_fit_its_number_is_found():
    draw = rng()
    x = draw.uniform(0, 10, 400)
    y = 10 * x + draw.normal(0, 1, 400)
    y[13] = 95.0 if x[13] < 5 else 5.0
    found = the(vaglio.audit(Table.from_any({"x": x, "y": y}), "y"), "forest-outliers")
    assert 13 in found.rows
    assert "instead of about" in found.message


def test_equal_rows_of_other_numbers_say_what_error_no_model_is_below():
    table = Table.from_any({"x": ["a", "a", "b", "b", "c"], "y": [1.0, 3.0, 10.5, 12.5, 7.0]})
    found = the(vaglio.audit(table, "y"), "inconsistent")
    assert found.details["deviation"] == pytest.approx(np.sqrt(2.0))
    with pytest.raises(vaglio.errors.InputError, match="for classes"):
        vaglio.audit(table, "y").clean(inconsistent="drop")


def test_the_task_decides_what_whole_numbers_are():
    table = Table.from_any(numbers(200, y=rng().integers(1, 6, 200)))
    assert not Context(table, "y").predicts_numbers
    assert Context(table, "y", task="regression").predicts_numbers
    found = vaglio.audit(table, "y", task="regression")
    assert hasattr(found.ranking[0], "explained")
    assert hasattr(vaglio.audit(table, "y").ranking[0], "gain")


def test_what_is_explained_is_that_of_an_analysis_of_variance():
    from scipy.stats import f_oneway, spearmanr

    draw = rng()
    codes = draw.integers(0, 4, 300)
    y = codes * 0.5 + draw.normal(size=300)
    share, p = explained_by_groups(codes, y)
    test = f_oneway(*(y[codes == k] for k in range(4)))
    assert p == pytest.approx(test.pvalue, rel=1e-9)
    # ε² by the F statistic: (F - 1) (k - 1) / (F (k - 1) + n - k).
    f = test.statistic
    assert share == pytest.approx((f - 1) * 3 / (f * 3 + 296))
    x = draw.normal(size=300)
    x[:30] = np.nan
    best = rank_attributes(Table.from_any({"x": x, "y": x * 2 + 1e-3 * draw.normal(size=300), "z": y}), "z")
    assert {score.attribute: score.known for score in best}["x"] == pytest.approx(0.9)
    score = next(score for score in best if score.attribute == "x")
    assert score.rank_correlation == pytest.approx(spearmanr(x[30:], y[30:]).statistic)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12, 1e300])
def test_a_unit_changes_no_ranking(unit: float):
    draw = rng()
    x = draw.normal(size=200)
    y = x + draw.normal(size=200)
    scores = rank_attributes(Table.from_any({"x": x, "w": draw.normal(size=200), "y": y * unit}), "y")
    plain = rank_attributes(Table.from_any({"x": x, "w": draw.normal(size=200), "y": y}), "y")
    assert scores[0].attribute == "x"
    assert scores[0].explained == pytest.approx(plain[0].explained, rel=1e-6)


def test_chance_explains_nothing_on_average():
    draw = rng()
    shares = []
    for _ in range(40):
        groups, y = draw.integers(0, 20, 100), draw.normal(size=100)
        codes = np.unique(groups, return_inverse=True)[1]
        means = np.bincount(codes, weights=y) / np.bincount(codes)
        within = np.square(y - means[codes]).sum() / (100 - len(means))
        shares.append(1 - within / y.var(ddof=1))
        assert explained_by_groups(groups, y)[0] == pytest.approx(max(shares[-1], 0.0))
    assert abs(np.mean(shares)) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("lang", [pytest.param("en", marks=pytest.mark.nightly), "it"])
def test_an_exploration_of_numbers_has_no_classes(lang: str):
    seen = explore(vaglio.datasets.load("penguins"), "body_mass_g")
    assert seen.classes() == []
    assert seen.numbers()[0]["rows"] == 342
    told = seen.to_text(lang=lang)
    assert "body_mass_g" in told.splitlines()[0]
    assert ("explained" if lang == "en" else "spiegata") in told
    page = exploration_html(seen, lang=lang)
    assert page.count('<svg class="histogram"') == 5
    assert "body_mass_g &lt; " in page or "body_mass_g < " in page
