"""The studio in every language: what a person reads comes from the catalogue, and numbers have one form on a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.studio.conftest import ORIGIN, Visitor, messy_table
from tools.messages import in_javascript, templates

from vaglio import datasets
from vaglio.fitted import FORMATS
from vaglio.learners.parameter_text import parameter_fields
from vaglio.learners.registry import LEARNERS
from vaglio.messages.locale import LANGUAGES, PSEUDO, Locale
from vaglio.messages.message import Listing, Message, Number, Option, join, text
from vaglio.messages.scripts import script_words, templates_of_script
from vaglio.serve.http.languages import SAY_SCRIPT, language_names, page_words
from vaglio.studio.page_rendering import duration, environment, static_files
from vaglio.studio.project.folder import read_json, write_json
from vaglio.studio.service import PAGES

# Elements without words of the page: programs, pictures, names of files, and languages by their own names.
OUT = ("script", "style", "code", "pre", "svg")
VOID = ("input", "br", "meta", "link", "img", "hr")
# Names that are the same in every language.
NAMES = {
    *FORMATS,
    "py",
    "sh",
    "vaglio",
    "CSV",
    "TSV",
    "Parquet",
    "Arrow",
    "JSON",
    "ARFF",
    "Excel",
    "messy",
    "csv",
    "class",
    "ID3",
    "Pearson",
    # The notation of rules.
    "IF",
    "AND",
    "THEN",
    "ELSE",
}
PLAIN = re.compile(r"[A-Za-z]{2,}")
# Python in a sentence, such as clean(spelling='merge'), roles={'id': 'input'} or changeable=['age'].
CALL = re.compile(r"\b\w+\(\w+=[^()]*\)|\b\w+=(?:\{[^{}]*\}|\[[^\[\]]*\])")
CHANGED = re.compile(r"[aceinosuyACEINOSUY]")


class Texts(HTMLParser):
    """What a person reads on a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._around: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag not in VOID:
            self._around.append((tag, "lang" in given))
        for name in ("aria-label", "placeholder", "title"):
            self.handle_data(given.get(name) or "")

    def handle_endtag(self, tag: str) -> None:
        while self._around and self._around.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, _ in self._around}
        if data.strip() and not tags & {*OUT} and ("option", True) not in self._around:
            self.found.append(" ".join(data.split()))


def names_in(visitor: Visitor) -> set[str]:
    """Words of the table, of the learners and of their parameters, which no language changes."""
    words = {word for learner in LEARNERS for word in PLAIN.findall(learner)}
    fields = [field for learner in LEARNERS for field in parameter_fields(learner)]
    words |= {word for name in datasets.names() for word in PLAIN.findall(name)}
    words |= {word for field in fields for word in PLAIN.findall(f"{field.name} {field.choices} {field.default}")}
    return words | {*PLAIN.findall(messy_table())} | {word for name in NAMES for word in PLAIN.findall(name)}


def leaks(page: str, names: set[str]) -> list[str]:
    """Texts that the pseudo-language did not change."""
    found = []
    for line in Texts(page).found:
        words = [word for word in PLAIN.findall(CALL.sub("", line)) if CHANGED.search(word) and word not in names]
        # A word that is cut by a changed letter was changed.
        words = [word for word in words if not re.search(rf"[à-ž]{word}|{word}[à-žÀ-Ž]", line)]
        if words:
            found.append(line)
    return found


