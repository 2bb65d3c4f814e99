"""Every verdict of the page of reproductions: one case in which it is yes, one in which it is no.

Numbers that a claim names outside of parentheses are tested; conditions, such as a k, a generation
and a rank of a figure, are listed here and are no results.
"""

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import evomask_papers
from evomask_papers.claims import Claim, Named
from evomask_papers.grouping import claims as grouping

ROOT = Path(__file__).parents[2]
GROUP, FINE = grouping.GROUP, grouping.FINE


class Stub:
    """Operators whose aspects are given by name; generations are ignored but for late ones."""

    def __init__(self, late=None, **values):
        self.values, self.late = values, late or {}

    def _of(self, aspect, name, first):
        values = self.late if first > 20 and aspect in self.late else self.values
        found = values[aspect]
        return found[name] if isinstance(found, dict) else found

    def __getattr__(self, aspect):
        if aspect not in ("unused", "lived", "improved", "gained", "gained_mostly"):
            raise AttributeError(aspect)
        return lambda name, first=1, last=None: self._of(aspect, name, first)

    def gained_at_best(self, name):
        return self._of("gained_at_best", name, 1)

    def each(self, part, names, first, last=None):
        return {name: part(name, first, last) for name in names}


def values(group, fine, cross):
    return {**dict.fromkeys(GROUP, group), **dict.fromkeys(FINE, fine), "cross": cross}


ENDS = {"cross": 1.2, "create": 1.01, "eliminate": 1.1, "split": 1.2, "swap": 1.2, "move": 1.2}

CASES = {
    "figure_4_1": (
        (Stub(unused=values(99, 90, 70)),),
        (Stub(unused=values(99, 90, 95)),),
    ),
    "figure_4_2": (
        (Stub(unused=values(100, 40, 75)),),
        (Stub(unused=values(100, 40, 60)),),
    ),
    "figure_4_3": (
        (Stub(lived=5.0, late={"lived": 1.0}),),
        (Stub(lived=5.0, late={"lived": 3.0}),),
    ),
    "figure_4_4": (
        (Stub(lived=values(0, 1, 2.5)),),
        (Stub(lived=values(0, 1, 4)),),
    ),
    "figure_4_5": (
        (Stub(improved=20.0, late={"improved": 0.0}),),
        (Stub(improved=20.0, late={"improved": 1.0}),),
    ),
    "figure_4_6": (
        (Stub(improved=values(0, 3, 5)),),
        (Stub(improved=values(0, 3, 20)),),
    ),
    "figure_4_7": (
        (Stub(gained={**values(4, 4, 4), "create": 19}),),
        (Stub(gained={**values(4, 4, 4), "create": 12}),),
    ),
    "figure_4_8": (
        (Stub(gained_mostly=10.0, gained=0.0, gained_at_best=2.0),),
        (Stub(gained_mostly=4.1, gained=0.0, gained_at_best=2.0),),
    ),
    "best_costs": ((ENDS, 25), ({**ENDS, "create": 1.3}, 25)),
    "figure_b_1": ((Stub(unused=99),), (Stub(unused=50),)),
    "figure_b_2": ((Stub(lived=0.0),), (Stub(lived=1.0),)),
    "figure_b_3": (
        (Stub(improved=20.0, late={"improved": 0.0}),),
        (Stub(improved=20.0, late={"improved": 1.0}),),
    ),
    "figure_b_4": ((Stub(gained=60), Stub(gained=20)), (Stub(gained=10), Stub(gained=20))),
    "figure_b_5": ((Stub(unused=80), Stub(unused=99)), (Stub(unused=99), Stub(unused=99))),
    "figure_b_6": (
        (Stub(lived={"create": 0, "eliminate": 2, "split": 2, "cross": 2}),),
        (Stub(lived={"create": 3, "eliminate": 2, "split": 2, "cross": 2}),),
    ),
    "figure_b_7": (
        (Stub(improved=10, late={"improved": 5}), Stub(improved=20, late={"improved": 0})),
        (Stub(improved=30, late={"improved": 5}), Stub(improved=20, late={"improved": 0})),
    ),
    "figure_b_8": ((Stub(gained=10), Stub(gained=20)), (Stub(gained=30), Stub(gained=20))),
    "figure_4_11": (
        ({"Water-treatment": [9.0] * 30 + [2.0] * 50, "Census": [9.0] * 20 + [2.0] * 60},),
        ({"Water-treatment": [9.0] * 50 + [2.0] * 30, "Census": [9.0] * 20 + [2.0] * 60},),
    ),
}  # fmt: skip
"""Of the grouping thesis: arguments with which a claim holds, and with which it does not."""

ELSEWHERE = {
    "evomask_papers.files.claims": "tests/papers/test_files.py",
    "evomask_papers.clustered": "tests/papers/test_clustered.py",
    "evomask_papers.pram.equations": "tests/papers/test_pram.py",
    "evomask_papers.pram.matrices": "tests/papers/test_pram.py",
    "evomask_papers.pram.invariance": "tests/papers/test_pram.py",
}
"""Modules whose verdicts have both cases in another file."""

CONDITIONS = re.compile(
    r"\([^)]*\)|k = \d+|generations? \d+|from \d+ to \d+|after \d+|the 25th|"
    r"\b20 on Census|30 on Water"
)
"""What is no result: numbers beside, and the circumstances of a claim."""

LIMITS = {"figure_4_7": {"5"}, "figure_4_4": {"2", "3"}, "figure_4_11": set()}
"""Numbers of a claim that are a bound or a range."""


def claim_of(name, case):
    more = {"few": False} if name == "best_costs" else {}
    return getattr(grouping, name)(*CASES[name][case], **more)


def verdicts():
    """Every function of the package that gives a claim, by its module."""
    found = {}
    for module in pkgutil.walk_packages(evomask_papers.__path__, "evomask_papers."):
        loaded = import_module(module.name)
        names = {
            name
            for name, function in inspect.getmembers(loaded, inspect.isfunction)
            if function.__module__ == module.name
            and inspect.signature(function).return_annotation in (Claim, "Claim")
            and not name.startswith("_")
        }
        if names:
            found[module.name] = names
    return found


def test_every_verdict_is_listed():
    found = verdicts()
    assert found.pop("evomask_papers.grouping.claims") == set(CASES)
    assert found.keys() == ELSEWHERE.keys()


@pytest.mark.parametrize("module", ELSEWHERE)
def test_a_verdict_tested_elsewhere_is_called_there(module):
    text = (ROOT / ELSEWHERE[module]).read_text(encoding="utf-8")
    assert [name for name in verdicts()[module] if f"{name}(" not in text] == []


@pytest.mark.parametrize("name", CASES)
def test_a_verdict_can_be_yes_and_no(name):
    assert claim_of(name, 0).holds
    assert not claim_of(name, 1).holds


@pytest.mark.parametrize("name", CASES)
def test_a_claim_tests_every_number_that_it_names(name):
    claim = claim_of(name, 0)
    named = set(re.findall(r"\d+(?:\.\d+)?", CONDITIONS.sub("", claim.paper)))
    tested = {f"{number.printed:g}" for number in claim.named} | LIMITS.get(name, set())
    assert named <= tested


def test_a_number_too_far_from_the_printed_one_makes_it_no():
    near, far = (
        Claim("10 %", agrees=True, ours={"x": x}, named=(Named(10, x, 5),)) for x in (14.0, 4.1)
    )
    assert (near.holds, far.holds) == (True, False)
    assert "Ours: no, x 4.1" in far.told
