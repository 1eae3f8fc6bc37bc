"""The description of the interface: every address is in it, and what it says is so."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.routing import Route


def test_every_address_is_described(serve):
    client, service = serve("play", "penguins")
    told = client.get("/openapi.json").json()
    assert told["openapi"] == "3.1.0"
    pages = {"/", "/docs", "/docs.js", "/page.js", "/page.css", "/say.js", "/ping", "/version", "/invocations"}
    for route in service.application().router.routes:
        assert isinstance(route, Route)
        path = route.path.replace("{name}", "play")
        if path not in pages and "{version}" not in path:
            assert path in told["paths"], path
            assert {method.lower() for method in route.methods} - {"head"} == set(told["paths"][path])
    names = [each["operationId"] for methods in told["paths"].values() for each in methods.values()]
    assert len(set(names)) == len(names)
    alone, _ = serve("play")
    assert "/invocations" in alone.get("/openapi.json").json()["paths"]


@pytest.mark.parametrize("tokens", [(), (b"digest",)])
def test_the_examples_are_answered_as_described(serve, tokens: Any):
    client, _ = serve("play", "number", tokens=tokens)
    service_told = client.get("/openapi.json")
    if tokens:
        assert service_told.status_code == 401
        return
    told = service_told.json()
    references = set(re.findall(r'"\$ref":"#/components/schemas/([^"]+)"', service_told.text))
    assert references <= set(told["components"]["schemas"])
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            answer = client.request(method, path, json=body)
            assert answer.status_code == 200, (path, answer.text)
            media = answer.headers["content-type"].partition(";")[0]
            assert media in operation["responses"]["200"]["content"], path


def test_pages_forbid_everything_from_elsewhere(serve):
    client, _ = serve("play")
    for path in ("/", "/docs"):
        answer = client.get(path)
        assert answer.headers["content-type"].startswith("text/html")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert not re.search(r"<script>|\son\w+=|style=|https?://", answer.text)
    for path in ("/page.js", "/say.js", "/docs.js", "/page.css"):
        assert client.get(path).headers["x-content-type-options"] == "nosniff"
        assert "http" not in client.get(path).text.replace("https?", "")
