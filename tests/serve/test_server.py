"""The program itself, with sockets and signals: it lives through bad clients, ends in order, and starts again."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

SUNNY = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": False}
HEAD = b"POST /models/play/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class Running:
    """A server of its own."""

    def __init__(self, *words: object) -> None:
        command = [sys.executable, "-m", "vaglio", "serve", *map(str, words)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.said: list[str] = []
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"(https?://[\d.]+):(\d+)", line)
        assert found is not None, line
        self.url, self.port = f"{found[1]}:{found[2]}", int(found[2])
        self._reader = threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True)
        self._reader.start()

    def end(self, by: int = signal.SIGTERM) -> int:
        self.process.send_signal(by)
        code = self.process.wait(60)
        self._reader.join(10)
        return code


@contextlib.contextmanager
def running(*words: object) -> Iterator[Running]:
    server = Running("--port", 0, *words)
    try:
        with httpx.Client(base_url=server.url, verify=False) as client:
            _wait(lambda: client.get("/health/ready").status_code == 200)
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def _wait(true: Any) -> None:
    for _ in range(6000):
        with contextlib.suppress(httpx.TransportError):
            if true():
                return
        time.sleep(0.01)
    raise AssertionError("it does not happen")


def _refuses(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=30).close()
    except ConnectionRefusedError:
        return True
    return False


def _rest(connection: socket.socket) -> bytes:
    """Read until the other side has nothing more to say: head and body may come one after the other."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


def _send(port: int, *pieces: bytes, read: bool = True) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for piece in pieces:
            connection.sendall(piece)
        answer = b""
        with contextlib.suppress(ConnectionError):
            while read and (more := connection.recv(65536)):
                answer += more
        return answer


@pytest.mark.slow
def test_a_server_lives_through_bad_clients(files):
    with running(files["play"], "--timeout", 1) as server:
        # A body that was cut off, one that never ends, and no HTTP at all.
        assert _send(server.port, HEAD + b"Content-Length: 100\r\n\r\n{", read=False) == b""
        assert b" 408 " in _send(server.port, HEAD + b"Content-Length: 100\r\n\r\n", b"{")
        for rubbish in (
            b"rubbish\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            HEAD + b"Content-Length: -5\r\n\r\n",
            b"\x16\x03\x01\r\n\r\n",
        ):
            assert b"application/problem+json" in _send(server.port, rubbish), rubbish
        assert b" 400 " in _send(server.port, b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000)
        with httpx.Client(base_url=server.url) as client:
            # On a busy machine an answer may take longer than the second that was asked for.
            _wait(lambda: client.post("/models/play/predict", json=SUNNY).json().get("predicted") == "no")
        assert server.end() == 0
    said = "".join(server.said)
    assert "Traceback" not in said
    assert "leaked" not in said


@pytest.mark.slow
def test_a_request_that_is_being_sent_when_the_signal_comes_gets_its_answer(files, tmp_path: Path):
    log = tmp_path / "log.jsonl"
    with running(files["play"], "--log", log) as server:
        with (
            httpx.Client(base_url=server.url) as client,
            socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection,
        ):
            body = json.dumps(SUNNY).encode()
            connection.sendall(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:10])
            _wait(lambda: client.get("/health/live").status_code == 200)
            server.process.send_signal(signal.SIGTERM)
            _wait(lambda: _refuses(server.port))
            connection.sendall(body[10:])
            assert b'"predicted":"no"' in _rest(connection)
        assert server.process.wait(60) == 0
    said = "".join(server.said)
    assert "Traceback" not in said
    assert "leaked" not in said
    assert [json.loads(line)["status"] for line in log.read_text().splitlines()].count(200) >= 3


@pytest.mark.slow
def test_a_killed_server_starts_again_at_the_same_address(files):
    with running(files["play"]) as first:
        assert httpx.get(f"{first.url}/models").status_code == 200
        first.end(signal.SIGKILL)
        again = Running("--port", first.port, files["play"])
        try:
            _wait(lambda: httpx.get(f"{again.url}/health/ready").status_code == 200)
            assert httpx.post(f"{again.url}/models/play/predict", json=SUNNY).json()["predicted"] == "no"
            # The address is taken now, which is said in one line.
            command = [sys.executable, "-m", "vaglio", "serve", str(files["play"]), "--port", str(first.port)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert done.returncode == 1
            assert "Choose another --port" in done.stderr
        finally:
            assert again.end(signal.SIGINT) == 0


def _workers(server: Running) -> list[int]:
    """Return the processes that answer."""
    pid = server.process.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split() if _serves(int(child))]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the processes by /proc")
def test_several_processes_share_an_address_and_their_counts(files):
    with running(files["play"], "--processes", 2) as server:
        workers = _workers(server)
        assert len(workers) == 2

        for _ in range(20):
            # A new connection each time: the processes take turns.
            assert httpx.post(f"{server.url}/models/play/predict", json=SUNNY).json()["predicted"] == "no"
        # What one has counted, the others know a moment later: whichever answers, it knows of all.
        _wait(lambda: min(_counted(httpx.get(f"{server.url}/metrics").text) for _ in range(12)) >= 20)
        # One of them is killed: another takes its place, and what it had counted is not lost.
        os.kill(workers[0], signal.SIGKILL)
        _wait(lambda: len(_workers(server)) == 2 and workers[0] not in _workers(server))
        _wait(lambda: _counted(httpx.get(f"{server.url}/metrics").text) >= 20)
        assert server.end() == 0
        assert "another one takes its place" in "".join(server.said)
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def _serves(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def _counted(text: str) -> float:
    return sum(
        float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith("vaglio_predictions_total")
    )


@pytest.mark.slow
def test_tls_and_tokens(files, tmp_path: Path):
    key, certificate, tokens = tmp_path / "key.pem", tmp_path / "cert.pem", tmp_path / "tokens"
    make = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
    ]
    make += [
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    ]
    try:
        subprocess.run(make, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl on this machine")
    tokens.write_text("a-token-of-some-length\n")
    options = ("--tls-certificate", certificate, "--tls-key", key, "--token-file", tokens)
    with running(files["play"], *options) as server:
        assert server.url.startswith("https://")
        trusted = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(base_url=server.url, verify=trusted) as client:
            assert client.get("/models").status_code == 401
            headers = {"authorization": "Bearer a-token-of-some-length"}
            assert client.get("/models", headers=headers).status_code == 200
        assert server.end() == 0
