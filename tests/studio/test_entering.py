"""Who gets in: the browser with the token, once, from a page of this server, under the name of this machine."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from vaglio.studio.service import PAGES, Studio
from vaglio.studio.settings import Settings

TOKEN, ORIGIN = "some-token-or-other", "http://127.0.0.1:4321"


@pytest.fixture
def stranger(tmp_path):
    studio = Studio(Settings(tmp_path / "project", TOKEN, ORIGIN))
    with TestClient(studio.application(), base_url=ORIGIN, raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("path", [f"/{page}" for page in PAGES] + ["/", "/?token=guessed", "/static/studio.css"])
def test_without_the_token_nothing_is_answered(stranger, path):
    answer = stranger.get(path)
    assert answer.status_code == 401
    assert "Open the address that vaglio studio printed" in answer.text


def test_the_token_works_once_and_the_cookie_goes_on(stranger):
    first = stranger.get(f"/?token={TOKEN}", follow_redirects=False)
    assert first.status_code == 303
    assert first.headers["location"] == "/table"
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert stranger.get("/table").status_code == 200
    assert stranger.get("/").status_code == 200
    stranger.cookies.clear()
    assert stranger.get(f"/?token={TOKEN}").status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:4321", "127.0.0.1.evil.example"])
def test_other_names_are_refused(enter, host):
    assert enter().get("/table", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:9999", "null", "https://127.0.0.1:4321"])
def test_forms_of_other_pages_are_refused(enter, origin):
    visitor = enter()
    answer = visitor.client.post("/table/bundled", data={"name": "play"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert visitor.studio.project.state is None


@pytest.mark.slow
def test_pages_allow_nothing_from_elsewhere(enter):
    visitor = enter()
    visitor.open("play")
    for page in PAGES:
        answer = visitor.get(f"/{page}")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert " style=" not in answer.text
        assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("path", ["/nothing", "/table/../etc/passwd", "/export/report/..%2f..", "/static/live.py"])
def test_what_is_not_there_is_said_as_a_page(enter, path):
    answer = enter().get(path)
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"].startswith("text/html")
    assert 'class="problem"' in answer.text


def test_the_language_is_the_browsers_until_one_is_chosen(enter):
    visitor = enter()
    assert 'lang="it"' in visitor.get("/table", headers={"accept-language": "it-IT,it;q=0.9"}).text
    page = visitor.post("/settings", lang="it", theme="dark", **{"from": "/learn"})
    assert page.url.path == "/learn"
    assert 'lang="it" data-theme="dark"' in page.text
    assert visitor.post("/settings", lang="it", **{"from": "//evil.example"}).url.path == "/table"
