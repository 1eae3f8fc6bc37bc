"""What a service refuses, and how it says so: one sentence, the right status, nothing about its inside."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import time
from typing import Any

import pytest

from vaglio.cli.main import main
from vaglio.errors import InputError
from vaglio.serve.http.access import Access, is_loopback, read_tokens
from vaglio.serve.http.application import Gate
from vaglio.serve.http.requests import Bounds
from vaglio.serve.http.responses import ProblemError
from vaglio.serve.settings import named_models

SUNNY = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": False}
PENGUIN = {
    "island": "Biscoe", "bill_length_mm": 40, "bill_depth_mm": 18, "flipper_length_mm": 190, "body_mass_g": 4000,
    "sex": "male", "year": 2008,
}  # fmt: skip
JSON = {"content-type": "application/json"}
TOKEN = "0123456789abcdef-secret"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "empty"),
        (b"{", 400, "not valid JSON"),
        (b'{"a": NaN}', 400, "NaN is not valid JSON"),
        (b'{"a": -Infinity}', 400, "-Infinity is not valid JSON"),
        (b"\xff\xfe{}", 400, "UTF-8"),
        (b"[" * 100_000, 400, "nested"),
        (b'{"a":' * 50_000, 400, "nested"),
        (b"1" * 5000, 400, "not valid JSON"),
        (b"7", 422, "a row as a JSON object"),
        (b"null", 422, "a row as a JSON object"),
        (b"[1]", 422, "Row 1: expected an object"),
        (b"{}", 422, "has no 'island'"),
        (json.dumps({**PENGUIN, "body_mass_g": "heavy"}).encode(), 422, "expected a number or null, not a string"),
        (json.dumps({**PENGUIN, "body_mass_g": True}).encode(), 422, "null, not true"),
        (json.dumps({**PENGUIN, "body_mass_g": [4000]}).encode(), 422, "null, not a list"),
        (json.dumps({**PENGUIN, "island": {"a": 1}}).encode(), 422, "null, not an object"),
        (json.dumps({**PENGUIN, "island": "\ud800"}).encode(), 422, "surrogate"),
        (json.dumps({**PENGUIN, "island": "x" * 10_001}).encode(), 413, "more than 10,000 characters"),
        (json.dumps({**PENGUIN, "body_mass_g": 10**400}).encode(), 422, "too large"),
        (json.dumps(PENGUIN).replace("4000", "1e999").encode(), 422, "infinite"),
        (json.dumps([PENGUIN] * 10_001).encode(), 413, "10,001 rows"),
        (json.dumps([PENGUIN, {**PENGUIN, "year": "x"}]).encode(), 422, "Row 2, column 'year'"),
        (json.dumps([PENGUIN] * 99 + [{**PENGUIN, "year": "x"}]).encode(), 422, "Row 100, column 'year'"),
        (json.dumps([PENGUIN] * 99 + [{**PENGUIN, "year": 10**400}]).encode(), 422, "too large"),
    ],
)  # fmt: skip
def test_a_wrong_body_is_refused_in_one_sentence(serve, problem, body: bytes, status: int, words: str):
    client, _ = serve("penguins")
    assert words in problem(client.post("/models/penguins/predict", content=body, headers=JSON), status)
    assert client.post("/models/penguins/predict", json=PENGUIN).status_code == 200


@pytest.mark.parametrize(
    ("media", "body", "status", "words"),
    [
        ("text/plain", b"a", 415, "Content-Type"),
        ("", b"a", 415, "Content-Type"),
        ("text/csv", b"", 400, "empty"),
        ("text/csv", b"a,b\n1,2\n", 422, "lacks the columns 'island'"),
        ("text/csv", b"\x00\x01\x02", 400, "The body"),
        ("text/csv", b"island\n" + b"Biscoe\n" * 10_001, 413, "10,001 rows"),
        ("text/csv", b"island\n" + b"x" * 20_000, 413, "Send fewer rows or columns"),
        ("application/vnd.apache.arrow.stream", b"zzz", 400, "damaged"),
        ("application/vnd.apache.arrow.stream", b"", 400, "empty"),
    ],
)
def test_a_wrong_table_is_refused_in_one_sentence(serve, problem, media: str, body: bytes, status: int, words: str):
    client, _ = serve("penguins")
    assert words in problem(
        client.post("/models/penguins/predict", content=body, headers={"content-type": media}), status
    )


def test_addresses_methods_and_names(serve, problem):
    client, _ = serve("play")
    assert "openapi.json" in problem(client.get("/nowhere"), 404)
    assert "The models are play" in problem(client.get("/models/plax"), 404)
    problem(client.get("/models/..%2f..%2fetc%2fpasswd/schema"), 404)
    answer = client.get("/models/play/predict")
    problem(answer, 405)
    assert answer.headers["allow"] == "POST"
    packed = client.post(
        "/models/play/predict", content=gzip.compress(b"{}"), headers={**JSON, "content-encoding": "gzip"}
    )
    assert "Content-Encoding" in problem(packed, 415)
    assert "counterfactual" in problem(client.post("/models/play/explain?counterfactual=2", json=SUNNY), 400)
    assert "fewer" in problem(client.post("/models/play/explain", json=[SUNNY] * 101), 413)
    assert "application/json" in problem(
        client.post("/models/play/explain", content=b"a", headers={"content-type": "text/csv"}), 415
    )


def test_a_long_body_is_refused_with_and_without_its_length(serve, problem):
    client, _ = serve("play", bounds=Bounds(body=1000))
    long = json.dumps({**SUNNY, "further": "x" * 2000}).encode()
    assert "1,000 bytes" in problem(client.post("/models/play/predict", content=long, headers=JSON), 413)
    pieces = (long[at : at + 100] for at in range(0, len(long), 100))
    assert "1,000 bytes" in problem(client.post("/models/play/predict", content=pieces, headers=JSON), 413)


def test_too_many_requests_are_told_to_come_again(serve, problem):
    client, service = serve("play", bounds=Bounds(waiting=2))
    service.gate.inside = 2
    answer = client.post("/models/play/predict", json=SUNNY)
    assert "2 requests are waiting" in problem(answer, 429)
    assert answer.headers["retry-after"] == "1"
    service.gate.inside = 0
    assert client.post("/models/play/predict", json=SUNNY).status_code == 200
    assert service.gate.inside == 0


def test_a_busy_server_still_answers_those_who_watch_it(serve, problem):
    client, service = serve("play", bounds=Bounds(waiting=1))
    service.gate.inside = 1
    assert problem(client.post("/models/play/predict", json=SUNNY), 429)
    for path in ("/health/live", "/health/ready", "/v2/health/live", "/v2/health/ready", "/ping", "/metrics"):
        assert client.get(path).status_code == 200, path
    service.gate.vital = 1000
    assert "1,000 requests" in problem(client.get("/health/live"), 429)


def test_one_client_cannot_take_all_places_with_bodies_that_do_not_arrive():
    gate = Gate(Bounds(waiting=8), 1)

    async def ask() -> tuple[int, int]:
        never = asyncio.get_running_loop().create_future()
        receive = gate.counting("10.0.0.1", lambda: never)
        slow = [asyncio.create_task(receive()) for _ in range(8)]
        await asyncio.sleep(0)
        refused = [task.exception() for task in slow if task.done()]
        assert all(isinstance(error, ProblemError) and error.status == 429 for error in refused)
        other = asyncio.create_task(gate.counting("10.0.0.2", lambda: never)())
        await asyncio.sleep(0)
        waiting = sum(not task.done() for task in [*slow, other])
        for task in [*slow, other]:
            task.cancel()
        await asyncio.gather(*slow, other, return_exceptions=True)
        return len(refused), waiting

    assert asyncio.run(ask()) == (4, 5)
    assert not gate._arriving
    gate.close()


@pytest.mark.parametrize("lang", ["en", "it"])
def test_a_server_for_other_machines_needs_a_token_or_the_word_open(files, capsys, monkeypatch, lang):
    monkeypatch.setenv("VAGLIO_LANG", lang)
    with pytest.raises(SystemExit) as ended:
        main(["serve", str(files["play"]), "--host", "0.0.0.0", "--port", "0"])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert "--token-file" in said
    assert "--open" in said


def test_two_host_headers_are_refused(serve, problem):
    client, _ = serve("play", hosts=())
    for names in (("localhost", "elsewhere.example"), ("localhost", "localhost")):
        answer = client.get("/models", headers=[("host", name) for name in names])
        assert "more than one Host" in problem(answer, 400)


def test_an_answer_that_takes_too_long_is_given_up(serve, problem, monkeypatch):
    client, service = serve("play", bounds=Bounds(seconds=0.2))
    ended = threading.Event()
    served = service.store.find("play")
    real = served._of_chunk

    def slow(*given: Any) -> Any:
        time.sleep(0.25)
        return real(*given)

    monkeypatch.setattr(served, "_of_chunk", slow)
    of_many = served.of_many

    def watched(*given: Any) -> Any:
        try:
            return of_many(*given)
        finally:
            ended.set()

    monkeypatch.setattr(served, "of_many", watched)
    answer = client.post("/models/play/predict", json=[SUNNY] * 5000)
    assert "0.2 seconds" in problem(answer, 503)
    # The work notices by itself that nobody waits for it, and counts as a request until then.
    assert ended.wait(120)
    while service.gate.inside:
        client.get("/health/live")


def test_a_failure_of_the_server_tells_nothing_about_its_inside(serve, problem, monkeypatch):
    client, service = serve("play")
    monkeypatch.setattr(service.store.find("play"), "answer_one", lambda row: {}[f"secret {row}"])
    assert "secret" not in problem(client.post("/models/play/predict", json=SUNNY), 500)


def test_tokens(serve, problem, tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# ours\n{TOKEN}\n\nanother-token-of-length\n", encoding="utf-8")
    client, _ = serve("play", tokens=read_tokens(path))
    url = "/models/play/predict"
    answer = client.post(url, json=SUNNY)
    assert "Authorization" in problem(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"
    for wrong in (f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer", "Bearer é"):
        problem(client.post(url, json=SUNNY, headers={"authorization": wrong.encode()}), 401)
    for token in (TOKEN, "another-token-of-length"):
        assert client.post(url, json=SUNNY, headers={"authorization": f"Bearer {token}"}).status_code == 200
    problem(client.get("/models"), 401)
    problem(client.get("/nowhere"), 401)
    assert client.get("/health/live").status_code == 200


@pytest.mark.parametrize(("text", "words"), [("", "no token"), ("# a\n", "no token"), ("short\n", "fewer than 16")])
def test_a_file_without_good_tokens_is_refused(tmp_path, text: str, words: str):
    path = tmp_path / "tokens"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_tokens(path)
    with pytest.raises(InputError, match="Cannot read"):
        read_tokens(tmp_path / "none")


def test_a_local_server_answers_only_to_its_own_names(serve, problem):
    client, _ = serve("play", hosts=("models.example.org",))
    assert "--allow-host" in problem(client.get("/models", headers={"host": "attacker.example.com"}), 421)
    for host in ("localhost:8000", "127.0.0.1", "[::1]:80", "models.example.org"):
        assert client.get("/models", headers={"host": host}).status_code == 200
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert Access().hosts is None


def test_names_of_models(tmp_path):
    odd = tmp_path / "a=b.vaglio"
    odd.write_bytes(b"")
    assert [name for name, _ in named_models(["x/churn.vaglio", "risk=y.vaglio", f"ok={odd}"])] == [
        "churn",
        "risk",
        "ok",
    ]
    for wrong, words in (
        ([str(odd)], "cannot be part"),
        (["a.vaglio", "b/a.vaglio"], "Two models"),
        (["../.vaglio"], "cannot"),
    ):
        with pytest.raises(InputError, match=words):
            named_models(wrong)
