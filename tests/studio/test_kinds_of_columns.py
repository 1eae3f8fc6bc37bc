"""Every page on every kind of column, in both languages: shown whole, or without the part that fails."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from tests.studio.columns import KINDS
from tests.studio.conftest import Visitor

from vaglio.learners.registry import LEARNERS
from vaglio.messages.locale import LANGUAGES
from vaglio.studio.pages import compare, explore, export, table, trace, understand
from vaglio.studio.project.workbench import Workbench
from vaglio.studio.service import PAGES
from vaglio.tracing import learners as traced

pytestmark = pytest.mark.slow

# A tree and a sum of weights in `make test`, all other learners every night.
FEW = ("c45", "naive-bayes")
SHOWN = ("id3", "naive-bayes", "knn")
# Columns that are drawn, alone and in pairs.
_DRAWN = 5


@pytest.fixture(scope="module", params=KINDS)
def studio(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A studio with a table of one kind of column and models of it."""
    visitor = opened(request.param, tmp_path_factory)
    visitor.learn_here(*FEW)
    yield visitor
    visitor.close()


def opened(kind: str, folders: pytest.TempPathFactory) -> Visitor:
    visitor = Visitor(folders.mktemp("kinds") / "project")
    made = KINDS[kind]
    assert visitor.upload("table.csv", made.text()).status_code == 204
    assert visitor.post("/table/target", column="outcome").status_code == 200
    for where, fields in made.steps:
        assert visitor.post(f"/table/{where}", at="form", **fields).status_code == 200
    return visitor


def problems(page: str) -> list[str]:
    """What a page says that went wrong; places for what a script may say are empty."""
    return re.findall(r'<p class="problem[^>]*>([^<]+)', page)


def page_of(visitor: Visitor, path: str, lang: str) -> str:
    """Return a page that is shown whole."""
    answer = visitor.get(path, headers={"accept-language": lang})
    assert answer.status_code == 200, path
    page: str = answer.text
    assert f'<html lang="{lang}"' in page
    assert not problems(page), path
    assert 'class="empty"' not in page, path
    assert not re.search(r"\{\{|\{%|undefined|nan%", page), path
    assert len(page) < 2_000_000, path
    return page


def addresses(visitor: Visitor, page: str) -> list[str]:
    """Return the page with the choices that one can make on it."""
    run = visitor.studio.jobs.latest("learn")
    assert run is not None
    models = [f"{run.name}/{each['id']}" for each in run.result["learners"] if not each["error"]]
    names = [n for n, c in columns(visitor).items() if c.kind != "text"][-_DRAWN:]
    if page == "explore":
        alone = [{"x": name, "bin": 0} for name in names]
        pairs = [{"x": a, "y": b, "row": 1} for a, b in zip(names, [*names[1:], names[0]], strict=True)]
        return [f"/explore?{urlencode(choice)}" for choice in (*alone, *pairs)]
    if page == "understand":
        return [f"/understand?model={model}&row={row}&node=0" for model in models for row in (1, 7)]
    if page == "export":
        return [f"/export?model={model}" for model in models]
    if page == "trace":
        return [f"/trace?learner={learner}&row=2&rows=20" for learner in SHOWN]
    return [f"/{page}"]


def columns(visitor: Visitor) -> dict[str, object]:
    shown = visitor.studio.bench.need_table().table
    return {name: shown.column(name) for name in shown.columns}


# What each page has to have, whatever the columns are.
HAS = {
    "table": ('id="column-0"', 'class="rows"'),
    "explore": ("<svg",),
    "learn": ('class="badge state-done"', "/understand?model="),
    "compare": ('id="at-threshold"', 'id="panel-roc"'),
    "understand": ('id="why"', 'data-of="decision"'),
    "trace": ('class="trace-step',),
    "exercises": ('name="a.1"', "<table"),
    "export": ('id="program-text"', "/export/model?model="),
}


@pytest.mark.parametrize(
    "lang", ["en", *(pytest.param(lang, marks=pytest.mark.nightly) for lang in LANGUAGES if lang != "en")]
)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_every_kind_of_column(studio: Visitor, page: str, lang: str) -> None:
    for path in addresses(studio, page):
        shown = page_of(studio, path, lang)
        assert all(part in shown for part in HAS[page]), path


def test_dates_are_written_as_dates(studio: Visitor) -> None:
    dates = [name for name, column in columns(studio).items() if column.is_date]
    for name in dates:
        page = page_of(studio, f"/explore?{urlencode({'x': name, 'bin': 3})}", "en")
        # Days since 1970 are numbers of five digits: no bar, axis or row shows them.
        assert not re.search(r">(19|20)[,.]?\d{3}(\.\d+)?<", page), name
        assert re.search(r">20\d\d-\d\d", page), name


