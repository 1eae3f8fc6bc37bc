"""The report, the audit and evaluations in other languages: no word is written around the catalogue."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.messages.locale import PSEUDO, Locale
from vaglio.report.rendering import report_html
from vaglio.study import Study

# Letters that the pseudo-language leaves in its words: a word with any other letter was not translated.
_CHANGED = set("aceinosuyACEINOSUY")


class _Visible(HTMLParser):
    """Texts that a reader sees or hears, outside of scripts, code and cells of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "pre", "code"):
            self.open.append(tag)
        self.found += [value for name, value in attrs if name in ("aria-label", "title") and value]

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open and data.strip():
            self.found.append(" ".join(data.split()))


def _texts(page: str) -> list[str]:
    parser = _Visible()
    parser.feed(page)
    return parser.found


@pytest.fixture(scope="module")
def study() -> Study:
    """A study whose pages have every chapter, with findings, costs of time and errors."""
    return Study(vaglio.datasets.load("penguins"), "species", learners=["c45", "naive-bayes"], strategy="quick").run()


@pytest.fixture(scope="module")
def pages(study: Study) -> dict[str, str]:
    """The report in each language."""
    return {lang: report_html(study, name="penguins.csv", lang=lang) for lang in ("en", "it", PSEUDO)}


def _sections(page: str, *names: str) -> str:
    """Chapters whose words the report itself writes."""
    return "".join(re.findall(rf'<section id="(?:{"|".join(names)})".*?</section>', page, re.DOTALL))


def test_pseudo_language_reaches_every_word_of_the_report(study: Study, pages: dict[str, str]) -> None:
    """Only data, names of learners, strategies and programs are the same in the pseudo-language."""
    table = study.table
    data = {
        "vaglio",
        "penguins",
        "csv",
        "Python",
        "numpy",
        "scipy",
        "scikit-learn",
        "pyarrow",
        "quick",
        "F1",
        "ms",
        "p",
    }
    data |= (
        {"levels"}
        | set(table.columns)
        | {"c45", "naive-bayes", "defaults"}
        | {str(label) for label in study.evaluation.labels}
    )
    for name in table.columns:
        column = table.column(name)
        data |= {str(value) for value in column.categories} if column.kind == "nominal" else set()
    names = re.compile("|".join(sorted(map(re.escape, data), key=len, reverse=True)))
    header = pages[PSEUDO].partition("<main")[0]
    # Parameters of the model stand in the last chapter, and what the learners are in the second: both are data here.
    shown = header + _sections(pages[PSEUDO], "data", "performance")
    left = [text for text in _texts(shown) if set(re.sub(r"[^a-zA-Z]", "", names.sub("", text))) & _CHANGED]
    assert left == []


def test_italian_report_has_no_english_and_no_english_numbers(pages: dict[str, str]) -> None:
    """Sentences of the report's own chapters differ from the English ones, and numbers have a comma."""
    own = ("data", "learners", "performance", "method")
    english, italian = (set(_texts(_sections(pages[lang], *own))) for lang in ("en", "it"))
    same = {text for text in english & italian if len(re.findall(r"[a-z]{3,}", text)) > 2} - {vaglio.__version__}
    assert {text for text in same if not re.search(r"[=_:]|, ", text)} == set()
    texts = _texts(_sections(pages["it"], "data", "performance"))
    assert [text for text in texts if re.search(r"\d\.\d{1,2}\b(?!\.)|\d%", text)] == []
    assert any(re.search(r"\d,\d\s%", text) for text in texts)


def test_page_declares_its_language_and_gives_the_script_its_words(pages: dict[str, str]) -> None:
    """The script gets words and marks of the language as JSON."""
    assert '<html lang="it">' in pages["it"]
    found = re.search(r'<script type="application/json" id="words">(.*?)</script>', pages["it"], re.DOTALL)
    assert found is not None
    words = json.loads(html.unescape(found[1]))
    assert words["dark"] == "Scuro"
    assert (words["point"], words["comma"], words["percent"]) == (",", ".", "{n}\N{NO-BREAK SPACE}%")
    assert words["curve"] == "{curve} per {label}"


def test_audit_names_options_where_the_reader_is() -> None:
    """Advice names parameters in Python and options on the command line, and JSON keeps code and values."""
    rows = {"age": [31, 40, 40, 212], "size": ["a", "b", "b", "a"], "ill": ["no", "yes", "yes", "no"]}
    found = vaglio.audit(vaglio.Table.from_any(rows), "ill", rules={"age": (0, 120)})
    assert "clean(duplicates='drop')" in found.to_text(advice=True)
    told = found.to_text(advice=True, lang=Locale("it", "command"))
    assert "--clean FILE --set duplicates=drop" in told
    assert "Colonna 'age': 1 valore viola la regola (212)." in told
    finding = found.to_dict()["findings"][0]
    assert (finding["code"], finding["values"]["column"], finding["values"]["n"]) == ("rule-broken", "age", 1)


def test_evaluation_selection_and_study_speak_italian(study: Study) -> None:
    """Texts of results come in the language asked for; str is English."""
    assert "Matrice di confusione" in study.evaluation.to_text(lang="it")
    assert "Affidabilità: discreta." in study.selection.to_text(lang="it")
    assert study.to_text(lang="it").startswith("- 344 righe, 8 colonne")
    assert "Confusion matrix" in str(study.evaluation)
    assert str(study.evaluation.accept("accuracy >= 0.5")).startswith("Accepted: accuracy is 0.9")
    assert (
        Locale("it").text(study.evaluation.accept("accuracy >= 0.5").in_words()).startswith("Accettato: accuracy è 0,9")
    )


def test_unknown_language_is_refused(study: Study) -> None:
    """A language without a catalogue is an error that names those there are."""
    with pytest.raises(InputError, match=r"'xx'\. Choose 'en' or 'it'"):
        study.to_text(lang="xx")
