"""Every verdict of the page of reproductions: one case in which it is yes, one in which it is no.

Numbers that a claim names outside of parentheses are tested; conditions, such as a k, a generation
and a rank of a figure, are listed here and are no results.
"""

import ast
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import evomask_papers
from evomask.evolution.individual import ScoreRule
from evomask_graphs.charts import StudyRow
from evomask_papers import clustered
from evomask_papers.claims import Claim, Named
from evomask_papers.file_study import FilesStudy, ScoreRange
from evomask_papers.files.inputs import ADULT, FLARE, GERMAN, HOUSING
from evomask_papers.grouping import claims as grouping
from evomask_papers.grouping.inputs import CENSUS, SIZES, WATER
from evomask_papers.partition.sensitivity import Trial
from evomask_papers.pram import inputs as pram
from evomask_papers.pram.invariance import BOTH, CONTROL, EVEN, SKEWED

PACKAGE = Path(evomask_papers.__file__).parent
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


def grid(value):
    """Protections whose loss is a function of k and the number of clusters, and risk its rest."""
    cells = [
        clustered.GridCell(k, c, value(k, c), 100 - value(k, c))
        for k in (2, 50, 200)
        for c in (2, 60)
    ]
    return clustered.TriedGrid(tuple(cells), 0.0)


def study(first, last, means=(30.0, 20.0)):
    scores = tuple(ScoreRange(i, 99.0, m, 1.0) for i, m in enumerate([50.0, *means]))
    return FilesStudy(first, last, scores, (), 0, 0.0, np.zeros(1))


def grouping_rows(what, plain, dynamic, census=2.0):
    """Rows of figure 5.1 by k, of both files."""
    return [
        {"set": name, "k": k, "runs": 1, "as good": int(one == other), f"GOMM {what}": one,
         f"D-GOMM {what}": other}
        for name, factor in ((CENSUS, census), (WATER, 1.0))
        for k, one, other in zip(SIZES, np.multiply(plain, factor), np.multiply(dynamic, factor),
                                 strict=True)
    ]  # fmt: skip


def trials_of(sse, epoch):
    tenths = [i / 10 for i in range(11)]
    return [Trial(m, c, 10, sse(m, c), epoch(m)) for m in tenths for c in tenths]


def network(risk, loss, risks=(1, 6, 5, 4, 3, 2), losses=(2, 3, 4)):
    """Rows of a study of graphs; each kind of risk and loss is a multiple of a value of k."""
    kinds = ("location", "topic1", "topic2", "topic3", "topics", "all")
    return [
        StudyRow(
            k,
            {**dict(zip(("AAMIL", "CDIL", "DBIL"), np.multiply(losses, loss(k)), strict=True)),
             "mean": 3 * loss(k)},
            dict(zip(kinds, np.multiply(risks, risk(k)), strict=True)),
            {"loss": loss(k), "risk": risk(k)},
        )
        for k in (2, 5, 10)
    ]  # fmt: skip


FALLING = network(lambda k: 12.0 - k, lambda k: 1.0 + 0.1 * k)
CDIL_FASTEST = network(lambda k: 12.0 - k, lambda k: 1.0 + 0.1 * k, losses=(2, 5, 4))
FLAT = network(lambda k: 1.0, lambda k: 1.0, risks=(6, 1, 1, 1, 6, 6))
MUCH_LOWER = network(lambda k: 0.5 * (12.0 - k), lambda k: 0.5 * (1.0 + 0.1 * k), losses=(2, 3, 4))
EVEN_FILES, UNEVEN_FILES = study([(10, 50)], [(30, 31)]), study([(10, 50)], [(10, 40)])
WHOLE = study([(30, 30), (50, 10)], [(29, 29)])
BY_CLUSTERS, BY_K = grid(lambda k, c: k / 100 + c), grid(lambda k, c: k / 2)
MATRICES = [9.0, 6.0, 5.0, 8.0, 7.0]
BETTER = {clustered.MICRO: 40.0, clustered.CLUSTERED_MICRO: 30.0, clustered.CLUSTERED_MEDIAN: 31.0}

