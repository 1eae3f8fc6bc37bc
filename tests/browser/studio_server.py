"""A studio that answers a real browser, in a thread of the tests."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from vaglio.studio.service import Studio
from vaglio.studio.settings import Settings

TOKEN = "a-token-for-one-browser"


@contextmanager
def running_studio(folder: Path, late: str = "") -> Iterator[str]:
    """Give the address with its token; the file ``late`` takes a moment to come."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        origin = f"http://127.0.0.1:{opened.getsockname()[1]}"
        studio = Studio(Settings(folder, TOKEN, origin))
        application = studio.application()

        async def delayed(scope: Any, receive: Any, send: Any) -> None:
            if late and scope.get("path") == late:
                await asyncio.sleep(0.3)
            await application(scope, receive, send)

        server = uvicorn.Server(uvicorn.Config(delayed, log_level="error", lifespan="on"))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[opened])), daemon=True)
        thread.start()
        until(lambda: server.started or not thread.is_alive())
        assert server.started
        yield f"{origin}/?token={TOKEN}"
        server.should_exit = True
        thread.join(30)


def until(true: Callable[[], object]) -> None:
    """Wait until something is true."""
    while not true():
        time.sleep(0.01)


class Person:
    """A page, what its console said, and what it asked for elsewhere."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._watch)
        self.origin = address.partition("/?")[0]
        self.page.goto(address)

    def _watch(self, request: Any) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.complaints.append(request.url)

    def go(self, name: str) -> None:
        self.page.goto(f"{self.origin}/{name}")

    def learn(self, *learners: str, plan: str = "folds_3") -> None:
        """Choose exactly these learners, start them and wait for the end."""
        self.go("learn")
        for box in self.page.locator("input[name=learner]").all():
            box.set_checked(box.get_attribute("value") in learners)
        self.page.locator(f"#plan-{plan}").check()
        self.page.locator("button.main").click()
        self.page.wait_for_selector(".run:first-of-type .state-done", timeout=240_000)
