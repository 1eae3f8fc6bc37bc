"""Where the package came from, for the advice how to install what it lacks."""

from __future__ import annotations

import json
import shlex
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

__all__ = ["install_command"]


def install_command(extra: str) -> str:
    """Return the command that installs an extra, from where the package was installed from.

    An index may not know a package of a folder or of a repository, or know another version of it.

    Parameters
    ----------
    extra : str
        A name of ``optional-dependencies``.
    """
    origin = _origin()
    url, kept = str(origin.get("url", "")), origin.get("vcs_info", {})
    if "dir_info" in origin:
        editable = ["-e"] if origin["dir_info"].get("editable") else []
        return shlex.join(["pip", "install", *editable, f"{url2pathname(urlsplit(url).path)}[{extra}]"])
    if kept:
        return shlex.join(["pip", "install", f"vaglio[{extra}] @ {kept['vcs']}+{url}@{kept['commit_id']}"])
    return f"pip install 'vaglio[{extra}]'"


def _origin() -> dict[str, Any]:
    """The record that installers keep of a package that is not from an index; empty otherwise."""
    try:
        found: Any = json.loads(distribution("vaglio").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