OTHER_CASES = {
    "files.claims.both_fall": (
        (study([(30, 40)], [(20, 30)]),),
        (study([(30, 40)], [(20, 45)]),),
    ),
    "files.claims.pairs_fall": (
        (study([(30, 40), (20, 60)], [(25, 35), (5, 50)]),),
        (study([(30, 40), (20, 60)], [(25, 35), (30, 32)]),),
    ),
    "files.claims.one_is_better": (
        ([study([], [], (20, 19)), study([], [], (30, 29))],),
        ([study([], [], (20, 19)), study([], [], (21, 18))],),
    ),
    "files.claims.fewer_categories_less_balanced": (
        ({ADULT: EVEN_FILES, HOUSING: EVEN_FILES, GERMAN: UNEVEN_FILES, FLARE: UNEVEN_FILES},),
        ({ADULT: UNEVEN_FILES, HOUSING: EVEN_FILES, GERMAN: UNEVEN_FILES, FLARE: EVEN_FILES},),
    ),
    "files.claims.more_balanced": ((EVEN_FILES, UNEVEN_FILES), (UNEVEN_FILES, EVEN_FILES)),
    "files.claims.has_a_hole": (
        (study([(50, 10)], [(32, 30)]), WHOLE),
        (study([(50, 10)], [(50, 10)]), WHOLE),
    ),
    "clustered.directions": (
        (grid(lambda k, c: k / 10 - c / 10), "il"),
        (grid(lambda k, c: k / 10 + c / 10), "il"),
    ),
    "clustered.steeper_axis": (
        (BY_CLUSTERS, "il", clustered.CLUSTERED_MICRO),
        (BY_CLUSTERS, "il", clustered.CLUSTERED_MEDIAN),
    ),
    "clustered.faster": (
        (BY_K, grid(lambda k, c: k / 100), "il"),
        (BY_K, grid(lambda k, c: 1.05 * k / 2), "il"),
    ),
    "clustered.against": (
        (grid(lambda k, c: 20.0), grid(lambda k, c: 30.0), "dr"),
        (grid(lambda k, c: 20.0), grid(lambda k, c: 60.0), "dr"),
    ),
    "clustered.trade_off": ((0.9, -0.9), (0.9, 0.1)),
    "clustered.best_claim": (
        (GERMAN, clustered.LossOf.STATISTICS, BETTER),
        (GERMAN, clustered.LossOf.STATISTICS, {**BETTER, clustered.CLUSTERED_MICRO: 41.0}),
    ),
    "grouping.figures.time_claims": (
        (grouping_rows("seconds", (5, 4, 3, 2, 1.5), (1, 1, 1, 1, 1)), CENSUS),
        (grouping_rows("seconds", (5, 4, 3, 2, 0.9), (1, 1, 1, 1, 1), census=0.5), CENSUS),
    ),
    "grouping.figures.evaluation_claim": (
        (grouping_rows("evaluations", (5, 4, 3, 2, 1.5), (1, 1, 1, 1, 1)), CENSUS),
        (grouping_rows("evaluations", (2, 4, 3, 2, 1.5), (1, 1, 1, 1, 1)), CENSUS),
    ),
    "grouping.figures.score_claim": (
        (grouping_rows("score", (5, 4, 3, 2, 1), (5, 4, 3, 2, 1)), CENSUS),
        (grouping_rows("score", (5, 4, 3, 2, 1), (5, 4, 3, 2, 1.1)), CENSUS),
    ),
    "partition.claims.optimum_claim": (
        (trials_of(lambda m, c: 1.0 if m and c else 2.0, int), 6.83, 1.0),
        (trials_of(lambda m, c: 2.0 if m == c == 0.5 else 1.0, int), 6.83, 1.0),
    ),
    "partition.claims.growth_claim": (
        (trials_of(lambda m, c: 1.0, lambda m: round(10 * m)),),
        (trials_of(lambda m, c: 1.0, lambda m: round(10 * min(m, 0.5))),),
    ),
    "partition.claims.rates_claim": (
        (trials_of(lambda m, c: abs(m - 0.4), int), 0.4),
        (trials_of(lambda m, c: abs(m - 0.5), int), 0.4),
    ),
    "partition.hybrid.split_claim": (
        (np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0]), np.array([0, 0, 1, 0])),
        (np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])),
    ),
    "pram.equations.improved": (
        (ScoreRule.MEAN, pram.FLARE, [30.0, 29.0]),
        (ScoreRule.MEAN, pram.FLARE, [30.0, 30.0]),
    ),
    "pram.equations.balanced": (
        (pram.GERMAN, (0.0, 50.0), (30.0, 31.0)),
        (pram.GERMAN, (30.0, 31.0), (0.0, 50.0)),
    ),
    "pram.matrices.single_claim": (
        (pram.GERMAN, [(50.0, 40.0), (45.0, 10.0)]),
        (pram.GERMAN, [(50.0, 40.0), (45.0, 30.0)]),
    ),
    "pram.matrices.together_claim": (
        (pram.FLARE, [(80.0, 26.0), (35.0, 31.0)]),
        (pram.FLARE, [(80.0, 26.0), (35.0, 60.0)]),
    ),
    "pram.invariance.evolution_claim": (
        (EVEN, {BOTH: [9, 5], CONTROL: [9, 6]}),
        (EVEN, {BOTH: [9, 7], CONTROL: [9, 6]}),
    ),
    "pram.invariance.utility_claims": (
        ({EVEN: MATRICES},),
        ({EVEN: [9.0, 6.0, 3.0, 8.0, 7.0]},),
    ),
    "pram.invariance.chi_square_claims": (
        ({EVEN: MATRICES, SKEWED: [1.0, 5.0, 0.5, 3.0, 4.0]},),
        ({EVEN: [1.0, 2.0, 3.0, 2.0, 2.0], SKEWED: MATRICES},),
    ),
    "graphs.claims.loss_of_first": ((CDIL_FASTEST, FALLING), (FLAT, FALLING)),
    "graphs.claims.loss_of_second": ((MUCH_LOWER, FALLING), (FLAT[::-1], MUCH_LOWER)),
    "graphs.claims.risk_of_first": ((FALLING, FALLING), (FLAT, FALLING)),
    "graphs.claims.risk_of_second": ((MUCH_LOWER, FALLING), (FLAT, MUCH_LOWER)),
    "graphs.claims.microdata_of_first": ((FALLING, FALLING), (FLAT, FALLING)),
    "graphs.claims.microdata_of_second": ((MUCH_LOWER, FALLING), (FLAT, MUCH_LOWER)),
}  # fmt: skip
"""Of the other papers: module and function, arguments of a yes and of a no."""

