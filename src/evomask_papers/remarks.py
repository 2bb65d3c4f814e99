"""Remarks on reproductions: what differs from the printed table or figure, and why."""

from collections.abc import Mapping

from evomask_papers.row_remarks import WORKED, Rows, remark_from

HOUSING = (
    "The Housing survey is not to be had; people of Adult stand in for it, so these agree in kind."
)
FIRST_FILES = (
    "First files are of the thesis' methods and counts, with parameters of ours: Housing 110 and "
    "Adult 86 as printed, Solar flare 104, German credit 101 of 104, whose attributes have too few "
    "categories for the last of each coding. How many generations it ran is not said; ours 1,000."
)
ADULT = "Of Adult the 30,718 complete of 32,561 records are at hand, of the thesis' 48,842."
EXPECTED = (
    "Ours are expectations over all files that a matrix may make, not differences of drawn ones."
)
SAME_DRAWS = (
    "Judged as in the thesis, by five drawn files and with probabilistic linkage; but ours are the "
    "same five for all equations of a run, and its first equations are not printed."
)
MEANS = "The thesis' largest and mean of loss and risk are computed by us, and agree with its own."
TRIED = "Which k and numbers of clusters were tried is not said; ours reach 200 and 60."
DRAWN = "The paper's random files are not published; ours are drawn in its way, so sums differ."
EPOCHS = (
    "For 100 records the paper gives no number of epochs; ours has the 100,000 of 50 records. A "
    "share below 0.1 has fewer epochs than the paper, too."
)
KEPT = (
    "Ours keeps the best genome, so it converges earlier on small files; a share below 0.1 has "
    "fewer epochs, and so earlier ones."
)
GRAPHS = (
    "Twitter's graphs are not published; ours are crawled from two other networks, and links among "
    "crawled users are thinned at random to the thesis' number, where it keeps every link."
)
OUR_MEASURES = "How it measures microdata the thesis does not say; loss and risk are ours."

