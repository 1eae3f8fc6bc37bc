"""The findings of an audit by kind, each with what can be done about it."""

from __future__ import annotations

from typing import Any

from vaglio.messages.sentences import clip
from vaglio.quality import Audit, Finding
from vaglio.quality.checks.finding import SEVERITIES
from vaglio.studio.catalogue import Words

__all__ = ["CHOICES", "findings_view"]

# Kind of finding -> field of the cleaning policy.
_FIELDS = {
    "impossible": "impossible",
    "placeholder": "placeholders",
    "spelling": "spelling",
    "outliers": "outliers",
    "rare-categories": "rare",
    "identifier": "identifiers",
    "constant": "constant",
    "missing-class": "missing_class",
    "mostly-missing": "mostly_missing",
    "duplicates": "duplicates",
    "inconsistent": "inconsistent",
}
# Field of the policy -> what can be done; the words of the buttons are in the catalogues.
CHOICES: dict[str, tuple[str, ...]] = {
    "impossible": ("missing",),
    "placeholders": ("missing",),
    "spelling": ("merge",),
    "outliers": ("missing", "clip"),
    "rare": ("merge",),
    "identifiers": ("mark",),
    "constant": ("drop",),
    "missing_class": ("drop",),
    "mostly_missing": ("drop",),
    "duplicates": ("drop",),
    "inconsistent": ("drop", "majority"),
}
# Findings of one kind that are written out.
_MOST = 6


def findings_view(audit: Audit, say: Words) -> list[dict[str, Any]]:
    """Return the findings, worst first, those of a kind together: a button does the same to all of them.

    Parameters
    ----------
    audit : Audit
    say : Words
    """
    groups: dict[str, list[Finding]] = {}
    for finding in audit:
        groups.setdefault(finding.kind, []).append(finding)
    found = [_group(kind, members, say) for kind, members in groups.items()]
    return sorted(found, key=lambda group: SEVERITIES.index(group["severity"]))


def _group(kind: str, members: list[Finding], say: Words) -> dict[str, Any]:
    worst = min(members, key=lambda finding: SEVERITIES.index(finding.severity))
    field = _FIELDS.get(kind, "")
    return {
        "kind": kind,
        "severity": worst.severity,
        "field": field,
        "choices": CHOICES.get(field, ()),
        "messages": [clip(say.sentence(finding.message), 240) for finding in members[:_MOST]],
        "more": max(0, len(members) - _MOST),
        "advice": clip(say.sentence(worst.advice), 280),
        "columns": list(dict.fromkeys(name for finding in members for name in finding.columns))[:12],
    }
