"""The advice how to install an extra names where the package came from."""

from __future__ import annotations

import json

import pytest

from vaglio.runtime import installed


@pytest.mark.parametrize(
    ("origin", "told"),
    [
        (None, "pip install 'vaglio[serve]'"),
        ({"url": "file:///data/my%20vaglio", "dir_info": {}}, "pip install '/data/my vaglio[serve]'"),
        ({"url": "file:///src/vaglio", "dir_info": {"editable": True}}, "pip install -e '/src/vaglio[serve]'"),
        (
            {"url": "https://a.org/v.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "pip install 'vaglio[serve] @ git+https://a.org/v.git@c0ffee'",
        ),
    ],
)
def test_the_command_names_the_source(origin, told, monkeypatch):
    class Found:
        def read_text(self, name):
            return None if origin is None else json.dumps(origin)

    monkeypatch.setattr(installed, "distribution", lambda name: Found())
    assert installed.install_command("serve") == told
