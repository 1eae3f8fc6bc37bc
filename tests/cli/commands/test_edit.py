"""``vaglio edit``: another model with one term changed, the change kept, and the model that was read left alone."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run_here

import vaglio


@pytest.fixture(scope="module")
def additive(tmp_path_factory):
    """A model of a numeric or ordinal column, one of categories and one of dates, with missing values."""
    random = np.random.default_rng(0)
    n = 300
    table = pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "pays": random.choice(["cash", "card", "later"], n),
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(random.integers(0, 900, n), "D"),
        }
    )
    score = table["age"] / 20 - 2 + (table["pays"] == "later") + random.logistic(size=n)
    table["risk"] = np.where(score > 0, "high", "low")
    table.loc[::17, "age"] = np.nan
    folder = tmp_path_factory.mktemp("additive")
    table.to_csv(folder / "t.csv", index=False)
    settings = [word for text in ("max_rounds=60", "interactions=0", "outer_bags=2") for word in ("--set", text)]
    trained = run_here(
        *("train", folder / "t.csv", "--target", "risk", "--learner", "additive", *settings),
        *("--out", folder / "m.vaglio"),
    )
    assert trained.code == 0, trained.err
    return folder / "m.vaglio"


def scores(path, term):
    model = vaglio.load(path).model
    return model.table([model.name_of(t) for t in range(model.n_terms)].index(term))[..., 0]


def test_an_edit_is_another_file_and_says_what_was_done(additive, tmp_path):
    before = additive.read_bytes()
    out = tmp_path / "safer.vaglio"
    why = "older customers are no smaller risk"
    outcome = run_here(*("edit", additive, "age", "monotone", "--direction", "falling", "--reason", why, "--out", out))
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("age: monotone falling: ")
    assert f"({why})" in outcome.out
    assert additive.read_bytes() == before
    assert (np.diff(scores(out, "age")[:-1]) <= 0).all()
    assert vaglio.load(out).edits[0]["reason"] == why
    shown = run_here("inspect", out).out
    assert "Edited by hand" in shown
    assert why in shown
    again = run_here("edit", out, "pays", "remove", "--out", tmp_path / "third.vaglio", "--json")
    assert json.loads(again.out)["edit"]["action"] == "remove"
    assert [edit["term"] for edit in vaglio.load(tmp_path / "third.vaglio").edits] == ["age", "pays"]


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        (["pays", "set", "--where", "later", "--value", "0.25"], 1),
        (["age", "set", "--where", "missing", "--value", "0.25"], 1),
        (["age", "set", "--where", "..30", "--value", "0.25"], None),
        (["age", "set", "--where", "30..50", "--value", "0.25"], None),
        (["since", "set", "--where", "2021-01-01..2021-06-30", "--value", "0.25"], None),
        (["since", "set", "--where", "2022-01-01..", "--value", "0.25"], None),
    ],
)
def test_where_is_a_category_a_range_or_missing(words, changed, additive, tmp_path):
    out = tmp_path / "e.vaglio"
    outcome = run_here("edit", additive, *words, "--out", out)
    assert outcome.code == 0, outcome.err
    given = scores(out, words[0]) == 0.25
    assert given.sum() == changed if changed else 1 < given.sum() < len(given)
    np.testing.assert_array_equal(scores(out, words[0])[~given], scores(additive, words[0])[~given])


def test_the_days_of_a_range_are_those_of_the_model(additive, tmp_path):
    out = tmp_path / "e.vaglio"
    run_here("edit", additive, "since", "set", "--where", "2021-01-01..2021-06-30", "--value", "0.25", "--out", out)
    assert "since: set where 2021-01-01..2021-06-30: " in run_here("inspect", out).out
    cuts = vaglio.load(out).model.cuts_of(2)
    inside = (np.append(cuts, np.inf) > 18628) & (np.append(-np.inf, cuts) < 18808)  # days since 1970
    np.testing.assert_array_equal(scores(out, "since")[:-1] == 0.25, inside)


def test_the_suggested_next_commands_work(additive, monkeypatch):
    monkeypatch.chdir(additive.parent)
    for words in (["edit", "m.vaglio"], ["edit", "m.vaglio", "pays", "flatten", "--out", "flat.vaglio"]):
        line = run_here(*words).err.splitlines()[-1].replace("TABLE", "t.csv")
        for following in line.removeprefix("Next: ").split(", or "):
            outcome = run_here(*shlex.split(following)[1:])
            assert outcome.code == 0, (following, outcome.err)
    for name in ("flat.vaglio", "m-edited.vaglio"):
        (additive.parent / name).unlink()


def test_without_a_term_all_are_listed(additive):
    outcome = run_here("edit", additive)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "Contribution of each term to the log-odds of low"
    assert lines[3].split()[0] == "age"
    listed = json.loads(run_here("edit", additive, "--json").out)
    assert {entry["term"] for entry in listed["terms"]} == {"age", "pays", "since"}
    assert listed["edits"] == []


@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        (["age"], "the term and the action", 2),
        (["age", "flatten"], "--out FILE", 2),
        (["--out", "e.vaglio"], "--out needs a change", 2),
        (["age", "bend", "--out", "e.vaglio"], "ACTION", 2),
        (["agee", "flatten", "--out", "e.vaglio"], "did you mean age", 1),
        (["age", "set", "--out", "e.vaglio"], "needs value=", 1),
        (["age", "flatten", "--where", "40", "--out", "e.vaglio"], "20..40", 2),
        (["age", "flatten", "--where", "young..old", "--out", "e.vaglio"], "'young' is not a number", 2),
        (["since", "flatten", "--where", "soon..", "--out", "e.vaglio"], "'soon' is not a date", 2),
        (["pays", "flatten", "--where", "gold", "--out", "e.vaglio"], "has no value 'gold'", 1),
        (["pays", "monotone", "--out", "e.vaglio"], "numeric or ordinal column", 1),
        (["age", "flatten", "--label", "hihg", "--out", "e.vaglio"], "did you mean", 1),
        (["age", "flatten", "--out", "m.vaglio"], "m.vaglio", 1),
    ],
)
def test_what_cannot_be_edited_is_said_and_nothing_is_written(words, says, code, additive, monkeypatch):
    monkeypatch.chdir(additive.parent)
    before = {path: path.read_bytes() for path in additive.parent.iterdir()}
    outcome = run_here("edit", additive, *words)
    assert outcome.code == code, outcome.err
    assert says in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert {path: path.read_bytes() for path in additive.parent.iterdir()} == before


def test_another_model_has_no_terms(model, tmp_path):
    outcome = run_here("edit", model, "year", "remove", "--out", tmp_path / "e.vaglio")
    assert outcome.code == 1
    assert "Only an additive model" in outcome.err
    assert not (tmp_path / "e.vaglio").exists()


def test_terms_of_a_model_of_numbers_are_edited_in_its_unit(tmp_path):
    random = np.random.default_rng(0)
    size, zone = random.uniform(30, 200, 300), random.choice(["north", "south"], 300)
    table = pd.DataFrame(
        {"size": size, "zone": zone, "price": 2000.5 * np.abs(size - 60) + random.normal(0, 9_000, 300)}
    )
    table.to_csv(tmp_path / "homes.csv", index=False)
    model, edited = tmp_path / "m.vaglio", tmp_path / "e.vaglio"
    settings = [word for text in ("max_rounds=300", "interactions=0", "outer_bags=2") for word in ("--set", text)]
    given = ("--target", "price", "--learner", "additive", *settings, "--holdout", "0.3", "--out", model)
    assert run_here("train", tmp_path / "homes.csv", *given).code == 0
    listed = run_here("edit", model, "--json")
    assert listed.code == 0, listed.err
    outcome = run_here("edit", model, "size", "monotone", "--reason", "larger homes cost more", "--out", edited)
    assert outcome.code == 0, outcome.err
    before, after = vaglio.load(model), vaglio.load(edited)
    grid = pd.DataFrame({"size": np.linspace(30, 200, 200), "zone": "north"})
    assert (np.diff(before.predict(grid)) < 0).any()
    assert (np.diff(after.predict(grid)) >= 0).all()
    assert after.predict(grid).mean() == pytest.approx(before.predict(grid).mean(), rel=0.1)
    assert "before the model was edited" in " ".join(run_here("inspect", edited).out.split())
    flat = tmp_path / "f.vaglio"
    assert run_here("edit", edited, "zone", "remove", "--out", flat).code == 0
    one = [vaglio.load(flat).predict_one({"size": 100.0, "zone": zone}) for zone in ("north", "south")]
    assert one[0] == one[1]
    # The errors that were measured are those of another model.
    refused = run_here("predict", edited, tmp_path / "homes.csv", "--interval", "0.9")
    assert refused.code != 0
