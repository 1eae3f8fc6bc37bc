"""How Sphinx builds the site; ``make docs`` calls it. The pages load nothing from the network."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]

from vaglio._version import __version__  # noqa: E402

project = "vaglio"
author = "The vaglio developers"
copyright = "The vaglio developers, BSD 3-Clause"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "mathml",
    "learner_facts",
    "benchmark_tables",
    "benchmark_growth",
    "gallery",
    "notebook",
]
exclude_patterns = ["_extensions"]
nitpicky = True
# Types in prose ("array-like", "Table or path") are no references, and the inventories of other libraries are on the
# network, which the build must not need.
nitpick_ignore_regex = [(r"py:.*", r"(sklearn|numpy|pandas|scipy|pyarrow|matplotlib)\..*")]

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
# Other schemes would turn text such as `name:value` into links.
myst_url_schemes = ["http", "https", "mailto"]

# One class or function is documented in one place, under its public name.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, Exception, tuple, object",
    # What scikit-learn adds to every estimator.
    "exclude-members": "get_metadata_routing, set_output, set_fit_request, set_score_request, "
    "set_partial_fit_request, set_predict_request",
}
numpydoc_show_class_members = False

html_theme = "furo"
# Without the commit, which would break the line of the heading.
html_title = f"vaglio {version.partition('+')[0]}"
html_static_path = ["_static"]
html_css_files = ["vaglio.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#00568a", "color-brand-content": "#00568a"},
    "dark_css_variables": {"color-brand-primary": "#7cc4f0", "color-brand-content": "#7cc4f0"},
}
