"""Who may ask: the browser that came with the token, under the name of this machine, from a page of this server."""

from __future__ import annotations

import hmac
import secrets
import threading
from http.cookies import CookieError, SimpleCookie

from vaglio.messages.message import Message
from vaglio.serve.http.access import Access
from vaglio.serve.http.responses import refuse

__all__ = ["Session"]

_NO_TOKEN = Message(
    "studio-token-required",
    "This browser is not signed in. Open the address that vaglio studio printed. Each address works once: restart the "
    "studio for a new one.",
)
_OTHER_SITE = Message("request-from-other-site", "This request comes from another site. Use the pages of the studio.")


class Session(Access):
    """The check that every request passes.

    The token of the address is exchanged for a cookie, once: an address that is read later, in a history or over a
    shoulder, opens nothing.

    Parameters
    ----------
    token : str
    origin : str
        Scheme, name and port of the server.
    """

    def __init__(self, token: str, origin: str) -> None:
        super().__init__(hosts=())
        self._token: str | None = token
        self._secret = secrets.token_urlsafe(32)
        self._lock = threading.Lock()
        port = origin.rpartition(":")[2]
        # Cookies do not know ports: two studios on one machine need two names.
        self.cookie = f"vaglio-studio-{port}"
        self._origins = {f"http://{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}

    def check(self, headers: dict[bytes, bytes], open_to_all: bool = False) -> None:
        """Refuse a request from elsewhere, or without the cookie.

        Parameters
        ----------
        headers : dict of bytes
            By their names in lower case.
        open_to_all : bool
            Whether the cookie is not asked for.
        """
        super().check(headers, open_to_all=True)
        origin = headers.get(b"origin", b"").decode("latin-1")
        site = headers.get(b"sec-fetch-site", b"").decode("latin-1")
        # A form of another site says where it comes from; a browser adds Origin to every POST.
        if origin and origin not in self._origins:
            refuse(403, _OTHER_SITE)
        if site in ("cross-site", "same-site") and headers.get(b"sec-fetch-mode") != b"navigate":
            refuse(403, _OTHER_SITE)
        if not open_to_all and not self.knows(headers):
            refuse(401, _NO_TOKEN)

    def knows(self, headers: dict[bytes, bytes]) -> bool:
        """Return whether the request carries the cookie."""
        jar = SimpleCookie()
        try:
            jar.load(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return False
        given = jar[self.cookie].value if self.cookie in jar else ""
        return hmac.compare_digest(given.encode(), self._secret.encode())

    def exchange(self, token: str) -> str:
        """Return the secret of the cookie for the token, which is then spent."""
        with self._lock:
            good = self._token is not None and hmac.compare_digest(token.encode(), self._token.encode())
            if not good:
                refuse(401, _NO_TOKEN)
            self._token = None
        return self._secret
