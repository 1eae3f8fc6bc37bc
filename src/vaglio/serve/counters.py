"""Counts of a service, and the text in which Prometheus reads them.

Several processes share them through files: each writes what it has counted, and whoever is asked adds all of them up.
prometheus_client does the same, at several times the cost per request, most of all with several processes.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from vaglio.runtime.files import write_whole

__all__ = ["METRICS", "SECONDS", "Counters", "Key"]

# A metric and the values of its labels.
Key = tuple[str, ...]

# Name -> type, labels, and what it counts.
METRICS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "vaglio_requests_total": ("counter", ("route", "model", "status"), "Requests answered."),
    "vaglio_request_seconds": ("histogram", ("route",), "Time from the head of a request to its answer."),
    "vaglio_rows_total": ("counter", ("model", "route"), "Rows answered."),
    "vaglio_predictions_total": ("counter", ("model", "class"), "Rows per predicted class; no class for numbers."),
    "vaglio_missing_values_total": ("counter", ("model", "column"), "Missing values."),
    "vaglio_unseen_values_total": ("counter", ("model", "column"), "Categories that no training row has."),
    "vaglio_outside_values_total": ("counter", ("model", "column"), "Numbers outside the range of the training rows."),
    "vaglio_rows_with_missing_values_total": ("counter", ("model",), "Rows with a missing value."),
    "vaglio_rows_with_unseen_values_total": ("counter", ("model",), "Rows with a category that no training row has."),
    "vaglio_rows_with_outside_values_total": ("counter", ("model",), "Rows with a number outside the training range."),
    "vaglio_window_rows": ("gauge", ("model",), "Rows of the window that drift is measured on."),
    "vaglio_drift": ("gauge", ("model", "column", "measure"), "Distance of the window from the training rows."),
    "vaglio_drifted": ("gauge", ("model", "column"), "1 if the audit would call this column drifted, 2 if strongly."),
    "vaglio_window_predictions": ("gauge", ("model", "le"), "Rows of the window with at most this predicted number."),
    "vaglio_prediction_drift": ("gauge", ("model", "measure"), "Distance of predicted numbers from the evaluation."),
    "vaglio_prediction_drifted": ("gauge", ("model",), "1 if the predicted numbers have drifted, 2 if strongly."),
    "vaglio_reloads_total": ("counter", ("model", "outcome"), "Replaced model files: taken or refused."),
    "vaglio_log_failures_total": ("counter", (), "Times the log could not be written."),
    "vaglio_log_lines_lost_total": ("counter", (), "Lines of the log that were given up."),
    "vaglio_model_info": ("gauge", ("model", "learner", "digest"), "1 for each model that is served."),
    "process_resident_memory_bytes": ("gauge", (), "Memory of the process that was asked."),
}

# Upper ends of the classes of time.
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_TIMES = "vaglio_request_seconds"


class Counters:
    """Numbers that only grow, by metric and labels.

    Parameters
    ----------
    shared : Path, optional
        Folder of the files by which processes share what they counted.
    """

    def __init__(self, shared: Path | None = None) -> None:
        self.values: dict[Key, float] = defaultdict(float)
        self.times: dict[str, list[float]] = {}
        self.shared = shared
        self.windows: dict[str, tuple[int, list[list[int]]]] = {}
        self._written = ""

    def add(self, metric: str, count: float, *labels: str) -> None:
        """Count something.

        Parameters
        ----------
        metric : str
        count : float
        *labels : str
            The values of its labels, in their order.
        """
        self.values[(metric, *labels)] += count

    def took(self, route: str, seconds: float) -> None:
        """Count a request by the time it took."""
        times = self.times.get(route)
        if times is None:
            times = self.times[route] = [0.0] * (len(SECONDS) + 2)
        times[bisect_left(SECONDS, seconds)] += 1
        times[-1] += seconds

    # -- several processes ---------------------------------------------------------------------------------------------
    def publish(self) -> None:
        """Write the counts for the other processes, if they have changed."""
        if self.shared is None:
            return
        values = [[*key, value] for key, value in self.values.items()]
        text = json.dumps({"values": values, "times": self.times, "windows": self.windows})
        if text != self._written:
            write_whole(self.shared / f"{os.getpid()}.json", text)
            self._written = text

    def aggregate(self) -> Counters:
        """Return the counts of all processes."""
        total = Counters()
        total._add(self.values, self.times, self.windows)
        own = f"{os.getpid()}.json"
        for path in sorted(self.shared.glob("*.json")) if self.shared is not None else ():
            if path.name != own:
                told = json.loads(path.read_text(encoding="utf-8"))
                total._add({tuple(key): n for *key, n in told["values"]}, told["times"], told["windows"])
        return total

    def _add(
        self,
        values: dict[Key, float],
        times: dict[str, list[float]],
        windows: dict[str, tuple[int, list[list[int]]]],
    ) -> None:
        for key, value in values.items():
            self.values[key] += value
        for route, counts in times.items():
            self.times[route] = _sum(self.times.get(route, [0.0] * len(counts)), counts)
        for model, (rows, bins) in windows.items():
            known = self.windows.get(model)
            alike = known is not None and [len(a) for a in known[1]] == [len(b) for b in bins]
            if known is None or not alike:  # another process has not yet loaded the new file
                self.windows[model] = (rows, bins) if known is None else known
            else:
                self.windows[model] = (known[0] + rows, [[*map(int, _sum(a, b))] for a, b in zip(known[1], bins)])

    # -- the text ------------------------------------------------------------------------------------------------------
    def text(self) -> str:
        """Return the text in which Prometheus reads the counts."""
        by_metric: dict[str, list[tuple[Key, float]]] = defaultdict(list)
        for key, value in sorted(self.values.items()):
            by_metric[key[0]].append((key[1:], value))
        return "\n".join([*self._lines(by_metric), ""])

    def _lines(self, by_metric: dict[str, list[tuple[Key, float]]]) -> Iterator[str]:
        for metric, (kind, labels, help_text) in METRICS.items():
            if metric not in by_metric and not (metric == _TIMES and self.times):
                continue
            yield f"# HELP {metric} {help_text}"
            yield f"# TYPE {metric} {kind}"
            for values, number in by_metric.get(metric, ()):
                yield f"{metric}{_labels(zip(labels, values))} {number:.17g}"
            if metric == _TIMES:
                for route in sorted(self.times):
                    yield from _histogram(route, self.times[route])


def _sum(a: list[float] | list[int], b: list[float] | list[int]) -> list[float]:
    return [x + y for x, y in zip(a, b)]


def _labels(pairs: Iterable[tuple[str, str]]) -> str:
    said = ",".join(f'{name}="{_escaped(value)}"' for name, value in pairs)
    return f"{{{said}}}" if said else ""


def _escaped(value: str) -> str:
    plain = value.encode("utf-8", "replace").decode()
    return plain.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _histogram(route: str, counts: list[float]) -> Iterator[str]:
    total = 0.0
    for end, count in zip((*map(str, SECONDS), "+Inf"), counts):
        total += count
        yield f"{_TIMES}_bucket{_labels([('route', route), ('le', end)])} {total:.17g}"
    yield f"{_TIMES}_sum{_labels([('route', route)])} {counts[-1]:.17g}"
    yield f"{_TIMES}_count{_labels([('route', route)])} {total:.17g}"
