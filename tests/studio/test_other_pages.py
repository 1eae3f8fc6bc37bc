"""Explore, Compare, Understand and Take away."""

from __future__ import annotations

import json
import re

import pytest
from tests.studio.conftest import messy_table

import vaglio
from vaglio.fitted import load
from vaglio.learners.registry import LEARNERS
from vaglio.messages.locale import Locale
from vaglio.studio.pages.understand import open_model, why
from vaglio.studio.service import PAGES
from vaglio.table import read


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_small_in_both_languages(learned, page):
    for lang in ("en", "it"):
        answer = learned.get(f"/{page}", headers={"accept-language": lang})
        assert answer.status_code == 200
        assert f'<html lang="{lang}"' in answer.text
        assert len(answer.content) < 2_000_000
        assert not re.search(r"\{\{|\{%|undefined", answer.text)


@pytest.mark.slow
def test_explore_shows_the_rows_behind_a_bar_and_a_point(learned):
    page = learned.get("/explore?x=island&bin=0").text
    assert "island: Biscoe." in page
    assert "168 rows, 20 shown below" in page
    page = learned.get("/explore?x=bill_length_mm&y=body_mass_g&row=3").text
    assert "<circle" in page
    assert '<th scope="row" class="number">3</th>' in page
    assert "<rect" in learned.get("/explore?x=island&y=sex").text
    assert learned.get("/explore?x=nowhere&y=neither&bin=99999999&row=0").status_code == 200


@pytest.mark.slow
def test_compare_has_curves_of_all_models_and_counts_for_one_slider(learned):
    page = learned.get("/compare").text
    for panel in ("roc", "pr", "gain", "lift", "cost"):
        assert f'id="panel-{panel}"' in page
    data = json.loads(re.search(r'id="compare-data">(.*?)</script>', page)[1])
    assert [model["name"] for model in data["models"]] == ["naive-bayes", "c45", "ripper"]
    for model in data["models"]:
        assert len(model["tp"]) == 101
        assert model["tp"] == sorted(model["tp"])
        assert model["tp"][-1] == data["positives"]
        assert model["fp"][-1] == data["negatives"]
        # Folds, in which a threshold is chosen again for what it costs on other rows.
        assert len(model["folds"]) == 10
        for name in ("tp", "fp"):
            assert [sum(counts) for counts in zip(*(fold[name] for fold in model["folds"]))] == model[name]


@pytest.mark.slow
def test_the_five_requirements_are_measured_in_a_run(enter):
    visitor = enter()
    visitor.open("play")
    name = visitor.learn_here("c45", "naive-bayes")
    visitor.act_here("compare", lambda: visitor.post("/compare/measure", run=name))
    page = visitor.get("/compare").text
    assert "20% label noise" in page
    assert "1 of 1 pair does not differ significantly" in page


@pytest.mark.slow
def test_nodes_of_a_tree_lead_to_their_rows(learned):
    run = learned.studio.jobs.latest("learn").name
    page = learned.get(f"/understand?model={run}/c45").text
    assert f'href="/understand?model={run}/c45&amp;node=0#node"' in page
    assert "Node 0: 344 rows" in learned.get(f"/understand?model={run}/c45&node=0").text
    assert "Node" not in re.sub(r"<svg.*?</svg>", "", learned.get(f"/understand?model={run}/c45&node=999999").text)


@pytest.mark.slow
def test_a_rule_that_is_switched_off_changes_the_figures(learned):
    run = learned.studio.jobs.latest("learn").name
    page = learned.get(f"/understand?model={run}/ripper").text
    assert "Accuracy is measured on the 103 rows of the hold-out set." in page
    found = re.findall(r"<strong[^>]*>([\d.]+)%</strong>", learned.get(f"/understand?model={run}/ripper&off=0").text)
    assert float(found[1]) < float(found[0])


