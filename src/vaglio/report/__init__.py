"""A study as one HTML page, in two steps that know nothing of each other: study -> summary (plain data) -> page."""

from vaglio.report.exploration import exploration_summary
from vaglio.report.limits import DEFAULT_LEARNERS, judging_options
from vaglio.report.rendering import exploration_html, render_html, report_html, write_report
from vaglio.report.summary import summarize_study

__all__ = [
    "DEFAULT_LEARNERS",
    "exploration_html",
    "exploration_summary",
    "judging_options",
    "render_html",
    "report_html",
    "summarize_study",
    "write_report",
]
