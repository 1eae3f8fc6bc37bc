"""How strongly columns depend on each other and on the class."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.stats import chi2_contingency
from sklearn.feature_selection import f_classif

from vaglio.quality import (
    associate,
    associations,
    rank_attributes,
)
from vaglio.quality.association import chi2_test, gain_by_chance, information_gain
from vaglio.quality.levels import entropy_bits
from vaglio.table import Column, Table

# Outlook, temperature, humidity, windy, class: a letter each.
_DAYS = "shhfN shhtN ohhfP rmhfP rcnfP rcntN ocntP smhfN scnfP rmnfP smntP omhtP ohnfP rmhtN".split()  # noqa: SIM905
PLAY = dict(zip(("outlook", "temperature", "humidity", "windy", "class"), map(list, zip(*_DAYS))))


def test_the_play_table_is_ranked_as_in_the_notes():
    ranked = rank_attributes(Table.from_any(PLAY), "class")
    assert [(s.attribute, round(s.gain, 4)) for s in ranked] == [
        ("outlook", 0.2467),
        ("humidity", 0.1518),
        ("windy", 0.0481),
        ("temperature", 0.0292),
    ]
    ratios = {s.attribute: round(s.gain_ratio, 4) for s in ranked}
    assert ratios == {"outlook": 0.1564, "humidity": 0.1518, "windy": 0.0488, "temperature": 0.0188}


def test_an_identifier_has_the_largest_gain_and_none_beyond_chance():
    table = Table.from_any({**PLAY, "day": [f"d{i}" for i in range(14)]})
    scores = {score.attribute: score for score in rank_attributes(table, "class")}
    day = scores["day"]
    assert next(iter(scores)) == "outlook"
    assert day.gain == pytest.approx(0.9403, abs=1e-4)
    assert round(day.gain_ratio, 4) == 0.2470
    assert day.strength == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 60, 4000])
@pytest.mark.parametrize("values", [2, 7, 60, 4000])
def test_the_gain_by_chance_is_that_of_shuffled_classes(n, values):
    rng = np.random.default_rng(n + values)
    codes, classes = rng.integers(0, values, n), rng.choice(3, n, p=[0.7, 0.25, 0.05])
    found = []
    for _ in range(40):
        table = np.zeros((values, 3))
        np.add.at(table, (codes, rng.permutation(classes)), 1)
        found.append(information_gain(table)[0])
    error = np.std(found) / np.sqrt(len(found))
    assert gain_by_chance(table) == pytest.approx(np.mean(found), abs=4 * error + 1e-6)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("categories", [20, 100, 400])
@pytest.mark.parametrize("kind", ["nominal", "numeric"])
def test_noise_does_not_rank_above_what_tells_the_class(seed, categories, kind):
    """Whatever its number of values: a column of noise against one that is right in two rows of three."""
    rng = np.random.default_rng([seed, categories])
    n = 400
    y = rng.integers(0, 2, n)
    sign = np.where(rng.random(n) < 2 / 3, y, 1 - y)
    columns = {"sign": [f"s{v}" for v in sign] if kind == "nominal" else sign + rng.normal(0, 0.2, n)}
    columns |= {"noise": [f"v{v}" for v in rng.integers(0, categories, n)], "number": rng.normal(size=n)}
    ranked = rank_attributes(Table.from_any({**columns, "y": [f"c{v}" for v in y]}), "y")
    assert ranked[0].attribute == "sign"
    noise = {score.attribute: score for score in ranked}["noise"]
    assert abs(noise.strength) < 0.03
    assert noise.by_chance > 0


def test_the_best_cut_of_noise_gains_about_what_chance_does():
    for n, classes, ties in ((40, 2, 0), (400, 2, 0), (400, 4, 0), (2000, 3, 30)):
        rng = np.random.default_rng(n)
        scores = []
        for _ in range(60):
            x = rng.integers(0, ties, n).astype(float) if ties else rng.normal(size=n)
            y = [f"c{v}" for v in rng.integers(0, classes, n)]
            scores.append(rank_attributes(Table.from_any({"x": x, "y": y}), "y")[0])
        gain, chance = (np.mean([getattr(score, name) for score in scores]) for name in ("gain", "by_chance"))
        assert chance == pytest.approx(gain, rel=0.3)


def test_numbers_are_cut_where_the_gain_is_largest():
    values, classes = np.array([1.0, 2, 3, 10, 11, 12]), list("aaabbb")
    score = rank_attributes(Table.from_any({"v": values, "y": classes}), "y")[0]
    assert (score.gain, score.gain_ratio, score.threshold) == (1, 1, 6.5)


def test_all_thresholds_against_brute_force():
    rng = np.random.default_rng(2)
    values, y = rng.integers(0, 12, 60).astype(float), rng.integers(0, 3, 60)
    score = rank_attributes(Table.from_any({"v": values, "y": [f"c{k}" for k in y]}), "y")[0]
    gains = []
    for cut in np.unique(values)[:-1]:
        low = values <= cut
        inside = sum(part.sum() * entropy_bits(np.bincount(y[part], minlength=3)) for part in (low, ~low)) / 60
        gains.append(entropy_bits(np.bincount(y)) - inside)
    assert score.gain == pytest.approx(max(gains))


@pytest.mark.parametrize("table", [[[10, 20], [20, 10]], [[1, 2, 3], [4, 5, 6], [9, 8, 7]], [[5, 1], [1, 7], [3, 3]]])
def test_chi2_is_that_of_scipy(table: list):
    counts = np.array(table)
    assert chi2_test(counts) == pytest.approx(chi2_contingency(counts, correction=False)[:2])


def test_the_gain_is_weighed_by_the_share_of_known_rows():
    rng = np.random.default_rng(0)
    y = rng.choice(["p", "q"], 294)
    full = np.where(rng.random(294) < 0.8, y == "p", y == "q").astype(float) + rng.random(294) / 10
    rare = np.where(np.arange(294) < 28, (y == "p").astype(float), np.nan)
    scores = {s.attribute: s for s in rank_attributes(Table.from_any({"full": full, "rare": rare, "y": y}), "y")}
    assert next(iter(scores)) == "full"
    assert scores["rare"].known == pytest.approx(28 / 294)
    # In the known rows the column tells the class; the split has a third part, the rows in which it is missing.
    known = y[:28]
    counts = np.unique(known, return_counts=True)[1]
    assert scores["rare"].gain == pytest.approx(28 / 294 * entropy_bits(counts))
    assert scores["rare"].gain_ratio == pytest.approx(scores["rare"].gain / entropy_bits(np.append(counts, 266)))


def test_associations_of_every_kind():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    group = (x > 0).astype(int)
    a, b = Column.numeric("a", x), Column.numeric("b", 2 * x + rng.normal(size=200))
    assert associate(a, b).strength == pytest.approx(stats.pearsonr(a.data, b.data).statistic)
    c = Column.nominal("c", group, ("u", "v"))
    ratio = associate(c, a)
    assert ratio.measure == "correlation ratio"
    f = f_classif(x[:, None], group)[0][0]
    # What two groups explain by chance is taken off: Kelley's ε².
    assert ratio.strength**2 == pytest.approx(1 - (198 / (f + 198)) * 199 / 198)
    assert associate(c, c).strength == pytest.approx(1)
    rank = Column.nominal("r", np.digitize(x, [-1, 0, 1]), tuple("1234"), level="ordinal")
    assert associate(rank, a).measure == "Spearman"
    assert associate(Column.text("t", ["x"] * 200), a).measure == "none"


@pytest.mark.parametrize(("categories", "others"), [(2, 2), (2, 60), (40, 40), (150, 150), (300, 7), (300, 300)])
def test_columns_that_tell_nothing_of_each_other_are_near_zero(categories, others):
    """Whatever the number of categories; uncorrected, Cramér's V and η of 150 categories in 300 rows are near 0.7."""
    rng = np.random.default_rng(categories + others)
    names = tuple(map(str, range(300)))
    found: dict[str, list[float]] = {}
    for _ in range(30):
        a, b = (rng.permutation(np.arange(300) % k) for k in (categories, others))
        first = Column.nominal("a", a, names)
        for other in (Column.nominal("b", b, names), Column.numeric("b", rng.normal(size=300))):
            pair = associate(first, other)
            found.setdefault(pair.measure, []).append(pair.strength)
    assert set(found) == {"Cramér's V", "correlation ratio"}
    for strengths in found.values():
        # On average the squares are as often above as below 0, where they are cut off.
        assert np.mean(strengths) < 0.1
        assert np.max(strengths) < 0.35