REMARKS: Mapping[str, str] = {
    **dict.fromkeys(WORKED, ""),
    "data-table-2.3": "The thesis may count a documented category that nobody has, and missing.",
    "data-table-2.4": "The thesis may count a documented category that nobody has, and missing.",
    "data-table-2.5": "Ours count missing values as a category.",
    "data-table-2.2": (
        "The survey is not to be had; ours are the categories of what stands in, of the first "
        "three with one that nobody holds, as the text of chapter 3 counts them."
    ),
    "masking-figure-2.4": (
        "The points are drawn and not printed; ours have its three regions and its bottom point."
    ),
    "graphs-figure-6.3": "The users are those of figure 6.5.",
    "masking-table-2.1": "Swaps are drawn: one draw among many gives the printed file.",
    "grouping": (
        "The thesis does not say how it scaled its data; ours is the fitness `thesis`, inferred "
        "from its numbers."
    ),
    "grouping-figure": (
        "The thesis draws curves without numbers and does not say how many runs it averaged; ours "
        "is one unless --runs are told. What its text says is answered."
    ),
    "grouping-figure-5.1": (
        "Seconds are another machine's, and ours remember groups that were measured before, so "
        "the speed-up is read from evaluations, 99 % of the thesis' time; it draws curves without "
        "numbers, so what its text says is answered."
    ),
    "grouping-table-2.1": "The thesis prints 1.5 where the mean of 2 and 3 is 2.5.",
    "grouping-table-3.1": (
        "Seconds are another machine's; our kernels make thousands of calls one, so some functions "
        "have no part of their own here, and the three functions that take 99 % there take less: "
        "what they call is counted beside."
    ),
    "grouping-table-a": (
        "The groupings are the thesis'; ours is the mean absolute correlation within groups, which "
        "should be larger for those that join correlated attributes."
    ),
    "files-table-3.1": "Two codes are lost in our copy of the thesis.",
    "files": (
        "The thesis cites its loss of numbers (Mateo-Sanz et al., 2005) and its risk without their "
        "formulas and scale; by ours, with intervals of ranks, even the original with permuted "
        "records scores above its best files, so falls are smaller."
    ),
    "files-table-3.2": (
        "The thesis cites both measures and prints no formulas; by neither of the two losses in "
        "the rows do scores fall as far as its own. It has two executions; more have none beside."
    ),
    "files-readings": (
        "Which reading is the thesis' cannot be told; the last row is the nearest, and how far off."
    ),
    "files-table-3.3": "Seconds are another machine's; our deviations are of fewer generations.",
    "files-figure-3.6": f"{HOUSING} {ADULT} {FIRST_FILES}",
    "files-figure-3.7": f"{HOUSING} {ADULT} {FIRST_FILES}",
    "files-figure-3.8": f"{HOUSING} {ADULT} {FIRST_FILES}",
    "files-figure-3.9": f"{HOUSING} {ADULT} {FIRST_FILES}",
    "files-figure-3.10": FIRST_FILES,
    "files-figure-3.11": FIRST_FILES,
    "files-figure-3.12": FIRST_FILES,
    "files-figure-3.13": FIRST_FILES,
    "files-attacks": (
        "The thesis states it and prints no figures. An attack is special to a method where it "
        "links more than the same distance without what is known of the method."
    ),
    "clustered": TRIED,
    "clustered-readings": (
        f"{HOUSING} The second is a guess from what the text says of the surfaces, not its "
        "algorithm."
    ),
    "clustered-table-5.1": f"{HOUSING} {TRIED}",
    "clustered-table-5.3": f"{HOUSING} {TRIED}",
    "clustered-figure-5.1": f"{HOUSING} {TRIED}",
    "clustered-figure-5.2": f"{HOUSING} {TRIED}",
    "clustered-figure-5.3": f"{HOUSING} {TRIED}",
    "clustered-figure-5.4": f"{HOUSING} {TRIED}",
    "clustered-figure-5.5": f"{TRIED}",
    "clustered-figure-5.6": f"{TRIED}",
    "clustered-figure-5.10": f"{HOUSING} {TRIED}",
    "partition": DRAWN,
    "partition-table-2": f"{DRAWN} {EPOCHS}",
    "partition-table-3": f"{DRAWN} {KEPT}",
    "partition-table-4": f"{DRAWN} {KEPT}",
    "partition-table-5": (
        f"{DRAWN} {EPOCHS} Which error its tests take is not said; both are in the rows."
    ),
    "partition-figure-2": f"{DRAWN} {KEPT}",
    "partition-figure-3": f"{DRAWN} {KEPT}",
    "partition-figure-4": f"{DRAWN} {EPOCHS}",
    "partition-hybrid-figure-1": "The paper prints no coordinates; ours have its two partitions.",
    "partition-hybrid-figure-2": (
        "The paper prints neither its points nor their number; ours are 160 of its kind Clustered."
    ),
    "partition-hybrid-table-2": (
        "Scattered and Clustered are drawn in the paper's way; how far its groups were shifted is "
        "not printed. But for Scattered with K = 12 (83 and 83) its counts of macrogroups in two "
        "steps are more than records can fill (360 groups of three on Census make 90, not 91): an "
        "empty last one seems to be counted."
    ),
    "partition-variable-sizes": (
        "The paper announces it; its figures are quoted from other work. The hybrid has our search "
        "inside macrogroups, not the paper's."
    ),
    "partition-locations": (
        "The paper leaves it to future work, so there is nothing beside ours. The hybrid has our "
        "search inside macrogroups."
    ),
    "pram": (
        "Judged as in the thesis, by five drawn files and with probabilistic linkage; its scale of "
        "1,000 records is older, so falls compare and values do not."
    ),
    "equations-figure-4.14": "Ours keeps functions before their operands and begins at the end.",
    "equations-figure-4.15": (
        "The steps are lost in our copy of the thesis; ours come from the other end of the vector."
    ),
    "pram-figure-4.4": f"{HOUSING} Judged as in the thesis; falls compare and values do not.",
    "pram-figure-4.5": f"{HOUSING} Judged as in the thesis; falls compare and values do not.",
    "pram-figure-4.10": f"{HOUSING} {EXPECTED}",
    "pram-figure-4.11": f"{HOUSING} {EXPECTED}",
    "pram-figure-4.12": f"{HOUSING} {EXPECTED}",
    "pram-figure-4.13": (
        f"{HOUSING} The mean of five drawn files; how many the thesis drew is not said."
    ),
    "pram-table-4.1": "One cell is cut off in print where the others are rounded.",
    "pram-table-4.2": "What stands in for Housing is cut to these frequencies.",
    "pram-table-4.3": f"{HOUSING} Judged as in the thesis; falls compare and values do not.",
    "pram-table-4.6": f"{HOUSING} Many matrices are as good; most mass leaves the diagonal.",
    "pram-table-4.7": HOUSING,
    "pram-table-4.8": (
        "The thesis reads ratios along rows of a matrix where it "
        "defines them along columns; ours are read along rows, and by the definition. SCH is "
        "another attribute here."
    ),
    "pram-table-4.9": "As Table 4.8; METRO is another attribute here.",
    "pram-table-4.10": "As Table 4.8.",
    "pram-table-4.11": "As Table 4.9.",
    "equations": SAME_DRAWS,
    "equations-table-4.12": f"{SAME_DRAWS} {MEANS}",
    "equations-table-4.13": f"{SAME_DRAWS} {MEANS}",
    "equations-table-4.14": f"{HOUSING} {SAME_DRAWS} {MEANS}",
    "equations-figure-4.18": f"{HOUSING} {SAME_DRAWS}",
    "generalization": (
        "The paper gives the heights of its trees and not the trees; with ours the exact fronts "
        "are others."
    ),
    "generalization-table-1a": "Ours are of the complete records.",
    "generalization-guided": "Ours; there is nothing in the paper beside it.",
    "graphs": (
        f"{GRAPHS} Foursquare has 4 cities, of which ours hold 1 and 2, and hundreds of topics; "
        "Sinanet has 10 topics and places that are drawn at random; the thesis has 18 topics. It "
        "prints curves without numbers: the statements of its text are checked."
    ),
    "graphs-figure-6.9": GRAPHS,
    "graphs-figure-6.14": f"{GRAPHS} {OUR_MEASURES}",
    "graphs-figure-6.15": f"{GRAPHS} {OUR_MEASURES}",
}
"""Remarks by prefix of a name; the longest matching prefix is used. What a run gave is not typed
here: `row_remarks` computes it."""