def test_a_form_that_is_sent_as_it_is_shown_changes_no_prediction(studio: Visitor) -> None:
    run = studio.studio.jobs.latest("learn")
    for learner in FEW:
        for row in (1, 2, 7):
            page = page_of(studio, f"/understand?model={run.name}/{learner}&row={row}", "en")
            fields = dict(re.findall(r'name="(v\.[^"]+)" value="([^"]*)"', page))
            chosen = re.findall(r'name="(v\.[^"]+)">(.*?)</select>', page, re.DOTALL)
            fields |= {name: (re.findall(r"<option selected>([^<]*)", said) or [""])[0] for name, said in chosen}
            sent = {html.unescape(name): html.unescape(value) for name, value in fields.items()}
            assert f'name="base" value="{row}"' in page
            answer = studio.post("/understand/answer", model=f"{run.name}/{learner}", base=row, **sent)
            assert answer.status_code == 200, answer.text
            said = re.search(r'data-of="decision">([^<]*)', page)[1]
            assert answer.json()["predicted"] == said
            shares = [
                float(share) for share in re.findall(r'<td class="number">([\d.]+)%', page[page.index('id="why"') :])
            ]
            given = [100 * share for share in answer.json()["probabilities"].values()]
            assert shares == pytest.approx(given, abs=0.051)


OTHERS = sorted({*LEARNERS} - {*FEW})


@pytest.mark.nightly
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_learner_is_understood_and_exported(
    kind: str, lang: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    visitor = opened(kind, tmp_path_factory)
    visitor.learn_here(*OTHERS)
    for page in ("learn", "understand", "export"):
        for path in addresses(visitor, page):
            assert visitor.get(path, headers={"accept-language": lang}).status_code == 200, path
    for learner in traced():
        answer = visitor.get(f"/trace?learner={learner}&row=2&rows=20", headers={"accept-language": lang})
        assert answer.status_code == 200, learner
    visitor.close()


# -- where a part of a page fails -------------------------------------------------------------------------------------
def fail(*_: object, **__: object) -> None:
    raise ZeroDivisionError("a fault")


# Page -> the functions that make its parts.
PARTS = [
    ("table", table, "_card"),
    ("table", table, "_first_rows"),
    ("table", table, "findings_view"),
    ("table", Workbench, "_load"),
    ("explore", explore, "_pictures"),
    ("explore", explore, "_ranking"),
    ("explore", explore, "_associations"),
    ("explore", explore, "_rows"),
    ("compare", compare, "_curves"),
    ("compare", compare.ComparePage, "_requirements"),
    ("understand", understand, "model_parts"),
    ("understand", understand, "node_view"),
    ("understand", understand, "rules_view"),
    ("understand", understand, "why"),
    ("understand", understand, "_wrong_rows"),
    ("trace", trace, "_traced"),
    ("export", export, "as_commands"),
    ("export", export, "as_program"),
    ("export", export, "export_formats"),
]


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    visitor = Visitor(tmp_path_factory.mktemp("parts") / "project")
    visitor.open("play")
    visitor.learn_here("c45", "naive-bayes")
    yield visitor
    visitor.close()


@pytest.mark.parametrize(("page", "where", "name"), PARTS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_part_that_fails_leaves_the_page_and_other_tables(
    healthy: Visitor, page: str, where: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = healthy
    visitor.studio.bench._open = None if name == "_load" else visitor.studio.bench._open
    visitor.studio.bench.open_table.findings.result()
    visitor.studio.bench._open = None if name == "_load" else visitor.studio.bench._open
    with monkeypatch.context() as broken:
        broken.setattr(where, name, fail)
        visitor.studio.results = type(visitor.studio.results)()
        for each in visitor.studio.pages.values():
            each.results = visitor.studio.results
        answer = visitor.get(f"/{page}?node=0")
        assert answer.status_code == 200
        said = problems(answer.text)
        assert "ZeroDivisionError" in said[0]
        assert "a fault" not in answer.text
        assert "<h1>" in answer.text
        assert 'href="/table"' in answer.text
        opening = visitor.get("/table")
        assert opening.status_code == 200
        assert 'action="/table/bundled"' in opening.text
    assert not problems(visitor.get(f"/{page}").text)


def test_a_page_that_fails_as_a_whole_still_leads_to_another_table(
    healthy: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(healthy.studio.pages["explore"], "view", fail)
        answer = healthy.get("/explore")
    assert answer.status_code == 500
    assert 'class="button" href="/table"' in answer.text


def test_a_table_that_can_no_longer_be_read_is_replaced_or_its_step_undone(
    enter: Callable[..., Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = enter()
    visitor.upload("mine.csv", KINDS["dates"].text())
    visitor.post("/table/target", column="outcome")
    (visitor.studio.project.tables / "mine.csv").unlink()
    visitor.studio.bench._open = None
    page = visitor.get("/table")
    assert page.status_code == 200
    assert "mine.csv" in problems(page.text)[0]
    assert 'action="/table/undo"' in page.text
    visitor.open("play")
    assert not problems(visitor.get("/table").text)