def test_cramers_v_is_corrected_as_by_bergsma():
    table = np.array([[20, 5, 9], [3, 14, 7], [4, 6, 21], [8, 8, 2]])
    a = np.repeat(np.arange(4), table.sum(axis=1))
    b = np.concatenate([np.repeat(np.arange(3), row) for row in table])
    n, (rows, columns) = table.sum(), table.shape
    phi = chi2_contingency(table, correction=False)[0] / n
    smaller = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
    expected = np.sqrt((phi - (rows - 1) * (columns - 1) / (n - 1)) / smaller)
    found = associate(Column.nominal("a", a, tuple("abcd")), Column.nominal("b", b, tuple("xyz")))
    assert found.strength == pytest.approx(expected)


@pytest.mark.slow
def test_a_matrix_of_associations(iris_table):
    found = associations(iris_table)
    assert found.matrix.shape == (5, 5)
    assert found.strongest(1)[0]["strength"] > 0.95
    assert "petal" in repr(found)
    assert "<table" in found._repr_html_()
    found.plot()
    few = associations(iris_table, max_columns=2)
    assert "first 2 of 5 columns" in few.note


def test_the_correlation_ratio_has_the_f_test_of_scipy():
    rng = np.random.default_rng(5)
    groups, values = rng.integers(0, 40, 3000), rng.normal(size=3000) + 1e6
    values[groups == 3] += 0.4
    found = associate(Column.nominal("g", groups, tuple(map(str, range(40)))), Column.numeric("x", values))
    expected = stats.f_oneway(*(values[groups == code] for code in np.unique(groups)))
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    by_groups = Column.nominal("g", groups, tuple(map(str, range(40))))
    determined = associate(by_groups, Column.numeric("x", groups.astype(float)))
    assert (determined.strength, determined.p_value) == (pytest.approx(1.0), pytest.approx(0.0))
