# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings of the site. docs/site/build.py lays the pages and starts Sphinx; the folders come from there."""

import importlib.util
import inspect
import os
import re

project = "Wavewarp"
version = release = os.environ["WAVEWARP_SITE_VERSION"]
copyright = "the Wavewarp authors"  # noqa: A001
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "numpydoc"]
myst_heading_anchors = 4
myst_enable_extensions = []
exclude_patterns = ["*.ipynb"]
suppress_warnings = ["myst.header"]

breathe_projects = {"wavewarp": os.environ["WAVEWARP_SITE_XML"]}
breathe_default_project = "wavewarp"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
c_id_attributes = ["WW_API", "WW_API_STATUS"]

# A library that is missing here keeps no page away: its classes have no members of their own then.
autodoc_mock_imports = [
    name for name in ("torch", "sklearn", "matplotlib", "dask", "pandas") if not importlib.util.find_spec(name)
]
toc_object_entries = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_use_plots = False

html_theme = "alabaster"
html_title = f"Wavewarp {version}"
html_static_path = ["static"]
html_css_files = ["wavewarp.css"]
html_copy_source = False
html_show_sphinx = False
html_use_index = True
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_theme_options = {
    "description": "Time series that are alike, on any OpenCL device",
    "fixed_sidebar": True,
    "page_width": "1200px",
    "sidebar_width": "260px",
    "sidebar_collapse": True,
    "show_powered_by": False,
}


def plain_names(app, what, name, thing, options, lines):
    """A name that ends with "_" is an attribute of an estimator, no reference."""
    lines[:] = [re.sub(r"(?<![`\w])(\w+)_(?![`\w])", r"\1\\_", line) for line in lines]


def own_signature(app, what, name, thing, options, signature, returned):
    """That of a class's __init__, where the class's base is missing here and takes anything."""
    if what != "class" or signature != "(*args, **kwargs)":
        return None
    made = inspect.signature(thing.__init__)
    named = [value.replace(annotation=value.empty) for value in list(made.parameters.values())[1:]]
    return str(made.replace(parameters=named, return_annotation=made.empty)), returned


def setup(app):
    from pygments.lexers.special import TextLexer

    app.add_lexer("tuning", TextLexer)
    app.connect("autodoc-process-docstring", plain_names)
    app.connect("autodoc-process-signature", own_signature)