@pytest.fixture(scope="module")
def messy(tmp_path_factory) -> Visitor:
    """A studio with findings of many kinds, steps of every kind, models, a comparison and a failed learner."""
    visitor = Visitor(tmp_path_factory.mktemp("studio") / "project")
    visitor.upload("messy.csv", messy_table())
    visitor.post("/table/target", column="buys")
    visitor.post("/table/column", column="zone", level="nominal", at="column-5")
    visitor.post("/table/column", column="city", role="ignored", at="column-1")
    visitor.post("/table/missing", words="n/d")
    for finding, choice in (("outliers", "clip"), ("duplicates", "drop"), ("identifiers", "mark")):
        visitor.post("/table/clean", finding=finding, choice=choice)
    visitor.learn_here("c45", "ripper", "naive-bayes", "logistic", **{"cost.0-1": "1", "cost.1-0": "4"})
    visitor.act_here("compare", lambda: visitor.post("/compare/measure"))
    visitor.studio.bench.need_table().findings.result()
    yield visitor
    visitor.close()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_text_of_a_page_comes_from_the_catalogue(messy, page):
    assert leaks(messy.get(f"/{page}?lang={PSEUDO}").text, names_in(messy)) == []


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["c45", "ripper", "naive-bayes", "logistic"])
def test_every_text_about_a_model_comes_from_the_catalogue(messy, learner):
    run = messy.studio.jobs.latest("learn").name
    for more in ("", "&row=24", "&node=1", "&off=0"):
        page = messy.get(f"/understand?model={run}/{learner}{more}&lang={PSEUDO}").text
        assert leaks(page, names_in(messy)) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_text_of_an_empty_studio_comes_from_the_catalogue(enter, page):
    assert leaks(enter().get(f"/{page}?lang={PSEUDO}").text, names_in(enter())) == []


@pytest.mark.slow
def test_a_text_that_is_written_around_the_catalogue_is_found(messy):
    page = messy.get(f"/learn?lang={PSEUDO}").text.replace("</main>", "<p>Nobody translated this.</p></main>")
    assert leaks(page, names_in(messy)) == ["Nobody translated this."]


WRONG = [
    ("/table/path", {"path": "nowhere.csv", "at": "path"}),
    ("/table/path", {"path": ""}),
    ("/table/column", {"column": "city", "level": "round", "at": "column-1"}),
    ("/table/column", {"column": "city", "role": "king", "at": "column-1"}),
    ("/table/undo", {"step": "999", "at": "steps"}),
    ("/table/undo", {"step": "x", "at": "steps"}),
    ("/learn/start", {"plan": "folds_3", "seed": "0"}),
    ("/learn/start", {"plan": "folds_3", "seed": "x", "learner": "c45"}),
    ("/learn/start", {"plan": "folds_3", "seed": "0", "learner": "c45", "candidates": "0"}),
    ("/learn/start", {"plan": "folds_3", "seed": "0", "learner": "c45", "cost.0-1": "dear"}),
    ("/learn/start", {"plan": "nothing", "seed": "0", "learner": "c45"}),
    ("/export/predict", {"path": ""}),
    ("/nowhere", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "fields"), WRONG)
def test_what_is_wrong_is_said_in_the_language_of_the_page(messy, path, fields):
    said = {}
    for lang in ("en", "it", PSEUDO):
        answer = messy.client.post(path, data=fields, headers={"origin": ORIGIN, "accept-language": lang})
        assert answer.status_code in (404, 422)
        said[lang] = re.findall(r'class="problem"[^>]*>([^<]+)<', answer.text)
        assert said[lang]
    assert said["en"] != said["it"] != said[PSEUDO] != said["en"]


@pytest.mark.slow
def test_reasons_and_problems_for_scripts_are_in_the_language_of_the_page(messy):
    run = messy.studio.jobs.latest("learn").name
    headers = {"origin": ORIGIN, "accept-language": "it"}
    answer = messy.client.post("/understand/answer", data={"model": f"{run}/c45", "v.age": "old"}, headers=headers)
    assert answer.status_code == 422
    told = answer.json()
    assert told["detail"] == "Colonna 'age': 'old' non è un numero."
    assert (told["code"], told["values"]) == ("value-not-number", {"column": "age", "value": "old"})