@pytest.mark.slow
def test_a_row_is_explained_and_its_values_can_be_moved(learned):
    run = learned.studio.jobs.latest("learn").name
    page = learned.get(f"/understand?model={run}/c45&row=1").text
    assert "True class: Adelie." in page
    assert 'type="range"' in page
    assert "What would change the prediction" in page
    fields = {f"v.{name}": "" for name in ("island", "sex", "year", "bill_length_mm", "bill_depth_mm", "body_mass_g")}
    answers = [
        learned.post("/understand/answer", model=f"{run}/c45", **fields, **{"v.flipper_length_mm": length}).json()
        for length in ("180", "230")
    ]
    assert answers[0]["predicted"] != answers[1]["predicted"]
    wrong = learned.post("/understand/answer", model=f"{run}/c45", **fields, **{"v.flipper_length_mm": "long"})
    assert wrong.status_code == 422
    assert "is not a number" in wrong.json()["detail"]
    assert learned.post("/understand/why", model=f"{run}/c45", **fields).status_code == 200
    # Advice leaves the sex alone, which nobody can change, unless its box is ticked.
    allowed = learned.get(f"/understand?model={run}/c45&row=1&may.sex=1").text
    assert ['name="may.sex" value="1" checked' in each for each in (page, allowed)] == [False, True]
    assert "There is no row" in learned.get(f"/understand?model={run}/c45&row=99999").text


def test_advice_changes_what_nobody_can_where_its_box_is_ticked(tmp_path):
    X, y = vaglio.datasets.load("penguins").xy("species")
    vaglio.C45Classifier().fit(X, y).save(tmp_path / "m.vaglio")
    served, row = open_model(tmp_path / "m.vaglio"), X[[17]].to_frame().iloc[0].to_dict()
    kept, free = (why(served, row, may, Locale("en")) for may in ((), ("sex",)))
    assert kept["change"] is None
    assert free["change"]["values"] == {"sex": "female"}


@pytest.mark.slow
def test_every_kind_of_model_has_a_page(enter):
    visitor = enter()
    visitor.open("play")
    name = visitor.learn_here(*LEARNERS, plan="holdout_20")
    for each in visitor.studio.jobs.get(name).result["learners"]:
        answer = visitor.get(f"/understand?model={name}/{each['id']}")
        assert answer.status_code == 200, each["id"]
        assert each["error"] or 'id="why"' in answer.text, each["id"]
        assert visitor.get(f"/export?model={name}/{each['id']}").status_code == 200


@pytest.mark.slow
def test_models_and_their_forms_can_be_taken_away(learned):
    run = learned.studio.jobs.latest("learn")
    kept = learned.get(f"/export/model?model={run.name}/c45")
    assert kept.content == (run.folder / "c45.vaglio").read_bytes()
    assert "attachment" in kept.headers["content-disposition"]
    for form in ("sql", "python", "onnx", "svg", "json"):
        answer = learned.get(f"/export/export?model={run.name}/c45&format={form}")
        assert answer.status_code == 200
        assert "attachment" in answer.headers["content-disposition"]
    assert learned.get(f"/export/export?model={run.name}/c45&format=exe").status_code == 422


@pytest.mark.slow
def test_the_report_is_written_in_the_language_of_the_page_and_kept_apart_from_the_studio(enter):
    visitor = enter()
    visitor.post("/settings", lang="it")
    visitor.open("play")
    name = visitor.learn_here("c45")
    visitor.post("/export/report", model=f"{name}/c45")
    report = visitor.wait("report")
    answer = visitor.get(f"/export/report/{report}")
    assert answer.text.startswith("<!doctype html>")
    assert '<html lang="it"' in answer.text
    assert "sandbox" in answer.headers["content-security-policy"]
    assert visitor.get(f"/export/predictions/{report}").status_code == 422


@pytest.mark.slow
def test_predictions_repeat_what_cleaning_did_to_values(enter, tmp_path):
    visitor = enter()
    largest = max((line.split(";")[3] for line in messy_table().splitlines()[1:]), key=float)
    visitor.upload("messy.csv", messy_table().replace(f";{largest};", ";900000;"))
    visitor.post("/table/target", column="buys")
    visitor.post("/table/missing", words="n/d")
    visitor.post("/table/clean", finding="spelling", choice="merge")
    visitor.post("/table/clean", finding="outliers", choice="clip")
    name = visitor.learn_here("naive-bayes")
    head = "id;city;age;income;size;zone;country"
    lines = [f"1;{city};40;{income};small;1;IT" for city, income in (("milano", 900_000), ("Milano", 48_083))]
    (tmp_path / "rows.csv").write_text("\n".join([head, *lines]) + "\n")
    fields = {"model": f"{name}/naive-bayes", "path": str(tmp_path / "rows.csv")}
    run = visitor.act_here("predict", lambda: visitor.post("/export/predict", **fields))
    (tmp_path / "predicted.csv").write_bytes(visitor.get(f"/export/predictions/{run}").content)
    table = read(tmp_path / "predicted.csv")
    # The file shows the rows as they came, the model saw them as the table was cleaned.
    assert table.column("city").values.tolist() == ["milano", "Milano"]
    cleaned, as_cleaned = table.column("p_yes").data
    assert cleaned == pytest.approx(as_cleaned, rel=1e-3)
    page = visitor.get("/export").text
    assert "Column &#39;city&#39;: 1 cell changed as in the cleaned table (&#39;milano&#39; → &#39;Milano&#39;)" in page
    assert "Column &#39;income&#39;: 2 cells changed" in page
    assert "Also read as missing values: &#39;n/d&#39;" in page
    italian = visitor.get("/export", headers={"accept-language": "it"}).text
    assert "Letti anche come valori mancanti: &#39;n/d&#39;" in italian