MAY_HOLD = {"graphs.claims.loss_of_second": {"AAMIL is lowest for nearly all k"}}
"""Single claims of a function that hold in the case that is listed as a no."""

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


ANSWERS = "Claim", "list[Claim]"


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def calls(node):
    """Claims that a piece of code makes."""
    return [
        call
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Claim"
    ]


TREES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): ast.parse(path.read_text("utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}


def verdicts():
    """Every function of the package that gives a claim to others."""
    return {
        f"{module}.{function.name}"
        for module, tree in TREES.items()
        for function in functions(tree)
        if function.returns is not None
        and ast.unparse(function.returns) in ANSWERS
        and not function.name.startswith("_")
    }


def test_every_verdict_is_listed():
    listed = {f"grouping.claims.{name}" for name in CASES} | OTHER_CASES.keys()
    assert verdicts() == listed


def test_every_claim_is_made_by_a_function_that_returns_it():
    for module, tree in TREES.items():
        inside = {
            id(call)
            for function in functions(tree)
            if function.returns is not None and ast.unparse(function.returns) in ANSWERS
            for call in calls(function)
        }
        assert [ast.unparse(c) for c in calls(tree) if id(c) not in inside] == [], module


def test_only_claims_say_yes_or_no():
    texts = {
        (module, node.value)
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in ("yes", "no")
    }
    assert {module for module, _ in texts} == {"claims", "row_remarks"}


def outcome(name, case):
    module, _, function = name.rpartition(".")
    found = getattr(import_module(f"evomask_papers.{module}"), function)(*OTHER_CASES[name][case])
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize("name", OTHER_CASES)
def test_another_verdict_can_be_yes_and_no(name):
    assert [claim.paper for claim in outcome(name, 0) if not claim.holds] == []
    assert {c.paper for c in outcome(name, 1) if c.holds} == MAY_HOLD.get(name, set())


@pytest.mark.parametrize("name", OTHER_CASES)
def test_another_verdict_has_numbers_of_ours_and_names_none_that_it_does_not_test(name):
    for claim in outcome(name, 0):
        assert claim.ours
        named = set(re.findall(r"\d+(?:\.\d+)?", CONDITIONS.sub("", claim.paper)))
        assert named <= OTHER_LIMITS.get(name, set())


OTHER_LIMITS = {
    "partition.claims.optimum_claim": {"0"},
    "partition.claims.rates_claim": {"0.1", "0.4"},
}
"""Bounds of a condition or of what is claimed, which the verdict compares with."""


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
