"""What was computed once is not computed again, and no answer grows with the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from vaglio.studio.result_cache import ResultCache
from vaglio.studio.service import PAGES

LARGEST = 2_000_000


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "it"])
def test_a_second_request_computes_nothing(learned, lang):
    run = learned.studio.jobs.latest("learn").name
    addresses = [f"/{page}" for page in PAGES]
    addresses += [f"/understand?model={run}/{learner}&row=7" for learner in ("c45", "ripper", "naive-bayes")]
    addresses += [f"/understand?model={run}/c45&node=2", f"/understand?model={run}/ripper&off=1"]
    known, opened = learned.studio.results, learned.studio.pages["understand"]._open
    headers = {"accept-language": lang}
    for address in addresses:
        first = learned.get(address, headers=headers)
        before = known.computed + opened.computed
        assert learned.get(address, headers=headers).content == first.content
        assert known.computed + opened.computed == before, address


@pytest.mark.slow
def test_a_row_is_explained_once(learned):
    run, known = learned.studio.jobs.latest("learn").name, learned.studio.results
    row = {"model": f"{run}/c45", "v.flipper_length_mm": "201", "v.island": "Dream"}
    learned.post("/understand/why", **row)
    before = known.computed
    learned.post("/understand/why", **row)
    assert known.computed == before
    learned.post("/understand/why", **(row | {"v.flipper_length_mm": "202"}))
    assert known.computed == before + 1


def test_only_the_last_results_are_kept():
    known = ResultCache(3)
    for number in (1, 2, 3, 1, 4):
        assert known.get(number, lambda number=number: number * 10) == number * 10
    assert len(known) == 3
    assert known.computed == 4
    known.get(1, lambda: pytest.fail("it was asked for not long ago"))
    known.get(2, lambda: 20)
    assert known.computed == 5


@pytest.mark.slow
@pytest.mark.parametrize("rows", [pytest.param(300, marks=pytest.mark.nightly), 8000])
def test_no_answer_is_large_however_long_the_table(enter, rows):
    rng = np.random.default_rng(1)
    columns = {f"x{i}": rng.normal(size=rows) for i in range(20)}
    columns |= {f"word{i}": rng.choice([f"{'w' * 60}{k}" for k in range(10**i)], rows) for i in range(1, 5)}
    columns["y"] = np.where(columns["x0"] + rng.normal(size=rows) > 0, "yes", "no")
    visitor = enter()
    path = visitor.studio.project.folder.parent / "wide.parquet"
    pd.DataFrame(columns).to_parquet(path)
    visitor.post("/table/path", path=str(path))
    visitor.post("/table/target", column="y")
    visitor.learn_here("c45", "logistic", **{"c45.max_depth": "8"})
    for address in [
        *(f"/{page}" for page in PAGES),
        "/explore?x=x0&y=x1",
        "/explore?x=word4&y=word3",
        "/explore?bin=1",
    ]:
        answer = visitor.get(address)
        assert answer.status_code == 200
        assert len(answer.content) < LARGEST, address