@pytest.mark.slow
def test_another_file_is_predicted(enter, tmp_path):
    visitor = enter()
    visitor.open("play")
    name = visitor.learn_here("naive-bayes")
    rows = tmp_path / "new.csv"
    rows.write_text("outlook,temperature,humidity,windy\nsunny,cool,high,true\nrainy,mild,normal,false\n")
    assert visitor.post("/export/predict", model=f"{name}/naive-bayes", path=str(rows)).status_code == 200
    run = visitor.wait("predict")
    answer = visitor.get(f"/export/predictions/{run}")
    (tmp_path / "predicted.csv").write_bytes(answer.content)
    table = read(tmp_path / "predicted.csv")
    assert len(table) == 2
    assert {"predicted", "p_no", "p_yes"} <= set(table.columns)


@pytest.mark.slow
def test_columns_with_other_names_are_asked_for_in_a_form_that_is_filled_in(enter, tmp_path):
    visitor = enter()
    visitor.open("play")
    name = visitor.learn_here("naive-bayes")
    model = f"{name}/naive-bayes"
    rows = tmp_path / "next month.csv"
    # Two names differ in marks alone, two are others, and one is that of another column of the model.
    rows.write_text("OUTLOOK;_Temperature;umidità;humidity;vento\nsunny;cool;high;?;true\nrainy;mild;normal;?;false\n")
    assert visitor.post("/export/predict", model=model, path=str(rows)).status_code == 200
    assert visitor.studio.jobs.latest("predict") is None
    page = visitor.get("/export").text
    shown = re.search(r'id="mapping".*?</form>', page, re.DOTALL)[0]
    chosen = re.findall(r'name="column.(\d)"(?: class="open")?>.*?</select>', shown, re.DOTALL)
    assert len(chosen) == 4
    assert re.findall(r"<option selected>([^<]*)", shown) == ["OUTLOOK", "_Temperature", "humidity"]
    file = re.search(r'name="file" value="([^"]*)"', shown)[1]
    fields = {"at": "mapping", "model": model, "file": file, "column.0": "OUTLOOK", "column.1": "_Temperature"}
    wrong = [({"column.2": "umidità"}, "windy"), ({"column.2": "vento", "column.3": "vento"}, "twice")]
    for typed, said in wrong:
        answer = visitor.post("/export/map", **fields, **typed)
        assert answer.status_code == 422
        assert said in re.search(r'id="problem-mapping">([^<]*)', answer.text)[1]
    for outside in ("../project.json", "nowhere.csv", "/etc/passwd"):
        assert visitor.post("/export/map", **{**fields, "file": outside}).status_code == 422
    right = {"column.2": "umidità", "column.3": "vento"}
    run = visitor.act_here("predict", lambda: visitor.post("/export/map", **fields, **right))
    (tmp_path / "mapped.csv").write_bytes(visitor.get(f"/export/predictions/{run}").content)
    assert read(tmp_path / "mapped.csv").columns[-3:] == ("predicted", "p_no", "p_yes")
    kept = load(visitor.studio.jobs.latest("learn").folder / "naive-bayes.vaglio")
    rows_as_trained = [
        {"outlook": "sunny", "temperature": "cool", "humidity": "high", "windy": "true"},
        {"outlook": "rainy", "temperature": "mild", "humidity": "normal", "windy": "false"},
    ]
    given = read(tmp_path / "mapped.csv").column("p_yes").data
    assert given.tolist() == pytest.approx([kept.predict_proba_one(row)[1] for row in rows_as_trained], rel=1e-6)
    page = visitor.get("/export").text
    assert "Column &#39;umidità&#39; of the file is &#39;humidity&#39;." in page
    assert 'id="mapping"' not in page
