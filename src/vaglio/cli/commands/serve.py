"""``vaglio serve churn.vaglio fraud.vaglio --port 8000``"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from vaglio.cli._options import Decide, UsageError, output_option
from vaglio.cli._output import Answer, remark
from vaglio.errors import MissingDependencyError
from vaglio.messages.message import text
from vaglio.messages.sentences import listed
from vaglio.runtime.installed import install_command

_server_option = partial(typer.Option, rich_help_panel="The server")
_safety_option = partial(typer.Option, rich_help_panel="Safety and limits")

Models = Annotated[
    list[str], typer.Argument(metavar="MODEL…", help="Model files; name=FILE serves a model under another name.")
]
Watch = Annotated[
    bool, _server_option("--watch", help="Reload a model file when it is replaced, if the new one is valid.")
]
Log = Annotated[
    Path | None,
    output_option("--log", metavar="FILE", help="Write one line of JSON per request; files rotate at 64 MB."),
]
LogRows = Annotated[bool, output_option("--log-rows", help="Also log the values of the rows and the answers.")]


@dataclass(frozen=True)
class AddressOptions:
    """Where the server listens, and with how many processes."""

    host: Annotated[
        str, _server_option(metavar="ADDRESS", help="The address to listen on; 127.0.0.1 is this machine only.")
    ] = "127.0.0.1"
    port: Annotated[int, _server_option(min=0, max=65535, metavar="N", help="The port; 0 for a free one.")] = 8000
    processes: Annotated[int, _server_option(min=1, max=256, metavar="N", help="Number of worker processes.")] = 1
    tls_certificate: Annotated[
        Path | None, _server_option("--tls-certificate", metavar="FILE", help="TLS certificate (PEM), for https.")
    ] = None
    tls_key: Annotated[
        Path | None, _server_option("--tls-key", metavar="FILE", help="Key of the certificate (PEM).")
    ] = None

    def address(self) -> Any:
        """The address to listen on."""
        from vaglio.serve.http.server import Address

        if (self.tls_certificate is None) != (self.tls_key is None):
            raise UsageError("tls-incomplete", "Use --tls-certificate and --tls-key together.")
        for path in (self.tls_certificate, self.tls_key):
            if path is not None and not path.is_file():
                raise UsageError("no-tls-file", "{path}: no such file.", path=path)
        return Address(self.host, self.port, self.tls_certificate, self.tls_key)


@dataclass(frozen=True)
class SafetyOptions:
    """Who may ask, and for how much."""

    token_file: Annotated[
        Path | None,
        _safety_option(
            "--token-file",
            metavar="FILE",
            help="Accept only requests with one of the tokens in this file, one per line.",
        ),
    ] = None
    open_to_all: Annotated[
        bool,
        _safety_option("--open", help="Serve other machines without a token: anyone who reaches the address may ask."),
    ] = False
    allow_host: Annotated[
        list[str] | None,
        _safety_option(
            "--allow-host",
            metavar="NAME",
            help="A host name that a proxy uses for a server on 127.0.0.1; may be repeated.",
        ),
    ] = None
    max_body: Annotated[float, _safety_option(min=0.001, metavar="MB", help="Maximum size of a request.")] = 16.0
    max_rows: Annotated[int, _safety_option(min=1, metavar="N", help="Maximum rows of a request.")] = 10_000
    max_text: Annotated[int, _safety_option(min=1, metavar="N", help="Maximum characters of one value.")] = 10_000
    max_waiting: Annotated[
        int, _safety_option(min=1, metavar="N", help="Maximum concurrent requests; others get 429 and can retry.")
    ] = 256
    timeout: Annotated[float, _safety_option(min=0.1, metavar="SECONDS", help="Time limit of a request.")] = 30.0

    def bounds(self) -> Any:
        """The limits of a request."""
        from vaglio.serve.http.requests import Bounds

        return Bounds(
            body=int(self.max_body * (1 << 20)),
            rows=self.max_rows,
            text=self.max_text,
            seconds=self.timeout,
            waiting=self.max_waiting,
        )


def run(
    models: Models,
    *,
    server: AddressOptions,
    watch: Watch = False,
    safety: SafetyOptions,
    decide: Decide = None,
    log: Log = None,
    log_rows: LogRows = False,
) -> Answer:
    """Serve one or more models over HTTP until Ctrl-C or SIGTERM.

    POST /models/NAME/predict takes rows as JSON, CSV or Arrow; /explain gives reasons; /schema describes a row. There
    is a page for people at /, the API documentation at /docs, and metrics for Prometheus at /metrics. The Open
    Inference Protocol (/v2) and MLflow's /invocations are supported. The server listens on this machine only, unless
    --host is given; a server that others can reach needs --token-file, or --open, and should have TLS.
    """
    if log_rows and log is None:
        raise UsageError("log-rows-without-log", "--log-rows needs a log: add --log FILE.")
    need_web("serve")
    from vaglio.runtime.threads import resolve_threads
    from vaglio.serve.http.access import is_loopback, read_tokens
    from vaglio.serve.http.server import run_server
    from vaglio.serve.model_store import check_models
    from vaglio.serve.service import make_application
    from vaglio.serve.settings import Settings, named_models

    address = server.address()
    named = named_models(models)
    if log is not None and any(log.resolve() == path.resolve() for _, path in named):
        raise UsageError("log-over-model", "--log {log}: this file is a model.", log=log)
    if not is_loopback(server.host) and safety.token_file is None and not safety.open_to_all:
        raise UsageError(
            "serve-without-token",
            "With --host {host}, anyone who can reach this machine could use the models. Add --token-file FILE, or "
            "--open if that is intended.",
            host=server.host,
        )
    tokens = () if safety.token_file is None else read_tokens(safety.token_file)
    local = is_loopback(server.host)
    with tempfile.TemporaryDirectory(prefix="vaglio-serve-") as shared:
        settings = Settings(
            models=named,
            bounds=safety.bounds(),
            tokens=tokens,
            hosts=tuple(safety.allow_host or ()) if local or safety.allow_host else None,
            watch=watch,
            log=log,
            log_rows=log_rows,
            decide=None if decide is None else decide.value,
            threads=min(4, resolve_threads(-1)),
            shared=Path(shared) if server.processes > 1 else None,
        )
        # A model that cannot be served is said here, and not by every process.
        check_models(settings)
        with address.open() as opened:
            url = address.url(opened.getsockname()[1])
            served = listed(name for name, _ in named)
            remark(text("vaglio: serving {models} on {url} (press Ctrl-C to stop)", models=served, url=url))
            make = partial(make_application, settings)
            run_server(make, address, opened, server.processes, safety.timeout)
    return Answer({"url": url, "models": [name for name, _ in named]}, [], [text("The server has stopped.")])


def need_web(command: str) -> None:
    """Say what to install where the libraries of a server are missing."""
    try:
        import httptools  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "web-not-installed",
            "vaglio {command} needs starlette, uvicorn and httptools: {install}.",
            command=command,
            install=install_command("serve"),
        ) from None
