"""Every page in Italian: no sentence of the page is English."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.studio.conftest import Visitor, messy_table

from vaglio import datasets
from vaglio.errors import VaglioError
from vaglio.fitted import FORMATS
from vaglio.learners.parameter_text import parameter_fields
from vaglio.learners.registry import LEARNERS
from vaglio.model.families import KINDS
from vaglio.studio.catalogue import Words
from vaglio.studio.service import PAGES
from vaglio.studio.translation import Translator, translator
from vaglio.studio.words import it_parameters

ITALIAN = {"accept-language": "it"}
# Words that English sentences cannot do without, and Italian ones do not have.
ENGLISH = re.compile(
    r"\b(the|of|is|are|and|or|with|without|for|from|that|this|which|by|to|it|its|not|has|have|be|was|were|they|them|"
    r"their|as|an|at|on|if|than|each|every|all|one|more|most|when|what|how|row|rows|column|columns|value|values)\b"
)


class Sentences(HTMLParser):
    """The texts of a page that a person reads; programs, and drawings are left out."""

    OUT = ("script", "style", "code", "pre", "option", "svg")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._inside += tag in self.OUT
        given = dict(attributes)
        for name in ("aria-label", "placeholder", "title"):
            if given.get(name) and not self._inside:
                self.found.append(str(given[name]))

    def handle_endtag(self, tag: str) -> None:
        self._inside -= tag in self.OUT

    def handle_data(self, data: str) -> None:
        if not self._inside and data.strip():
            self.found.append(" ".join(data.split()))


def english_in(text: str) -> list[str]:
    return [line for line in Sentences(text).found if len(set(ENGLISH.findall(line))) > 1]


@pytest.fixture(scope="module")
def messy(tmp_path_factory) -> Visitor:
    """A studio with a table that has findings of many kinds, cleaned in part, and a model of every learner."""
    visitor = Visitor(tmp_path_factory.mktemp("studio") / "project")
    visitor.upload("messy.csv", messy_table())
    visitor.post("/table/target", column="buys")
    visitor.post("/table/column", column="zone", level="nominal", at="column-5")
    visitor.post("/table/clean", finding="spelling", choice="merge")
    visitor.post("/table/clean", finding="constant", choice="drop")
    visitor.post("/table/clean", finding="outliers", choice="clip")
    visitor.post("/table/clean", finding="duplicates", choice="drop")
    visitor.post("/table/clean", finding="identifiers", choice="mark")
    visitor.learn(*LEARNERS, **{"cost.0-1": "1", "cost.1-0": "4"})
    visitor.studio.bench.need_table().findings.result()
    yield visitor
    visitor.close()


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_italian(messy, page):
    assert english_in(messy.get(f"/{page}", headers=ITALIAN).text) == []


@pytest.mark.parametrize("learner", LEARNERS)
def test_models_and_reasons_are_italian(messy, learner):
    run = messy.studio.jobs.latest("learn").name
    for row in ("", "&row=24"):
        assert english_in(messy.get(f"/understand?model={run}/{learner}{row}", headers=ITALIAN).text) == []


@pytest.mark.parametrize("name", datasets.names())
def test_what_is_found_in_a_bundled_table_is_italian(enter, name):
    visitor = enter()
    visitor.open(name)
    visitor.studio.bench.need_table().findings.result()
    assert english_in(visitor.get("/table", headers=ITALIAN).text) == []
    assert english_in(visitor.get("/explore", headers=ITALIAN).text) == []


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/table/path", {"path": "nowhere.csv", "at": "path"}),
        ("/table/path", {"path": ""}),
        ("/table/column", {"column": "city", "level": "ratio", "at": "column-1"}),
        ("/table/column", {"column": "nowhere", "level": "ratio", "at": "column-1"}),
        ("/table/order", {"column": "size", "values": "small < large", "at": "column-4"}),
        ("/table/undo", {"step": "999", "at": "steps"}),
        ("/learn/start", {"plan": "folds_3", "seed": "0"}),
        ("/learn/start", {"plan": "folds_3", "seed": "x", "learner": "c45"}),
        ("/learn/start", {"plan": "folds_3", "seed": "0", "learner": "c45", "c45.max_depth": "-1"}),
        ("/learn/start", {"plan": "folds_3", "seed": "0", "learner": "c45", "c45.criterion": "x"}),
        ("/learn/start", {"plan": "folds_3", "seed": "0", "learner": "c45", "cost.0-1": "dear"}),
        ("/export/predict", {"path": ""}),
        ("/nowhere", {}),
    ],
)
def test_what_is_wrong_is_said_in_italian(messy, path, fields):
    answer = messy.client.post(path, data=fields, headers={"origin": "http://127.0.0.1:4321", **ITALIAN})
    assert answer.status_code in (404, 422)
    said = re.findall(r'class="problem"[^>]*>([^<]+)<', answer.text)
    assert said
    assert english_in(answer.text) == []


def test_every_parameter_learner_format_and_table_has_its_sentence():
    into = translator("it")
    assert into is not None
    texts = [entry.help for entry in LEARNERS.values()] + list(FORMATS.values())
    texts += [datasets.describe(name).description for name in datasets.names()]
    texts += [kind.missing for kind in KINDS.values() if kind.missing]
    assert [text for text in texts if not into.knows(text)] == []
    # One Italian sentence stands for one English sentence: who changes a meaning of one learner is told here.
    meanings: dict[str, set[str]] = {}
    for learner in LEARNERS:
        for field in parameter_fields(learner):
            said = Words("it").meaning(learner, field.name, "")
            assert said, (learner, field.name)
            meanings.setdefault(said, set()).add(field.meaning)
    assert {said: each for said, each in meanings.items() if len(each) > 1} == {}
    known = {f"{learner}.{field.name}" for learner in LEARNERS for field in parameter_fields(learner)}
    known |= {name.partition(".")[2] for name in known}
    assert {*it_parameters.PARAMETERS, *it_parameters.SAME_AS} <= known


def test_patterns_find_their_gaps():
    into = Translator(
        {
            "{name}: {n} row(s) of {n_all}": "{name}: {n} rig[a|he] su {n_all}",
            "left out, {why_}": "esclusa, {why_}",
            "must: {why__}": "deve: {why__}",
            "it is old": "è vecchia",
            "of {names_list}": "di {names_list}",
        }
    )
    assert into("a: b: 1 row of 1,000.5") == "a: b: 1 riga su 1.000,5"
    assert into("x: 2 rows of 3") == "x: 2 righe su 3"
    assert into("left out, it is old") == "esclusa, è vecchia"
    assert into("x: 2 rows of 3. it is old.") == "x: 2 righe su 3. è vecchia."
    assert into("must: for no reason") == "must: for no reason"
    assert not into.knows("must: for no reason")
    assert into("of a, b and 12 more") == "di a, b e altri 12"
    assert into("of a or b") == "di a o b"
    assert into("nothing known") == "nothing known"


def test_the_words_of_an_error_are_those_of_the_command_line_in_english():
    error = VaglioError("There is no table yet: open one in the room Table.")
    assert Words("en").sentence(error) == str(error)
    assert Words("it").sentence(error).startswith("Non c'è ancora una tabella")