@pytest.mark.slow
def test_every_template_of_the_pages_is_translated():
    ours = {template for template, where, _ in templates() if where.startswith(("studio/", "serve/"))}
    assert len(ours) > 400
    for lang in LANGUAGES:
        locale = Locale(lang)
        # Marks and names that Italian writes as English does.
        same = {
            "–",
            "studio",
            "Recall",
            "recall",
            "Lift",
            "lift",
            "Target",
            "target",
            "Bayes",
            "Server",
            "{panel}: {reason}",
            "{n:.0f} s",
            "{n:.0f} min",
            "{n:.1f} h",
        }
        assert lang == "en" or {each for each in ours if locale.translated(each) == each} <= same


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_numbers_have_one_form_on_an_italian_page(messy, page):
    for line in Texts(messy.get(f"/{page}?lang=it").text).found:
        assert not re.search(r"\d\.\d+\s*%|\d%", line), line


@pytest.mark.slow
def test_a_decimal_number_is_written_as_the_language_does(messy):
    run = messy.studio.jobs.latest("learn").name
    english, italian = (messy.get(f"/compare?run={run}&lang={lang}").text for lang in ("en", "it"))
    assert re.search(r">\d\d\.\d%<", english)
    assert re.search(r">\d\d,\d\u00a0%<", italian)


@pytest.mark.parametrize(
    ("seconds", "english", "italian"),
    [(0.2, "less than a second", "meno di un secondo"), (20.4, "20 s", "20 s"), (20_000, "5.6 h", "5,6 h")],
)
def test_durations_have_a_unit_that_people_use(seconds, english, italian):
    assert str(duration(seconds)) == english
    assert Locale("it").text(duration(seconds)) == italian


def test_every_learner_says_when_to_use_it():
    assert all(learner.name and learner.when for learner in LEARNERS.values())


# -- the mechanism -------------------------------------------------------------------------------------------------
def test_templates_write_messages_in_the_language_of_the_page_and_escape_them():
    template = environment().from_string("{{ x }} {{ y|figure }} {{ 0.5|percentage }}")
    told = text("{n:,} {n:row|rows}", n=1200)
    assert template.render(locale=Locale("it"), x=told, y=1.5) == "1.200 righe 1,5 50,0\u00a0%"
    assert template.render(locale=Locale(), x=text("{name}", name="<b>"), y=2) == "&lt;b&gt; 2 50.0%"


def test_messages_in_files_are_written_in_the_language_of_whoever_reads_them(tmp_path):
    values = {"n": 1, "option": Option("seed", 3), "share": Number("1.5%"), "names": Listing("ab", last="or")}
    told = Message(
        "code", "{n:,} {n:row|rows} {option} {share} {names} {part}", **values, part=join("; ", [text("row")])
    )
    write_json(tmp_path / "x.json", {"a": [told, "row"]})
    back = read_json(tmp_path / "x.json")["a"]
    assert (back[0], back[0].code, type(back[1])) == (told, "code", str)
    for locale in (Locale("it"), Locale(PSEUDO), Locale("it", "command")):
        assert locale.text(back[0]) == locale.text(told)


def test_scripts_find_all_their_words():
    for name, (content, media) in static_files().items():
        if media == "text/javascript":
            source = content.decode()
            assert list(templates_of_script(source)) == list(in_javascript(source)), name
            assert not re.search(r"\bsay\((?!\")", source.replace(SAY_SCRIPT.decode(), "")), name
    words = page_words("vaglio.studio", "static", PSEUDO)["words"]
    assert len(words) >= 4
    assert all(template != said for template, said in words.items())


def test_scripts_get_the_marks_and_plural_forms_of_the_language():
    found = script_words(Locale("it"), ["{n:,} {n:row|rows}"])
    assert (found["decimal"], found["thousands"], found["percent"]) == (",", ".", "n\u00a0%")
    assert found["words"] == {"{n:,} {n:row|rows}": "{n:,} {n:riga|righe}"}
    assert (found["plurals"][0], found["plurals"][1], found["plurals"][101]) == ("1", "0", "1")


def test_languages_are_named_in_themselves():
    assert language_names()["en"] == "English"
    assert language_names()["it"] == "Italiano"
