"""The page of a service in a real browser: a form from the schema, answers, a link to the row, two languages."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from playwright.sync_api import expect

import vaglio
from vaglio.serve.http.access import read_tokens
from vaglio.serve.service import make_application
from vaglio.serve.settings import Settings

pytestmark = pytest.mark.browser

TOKEN = "a-token-of-some-length"


def _serve(settings: Settings) -> Iterator[str]:
    server = uvicorn.Server(
        uvicorn.Config(partial(make_application, settings), factory=True, port=0, log_level="error")
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(30)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A tree of three species, a model of words with costs, and one of numbers."""
    folder = tmp_path_factory.mktemp("models")
    X, y = vaglio.datasets.load("penguins").xy("species")
    vaglio.C45Classifier().fit(X, y).save(folder / "penguins.vaglio")
    vaglio.DecisionTreeRegressor(max_depth=3).fit(X.to_frame()[["year"]], range(len(y))).save(folder / "number.vaglio")
    X, y = vaglio.datasets.load("play").xy("play")
    costs = {("no", "yes"): 3, ("yes", "no"): 1}
    vaglio.NaiveBayesClassifier().fit(X, y).fitted_.with_cost(costs).save(folder / "play.vaglio")
    return Settings(tuple((name, folder / f"{name}.vaglio") for name in ("penguins", "play", "number")))


@pytest.fixture(scope="module")
def url(settings: Settings) -> Iterator[str]:
    yield from _serve(settings)


def open_page(browser: Any, address: str, **options: Any) -> tuple[Any, list[str]]:
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(120_000)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if "127.0.0.1" not in request.url else None)
    page.goto(address)
    return page, complaints


def answered(page: Any) -> None:
    page.wait_for_selector("body[data-answered]")


@pytest.mark.slow
def test_the_form_answers_and_several_changes_are_made_at_once(browser, url: str):
    page, complaints = open_page(browser, f"{url}/#model=play")
    answered(page)
    # No other than the answer of the interface.
    values = {name: page.get_by_label(f"value of {name}").input_value() for name in ("outlook", "windy")}
    assert values == {"outlook": '"sunny"', "windy": '"false"'}
    row = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": "true"}
    page.get_by_label("value of temperature").select_option('"hot"')
    page.get_by_label("value of windy").select_option('"true"')
    known = httpx.post(f"{url}/models/play/predict", json=row).json()
    chance = f"{100 * known['probabilities'][known['predicted']]:.1f}%"
    page.wait_for_function("text => document.getElementById('decision').textContent.includes(text)", arg=chance)
    expect(page.locator("#bars tr.chosen th")).to_have_text(known["predicted"])
    told = httpx.post(f"{url}/models/play/explain", json=row).json()["counterfactual"]
    assert len(told["changes"]) > 1
    page.wait_for_function("n => document.querySelectorAll('#change li').length === n", arg=len(told["changes"]))
    page.get_by_role("button", name="Make these changes").click()
    page.wait_for_function(
        "text => document.getElementById('decision').textContent.startsWith(text)", arg=told["decision"]
    )
    for change in told["changes"]:
        assert page.get_by_label(f"value of {change['feature']}").input_value() == f'"{change["instead"]}"'
    expect(page.locator("#compared tbody tr")).to_have_count(len(told["changes"]) + 1)
    expect(page.locator("fieldset.changed")).to_have_count(len(told["changes"]))
    assert complaints == []


