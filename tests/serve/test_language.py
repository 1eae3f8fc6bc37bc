"""Languages over HTTP: pages in the language asked for, and problems with a code that no language changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.messages import in_javascript

import vaglio.serve
from vaglio.messages.locale import PSEUDO
from vaglio.messages.scripts import templates_of_script
from vaglio.serve.http.languages import page_words

PAGE = Path(vaglio.serve.__file__).parent / "page"


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_pages_are_in_the_language_of_the_address_or_of_the_browser(serve, path):
    client, _ = serve()
    assert '<html lang="en">' in client.get(path).text
    assert '<html lang="it">' in client.get(path, headers={"accept-language": "it-IT, en;q=0.5"}).text
    assert '<html lang="it">' in client.get(f"{path}?lang=it", headers={"accept-language": "en"}).text
    assert '<html lang="en">' in client.get(f"{path}?lang=xx").text


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_every_text_of_a_page_comes_from_the_catalogue(serve, path):
    client, _ = serve()
    page = re.sub(r"<script.*?</script>|<option.*?</option>", "", client.get(f"{path}?lang={PSEUDO}").text, flags=re.S)
    said = [" ".join(text.split()) for text in re.findall(r">([^<]+)<", page.partition("<body>")[2]) if text.strip()]
    assert len(said) > 3
    plain = [text for text in said if not re.search(r"[À-ž]", text)]
    assert plain == (["vaglio"] if path == "/" else ["vaglio", "OpenAPI 3.1"])


def test_scripts_find_all_their_words():
    for name in ("page.js", "docs.js"):
        source = (PAGE / name).read_text(encoding="utf-8")
        assert list(templates_of_script(source)) == list(in_javascript(source)), name
        assert not re.search(r"\bsay\((?!\")", source), name
    words = page_words("vaglio.serve", "page", PSEUDO)["words"]
    assert len(words) > 40
    assert all(template != said for template, said in words.items())


def test_a_problem_has_a_code_and_values_in_every_language(serve):
    client, _ = serve()
    told = {}
    for lang in ("en", "it"):
        answer = client.post("/models/play/predict", json=[{}, 3], headers={"accept-language": lang})
        told[lang] = answer.json()
    assert told["en"]["detail"].startswith("Row 1 has no ")
    assert told["it"]["detail"].startswith("Riga 1: manca ")
    assert told["en"]["code"] == told["it"]["code"] == "row-columns-missing"
    assert told["en"]["values"] == told["it"]["values"]
    assert told["en"]["values"]["where"] == "Row 1"


def test_an_explanation_is_in_the_language_asked_for(serve):
    client, _ = serve()
    row = {"outlook": "sunny", "temperature": 72, "humidity": 90, "windy": "false"}
    answers = {
        lang: client.post("/models/play/explain", json=row, headers={"accept-language": lang}).json()
        for lang in ("en", "it", PSEUDO)
    }
    for part in ("reasons", "against", "notes"):
        told = {lang: [(each["code"], each["values"]) for each in answer[part]] for lang, answer in answers.items()}
        assert told["en"] == told["it"] == told[PSEUDO]
    # Lines of numbers are the same in every language.
    words = {
        lang: [each["text"] for each in answer["notes"] if each["code"] == "explained-row-unseen-category"]
        for lang, answer in answers.items()
    }
    assert len(words["en"]) == 2
    assert words["en"] != words["it"] != words[PSEUDO] != words["en"]
    assert len({answer["counterfactual"]["text"] for answer in answers.values()}) == 3


def test_values_of_a_problem_are_bounded(serve):
    client, _ = serve()
    row = {"x" * 100_000: 1}
    answer = client.post("/models/play/predict", json=row)
    assert answer.status_code == 422
    assert len(answer.content) < 5000


def test_the_description_is_in_the_language_asked_for_and_its_ids_are_not(serve):
    client, _ = serve()
    english, italian = (client.get("/openapi.json", headers={"accept-language": lang}).json() for lang in ("en", "it"))
    one, other = (each["paths"]["/models"]["get"] for each in (english, italian))
    assert (one["summary"], other["summary"]) == ("List the models", "Elenca i modelli")
    assert one["operationId"] == other["operationId"] == "list-the-models"
    assert italian["tags"][0]["name"] == other["tags"][0]


def test_a_browser_says_where_a_form_comes_from(serve):
    client, _ = serve()
    assert client.get("/").headers["referrer-policy"] == "same-origin"
