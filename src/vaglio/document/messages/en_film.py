"""The captions of the pictures in English."""

from __future__ import annotations

MESSAGES = {
    "film_regions": "The regions of the classes",
    "film_start": "Before the first update",
    "film_update": "Update {n}: row {row} was wrong, in pass {epoch}",
    "film_last_update": "After all {n} updates",
    "film_step": "Step {n}: loss {loss}",
    "film_support": "support vectors: {n}",
    "film_rounds": "Round {n}",
    "film_members": "Members: {n}",
    "film_root": "All rows",
    "film_one_test": "1 test",
    "film_tests": "{n} tests",
    "film_finished": "The finished tree",
    "film_sure": "Beyond the line, P({label}) is above {share} %",
    "film_rules": "Rules: {n}",
}