@pytest.mark.slow
def test_the_row_is_a_link_and_values_may_be_missing(browser, url: str):
    page, complaints = open_page(browser, f"{url}/#model=penguins")
    answered(page)
    slider = page.get_by_label("slider of body_mass_g")
    assert (slider.get_attribute("min"), slider.get_attribute("max")) == ("2700", "6300")
    slider.fill("3000")
    assert page.get_by_label("value of body_mass_g").input_value() == "3000"
    page.get_by_label("value of island").select_option('"Torgersen"')
    page.locator("fieldset", has_text="year").get_by_label("missing").check()
    page.wait_for_function("() => location.hash.includes('.year=null') && location.hash.includes('Torgersen')")
    other, _ = open_page(browser, page.url)
    answered(other)
    assert other.get_by_label("value of body_mass_g").input_value() == "3000"
    assert other.get_by_label("value of island").input_value() == '"Torgersen"'
    assert other.get_by_label("slider of year").is_disabled()
    expect(page.locator("#decision")).to_have_text(other.locator("#decision").text_content())
    # What cannot be predicted is said on the page, and the page goes on.
    page.get_by_label("value of body_mass_g").fill("1e400")
    page.get_by_label("value of body_mass_g").fill("4000")
    page.get_by_role("button", name="Refresh").click()
    page.wait_for_selector("#watch table")
    assert complaints == []


@pytest.mark.slow
def test_italian_numbers_and_the_model_of_numbers(browser, url: str):
    page, complaints = open_page(browser, url, locale="it-IT")
    answered(page)
    assert page.locator("html").get_attribute("lang") == "it"
    expect(page.locator("#h-change")).to_have_text("Che cosa cambierebbe la previsione")
    assert "," in page.locator("#decision").text_content()
    page.locator("#model").select_option("number")
    page.wait_for_function("() => document.getElementById('title').textContent === 'number'")
    expect(page.locator("#change")).to_contain_text(re.compile("più (alta|bassa) di almeno|del 10 %"))
    page.locator("#language").select_option("en")
    page.wait_for_function("() => document.getElementById('h-why').textContent === 'Why'")
    assert complaints == []


def test_an_address_of_the_reference_is_tried_on_its_page(browser, url: str):
    page, complaints = open_page(browser, f"{url}/docs")
    page.wait_for_selector("details")
    tried = page.locator("details").filter(has=page.locator("summary", has_text=re.compile(r"POST.*/predict\b"))).first
    tried.locator("summary").click()
    tried.get_by_role("button", name="Try it").click()
    expect(tried.get_by_role("status")).to_contain_text("200 OK")
    expect(tried.get_by_role("status")).to_contain_text(re.compile(r"Adelie|Gentoo|Chinstrap|yes|no|\d"))
    # What the server refuses is shown as it says it.
    tried.get_by_label("Body").fill("{")
    tried.get_by_role("button", name="Try it").click()
    expect(tried.get_by_role("status")).to_contain_text(re.compile("^4\\d\\d"))
    assert [line for line in complaints if "Failed to load resource" not in line] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        *(("/#model=penguins", "light"), ("/?lang=it#model=play", "dark"), ("/docs", "light")),
        pytest.param("/#model=penguins", "dark", marks=pytest.mark.nightly),
        pytest.param("/?lang=it#model=play", "light", marks=pytest.mark.nightly),
        pytest.param("/docs", "dark", marks=pytest.mark.nightly),
    ],
)
def test_pages_are_accessible(browser, url: str, address: str, scheme: str):
    from axe_playwright_python.sync_playwright import Axe

    page, complaints = open_page(browser, url + address, color_scheme=scheme, viewport={"width": 375, "height": 800})
    page.wait_for_selector("details" if address == "/docs" else "body[data-answered]")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert complaints == []


@pytest.mark.slow
def test_a_page_with_a_token_asks_for_it(browser, settings: Settings, tmp_path: Path):
    path = tmp_path / "tokens"
    path.write_text(TOKEN)
    closed = Settings(settings.models[:1], tokens=read_tokens(path))
    for url in _serve(closed):
        page, _ = open_page(browser, url)
        page.get_by_label("This server requires a token.").fill(TOKEN)
        page.get_by_role("button", name="Send").click()
        answered(page)
        expect(page.locator("#access")).to_be_hidden()
        page.get_by_role("link", name="API reference").click()
        page.wait_for_selector("details")
