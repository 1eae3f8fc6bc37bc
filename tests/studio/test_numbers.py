"""A table whose target has numbers: every page shows what it can, or says what it needs and what to do."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import run_here
from tests.studio.conftest import ORIGIN, Visitor

import vaglio
from vaglio.learners.registry import REGRESSORS
from vaglio.studio.pages.trace import _IN_THE_PLANE
from vaglio.tracing import learners

PAGES = ("/table", "/explore", "/learn", "/compare", "/understand", "/trace", "/export", "/exercises")


@pytest.fixture
def homes(enter: Any) -> Any:
    rng = np.random.default_rng(0)
    size, zone = rng.uniform(30, 200, 90), rng.choice(["north", "south"], 90)
    lines = [f"{s:.2f},{z},{2000 * s + 500 * rng.normal():.2f}" for s, z in zip(size, zone)]
    visitor = enter()
    assert visitor.upload("homes.csv", "\n".join(["size,zone,price", *lines])).status_code < 300
    assert visitor.post("/table/target", column="price").status_code == 200
    return visitor


def said(page: Any) -> str:
    assert page.status_code == 200
    plain = re.sub(r"<(script|style).*?</\1>", "", page.text, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", plain)).split())


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens(homes: Any, page: str) -> None:
    assert len(said(homes.get(page))) > 200


def test_columns_are_ranked_and_coloured_by_thirds(homes: Any) -> None:
    page = said(homes.get("/explore?x=size"))
    assert "Columns by variance explained" in page
    assert "price < " in page
    assert page.index("size") < page.index("zone")
    for pair in ("x=size&y=price", "x=zone&y=price", "x=price"):
        assert "<svg" in homes.get(f"/explore?{pair}").text


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A studio with the models of two learners of numbers; one knows no column that says anything."""
    rng = np.random.default_rng(0)
    size, zone = rng.uniform(30, 200, 90), rng.choice(["north", "south"], 90)
    price = 2000 * size + 20_000 * (zone == "north") + 5000 * rng.normal(size=90)
    visitor = Visitor(tmp_path_factory.mktemp("studio") / "project")
    lines = [f"{s:.2f},{z},{p:.2f}" for s, z, p in zip(size, zone, price)]
    visitor.upload("homes.csv", "\n".join(["size,zone,price", *lines]))
    visitor.post("/table/target", column="price")
    visitor.learn_here("linear", "cart")
    yield visitor
    visitor.close()


def test_learners_of_numbers_are_offered_and_no_others(priced: Any) -> None:
    page = priced.get("/learn").text
    offered = set(re.findall(r'name="learner" value="([^"]+)"', page))
    assert offered == set(REGRESSORS)
    assert 'name="svm.epsilon"' in page
    assert 'name="cost.under"' in page
    assert 'name="cost.0-1"' not in page


def test_results_are_errors_beside_those_of_the_mean(priced: Any) -> None:
    run = priced.studio.jobs.latest("learn")
    found = {each["id"]: each for each in run.result["learners"]}
    with np.load(run.folder / "cart.npz") as kept:
        off = kept["predicted"] - kept["true"]
        spread = kept["true"].std()
    value, low, high = found["cart"]["rmse"]
    assert low < value < high
    assert value == pytest.approx(np.sqrt(np.mean(off**2)))
    assert found["cart"]["r2"][0] == pytest.approx(1 - (value / spread) ** 2)
    assert found["cart"]["baseline"] == pytest.approx(spread)
    page = said(priced.get("/learn"))
    assert "RMSE of always predicting the mean" in page
    # The better one comes first, and is what other pages open.
    assert page.index("Look inside : linear") < page.index("Look inside : cart")
    assert vaglio.load(run.folder / "cart.vaglio").predict_interval([[80, "north"]]).shape == (1, 2)


@pytest.mark.parametrize("lang", ["en", "it"])
def test_every_page_shows_the_models(priced: Any, lang: str) -> None:
    for page, shown in {
        "/learn": "RMSE",
        "/compare": "price",
        "/understand": "R² 0",
        "/export": "train_and_evaluate",
    }.items():
        told = said(priced.get(f"{page}?lang={lang}"))
        assert shown in told.replace("0,9", "0.9"), page
    pictures = priced.get(f"/compare?lang={lang}").text
    assert ("true price" in pictures) == (lang == "en")
    assert "slider" not in pictures


def test_a_row_is_explained_by_terms_and_a_change_of_its_number(priced: Any) -> None:
    run = priced.studio.jobs.latest("learn").name
    told = said(priced.get(f"/understand?model={run}/linear&row=3"))
    assert "90% of such rows are between" in told
    assert "to start from" in told
    assert "The prediction would be at least 10% lower" in told
    assert "class" not in told[told.index("One row") :]
    tree = said(priced.get(f"/understand?model={run}/cart&node=1"))
    assert "Node 1" in tree
    assert "price < " in tree
    answer = priced.post("/understand/answer", model=f"{run}/linear", **{"v.size": "80", "v.zone": "north"})
    assert answer.json()["interval"]["coverage"] == 0.9


@pytest.mark.slow
def test_learners_are_measured_by_r2(priced: Any) -> None:
    run = priced.studio.jobs.latest("learn").name
    priced.act_here("compare", lambda: priced.post("/compare/measure", run=run))
    told = said(priced.get("/compare"))
    assert "20% noise in the numbers" in told
    assert "linear and cart differ" in told or "do not differ" in told


