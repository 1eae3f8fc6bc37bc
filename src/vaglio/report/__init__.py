"""A study as one HTML page, in two steps that know nothing of each other: study -> summary (plain data) -> page."""

from vaglio.report.limits import DEFAULT_LEARNERS, judging_options
from vaglio.report.rendering import render_html, report_html, write_report
from vaglio.report.summary import summarize_study

__all__ = ["DEFAULT_LEARNERS", "judging_options", "render_html", "report_html", "summarize_study", "write_report"]
