"""The language of an answer, and the words that the scripts of a page need."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.requests import Request

from vaglio.messages.locale import LANGUAGES, PSEUDO, Locale, preferred_language
from vaglio.messages.message import Listing, Message, Number, Option
from vaglio.messages.scripts import script_words, templates_of_script

__all__ = ["SAY_SCRIPT", "accepted_locale", "language_names", "page_words", "request_locale", "text_environment"]

_MESSAGES = (Listing, Message, Number, Option)
# The script that every page loads before its own.
SAY_SCRIPT = (files("vaglio.serve.http") / "say.js").read_bytes()


def accepted_locale(headers: Mapping[bytes, bytes]) -> Locale:
    """Return the language that an Accept-Language header asks for; English without one."""
    return Locale(preferred_language(headers.get(b"accept-language", b"").decode("latin-1")))


def request_locale(request: Request, chosen: str = "") -> Locale:
    """Return the language of a page: that of the address (``?lang=it``), the chosen one, or the browser's.

    Parameters
    ----------
    request : Request
    chosen : str
        What the reader chose before.
    """
    for lang in (request.query_params.get("lang", ""), chosen):
        if lang in (*LANGUAGES, PSEUDO):
            return Locale(lang)
    return Locale(preferred_language(request.headers.get("accept-language", "")))


@cache
def language_names() -> dict[str, str]:
    """Return each language by its own name."""
    return {lang: Locale(lang).text(Message("language-name", "English")) for lang in LANGUAGES}


@cache
def page_words(package: str, folder: str, lang: str) -> dict[str, Any]:
    """Return what the scripts in a folder of a package need in a language.

    Parameters
    ----------
    package : str
    folder : str
    lang : str
    """
    scripts = sorted((each for each in (files(package) / folder).iterdir() if each.name.endswith(".js")), key=str)
    found = [template for each in scripts for template in templates_of_script(each.read_text(encoding="utf-8"))]
    return script_words(Locale(lang), dict.fromkeys(found))


def text_environment(environment: Any) -> Any:
    """Let templates write every message that they are given in the language of the page.

    Parameters
    ----------
    environment : jinja2.Environment
        Templates are rendered with ``locale``, the :class:`~vaglio.messages.locale.Locale` of the request.
    """
    from jinja2 import pass_context

    @pass_context
    def rendered(context: Any, value: Any) -> Any:
        # Markup is a str as well, and is data of the page: the locale leaves everything but messages as it is.
        return context["locale"].text(value) if type(value) in _MESSAGES else value

    @pass_context
    def translated(context: Any, template: str) -> str:
        return str(context["locale"].translated(template))

    environment.finalize = rendered
    environment.filters |= {"text": rendered, "translated": translated}
    return environment
