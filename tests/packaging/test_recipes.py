"""The files that describe the package elsewhere say what pyproject.toml says."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA = {"matplotlib-base": "matplotlib"}
"""Names that differ in conda."""


def requirement(text):
    name, limits = re.fullmatch(r"([\w-]+)\s*(.*)", text).groups()
    return CONDA.get(name, name), limits


def test_the_conda_recipe_has_the_dependencies_of_the_package():
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    run = recipe.split("  run:\n")[1].split("\ntest:")[0]
    listed = {requirement(line) for line in re.findall(r"- (.+)", run)}
    asked = {requirement(text) for text in PROJECT["dependencies"]}
    assert listed == asked | {("python", PROJECT["requires-python"])}
    assert f'version = "{PROJECT["version"]}"' in recipe


def test_the_citation_names_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {PROJECT['version']}\n" in citation
    assert citation.count("  - type: ") == 5
