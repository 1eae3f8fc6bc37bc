"""Who may ask: tokens from a file, and the names under which the server may be addressed."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from vaglio.errors import InputError
from vaglio.serve.http.responses import refuse

__all__ = ["Access", "is_loopback", "read_tokens"]

# Anybody can guess a shorter one.
_SHORTEST = 16
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def read_tokens(path: str | Path) -> tuple[bytes, ...]:
    """Return the digests of the tokens in a file: one per line, lines with # are remarks.

    Parameters
    ----------
    path : path-like
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(
            "cannot-read-tokens", "Cannot read the tokens in {path}: {strerror}.", path=path, strerror=error.strerror
        ) from error
    except UnicodeDecodeError:
        raise InputError(
            "text-file-one-token", "{path} is not a text file with one token per line.", path=path
        ) from None
    tokens = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not tokens:
        raise InputError(
            "holds-token-write-one",
            "{path} holds no token: write one per line, e.g. from 'openssl rand -hex 32'.",
            path=path,
        )
    if min(map(len, tokens)) < _SHORTEST:
        raise InputError(
            "holds-token-fewer-than",
            "{path} holds a token of fewer than {shortest} characters, which can be guessed.",
            path=path,
            shortest=_SHORTEST,
        )
    return tuple(_digest(token.encode()) for token in tokens)


def is_loopback(host: str) -> bool:
    """Return whether only programs of this machine reach a server on this address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class Access:
    """The check that every request passes.

    Parameters
    ----------
    tokens : iterable of bytes
        Digests of the tokens, of which a request must carry one; without any, every request passes.
    hosts : iterable of str, optional
        Names that the Host header may have, beside those of this machine. None allows every name. A page of another
        site can make its own name point to this machine, and would then read the answers: the name gives it away.
    """

    def __init__(self, tokens: Iterable[bytes] = (), hosts: Iterable[str] | None = None) -> None:
        self.tokens = tuple(tokens)
        self.hosts = None if hosts is None else {*_LOOPBACK, *(host.lower() for host in hosts)}

    def check(self, headers: dict[bytes, bytes], open_to_all: bool = False) -> None:
        """Refuse a request that may not be answered.

        Parameters
        ----------
        headers : dict of bytes
            By their names in lower case.
        open_to_all : bool
            Whether the request needs no token, as the question whether the server lives.
        """
        if self.hosts is not None and _name(headers.get(b"host", b"").decode("latin-1")) not in self.hosts:
            refuse(421, "This server does not go by that name: ask for localhost, or start it with --allow-host NAME.")
        if not self.tokens or open_to_all:
            return
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        given = _digest(token.strip())
        # Every token is compared, and each in constant time: how long it takes tells nothing about them.
        found = [hmac.compare_digest(given, known) for known in self.tokens]
        if scheme.lower() != b"bearer" or not any(found):
            refuse(
                401,
                "This server answers requests with a known token: send it as 'Authorization: Bearer TOKEN'.",
                WWW_Authenticate="Bearer",
            )


def _digest(token: bytes) -> bytes:
    return sha256(token).digest()


def _name(host: str) -> str:
    """Return a Host header without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