@pytest.mark.slow
def test_report_and_predictions_of_numbers(priced: Any) -> None:
    run = priced.studio.jobs.latest("learn")
    report = priced.act_here("report", lambda: priced.post("/export/report", model=f"{run.name}/cart", at="report"))
    written = priced.get(f"/export/report/{report}").text
    assert "predicted against true price" in written
    model = vaglio.load(run.folder / "cart.vaglio")
    assert priced.studio.jobs.get(report).result["digest"] == model.digest
    priced.act_here(
        "predict", lambda: priced.client.post(
            f"/export/upload?name=new.csv&model={run.name}/cart", content="size,zone\n80,north\n",
            headers={"origin": ORIGIN},
        )
    )  # fmt: skip
    expected = model.predict([[80, "north"]])[0]
    assert priced.studio.jobs.latest("predict").result["mean"] == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learners", "fields"),
    [
        (["cart"], {"plan": "folds_3", "cart.min_samples_leaf": "4"}),
        (["gradient-boosting"], {"cost.over": "1", "cost.under": "3", "gradient-boosting.max_iter": "5"}),
        pytest.param(["linear", "knn"], {"way": "choose", "candidates": "1"}, marks=pytest.mark.nightly),
    ],
)
def test_the_program_and_the_commands_make_the_model_again(
    homes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learners: list[str], fields: dict[str, str]
) -> None:
    run = homes.studio.jobs.get(homes.learn_here(*learners, **fields))
    learner = run.result["learners"][0]["id"]
    kept = run.folder / f"{learner}.vaglio"
    shutil.copy(homes.studio.project.tables / "homes.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "again.py").write_text(homes.get(f"/export/program?model={run.name}/{learner}").text)
    runpy.run_path("again.py")
    assert (tmp_path / f"{learner}.vaglio").read_bytes() == kept.read_bytes()
    for line in homes.get(f"/export/commands?model={run.name}/{learner}").text.splitlines():
        assert run_here(*shlex.split(line)[1:]).code == 0
    assert vaglio.load(tmp_path / f"{learner}.vaglio").digest == vaglio.load(kept).digest


def test_costs_of_a_unit_of_error_decide_the_prediction(homes: Any) -> None:
    run = homes.studio.jobs.get(homes.learn_here("knn", **{"cost.over": "1", "cost.under": "3"}))
    (found,) = run.result["learners"]
    assert found["mean_cost"] < found["trivial"]["cost"]
    assert "saves" in said(homes.get("/learn"))


@pytest.mark.slow
@pytest.mark.parametrize("rows", [60, 6])
def test_a_model_that_is_no_better_than_the_mean_is_said(enter: Any, rows: int) -> None:
    rng = np.random.default_rng(1)
    visitor = enter()
    lines = [f"{a:.3f},{b:.3f}" for a, b in rng.normal(size=(rows, 2))]
    visitor.upload("noise.csv", "\n".join(["x,y", *lines]))
    visitor.post("/table/target", column="y")
    run = visitor.studio.jobs.get(visitor.learn_here("cart", "knn"))
    # A few rows have no interval, which is no reason to show no page.
    assert (run.result["learners"][0]["r2"][1] is None) == (rows == 6)
    for page in ("/learn", "/compare"):
        assert "no better than always predicting the mean" in said(visitor.get(page))
    assert "R² −" in said(visitor.get("/understand"))


def test_a_target_without_spread_is_said(enter: Any) -> None:
    visitor = enter()
    visitor.upload("flat.csv", "\n".join(["x,y", *(f"{i / 3:.2f},2.5" for i in range(30))]))
    visitor.post("/table/target", column="y")
    told = [said(visitor.get(page)) for page in ("/learn", "/trace")]
    assert all("is 2.5 in every row. There is nothing to predict" in each for each in told)


@pytest.mark.parametrize(
    ("fields", "where", "told"),
    [
        ({"learner": ["c45"]}, "learners", "Choose at least one learner"),
        ({"learner": ["knn"], "cost.over": "-1"}, "costs", "must be finite and not negative"),
        ({"learner": ["knn"], "cost.over": "much"}, "costs", "A cost must be a number"),
        ({"learner": ["svm"], "svm.epsilon": "-1"}, "learner-svm", "epsilon"),
    ],
)
def test_a_wrong_choice_starts_nothing(homes: Any, fields: dict[str, Any], where: str, told: str) -> None:
    answer = homes.post("/learn/start", **{"plan": "holdout_30", "seed": "0", **fields})
    assert answer.status_code == 422
    assert f'id="problem-{where}"' in answer.text
    assert told in unescape(answer.text)
    assert homes.studio.jobs.latest("learn") is None


def test_the_form_starts_anew_for_the_other_task(homes: Any) -> None:
    homes.post("/learn/start", learner=["knn"], plan="folds_3", seed="-1", **{"cost.over": "2"})
    homes.post("/table/target", column="zone")
    page = homes.get("/learn").text
    assert 'name="cost.over"' not in page
    assert re.search(r'value="c45" id="pick-c45" checked', page)


@pytest.mark.parametrize("learner", learners("regression"))
def test_learners_of_numbers_are_traced(priced: Any, learner: str) -> None:
    page = priced.get(f"/trace?learner={learner}&rows=30&row=3")
    told = said(page)
    assert 'class="trace-step' in page.text
    assert "The trace uses 30 of 90 rows, drawn at random." in told
    assert ('class="chart plane"' in page.text) == (learner in _IN_THE_PLANE["regression"])
    assert "Row to predict" in told
    assert f"<option selected>{learner}</option>" in page.text


def test_a_wrong_choice_of_a_trace_falls_back_to_a_tree(priced: Any) -> None:
    page = priced.get("/trace?learner=id3&across=size&up=zone&row=x&rows=-1").text
    assert "<option selected>cart</option>" in page
    assert "max_depth" in said(priced.get("/trace?learner=cart&p.max_depth=-3"))
