"""How Sphinx makes the site; `make site` runs it from the root of the checkout."""

import tomllib
from pathlib import Path

HERE = Path(__file__).parent
DESCRIBED = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))

project = "evomask"
author = "the evomask maintainers"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["docs/**", "decisions/**", "README.md", "ARCHITECTURE.md", "GLOSSARY.md"]
include_patterns += ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
exclude_patterns = ["**/.*", "docs/_static/**"]

myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_title = f"evomask {DESCRIBED['project']['version']}"
html_static_path = [str(HERE / "_static")]
html_css_files = ["wide.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