LEFT_OUT: Mapping[str, str] = {
    "bounds on false matches and false non-matches of probabilistic linkage (Marés, 2.4.2)": (
        "the thesis names them and no values; ours links every record to its most likely one"
    ),
    "a stop when the population's diversity is below a threshold (Marés, 2.1.2)": (
        "`--equal-means` stops when the population's mean no longer changes"
    ),
    "a number of mutations drawn from a Poisson distribution (Marés, 2.1.2)": (
        "named as a possibility, used by none of its algorithms"
    ),
    "masks of Census by lossy compression (QJ; Marés, 3.5)": (
        "the thesis calls their details irrelevant and gives none"
    ),
    "parents by equation (3.3) as printed, as an option of `search files` (Marés)": (
        "it prefers worse files; `files-readings` has it"
    ),
    "figures 2.1 and 3.3 to 3.5 of the grouping thesis": "pictures of operators without data",
    "figures 2.1 to 2.3 (Marés)": "pictures of crossovers without data",
    "figures 6.4 and 6.5 (Marés)": (
        "the users of 6.5 stand in 6.3 and 6.6 to 6.8; 6.4 is a picture of the method"
    ),
}
"""What the papers have and evomask has not, and why."""


def remark_on(name: str, rows: Rows = ()) -> str:
    """Return the remark on a reproduction, completed from its rows."""
    fitting = [start for start in REMARKS if _begins(name, start)]
    general = REMARKS[max(fitting, key=len)] if fitting else ""
    return f"{general} {remark_from(name, rows)}".strip()


def _begins(name: str, start: str) -> bool:
    rest = name.removeprefix(start)
    return name.startswith(start) and not (start[-1].isdigit() and rest[:1].isdigit())
