"""Every numbered table and figure with data of the five papers, listed from their texts.

Left out: schematic pictures and algorithms, Table 1.1 of the thesis on grouping (symbols), and its
chapter 6 (salaries and schedule of the project).
"""

import json

import pytest

from evomask_papers import row_remarks
from evomask_papers.catalogue import REPRODUCTIONS, full_name
from evomask_papers.page import Asked, Entry, entry_of, page, spent_share
from evomask_papers.remarks import remark_on

GROUPING_THESIS = {
    "table": ["2.1", "3.1", "5.1", "5.2", "5.3", "5.4", "a.1", "a.2"],
    "figure": [
        "3.1", "3.2", *(f"4.{i}" for i in range(1, 12)), "5.1", *(f"b.{i}" for i in range(1, 9)),
    ],
}  # fmt: skip
PROTECTIONS_THESIS = {
    "table": [
        "2.1", "2.2", "2.3", "2.4", "2.5", "3.1", "3.2", "3.3", *(f"4.{i}" for i in range(1, 16)),
        "5.1", "5.2", "5.3", "6.1",
    ],
    "figure": [
        "2.4", *(f"3.{i}" for i in range(1, 14)), *(f"4.{i}" for i in range(1, 21)),
        *(f"5.{i}" for i in range(1, 11)), "6.2", "6.3", *(f"6.{i}" for i in range(6, 16)),
    ],
}  # fmt: skip
HYBRID = {"table": ["1", "2"], "figure": ["1", "2"]}
GENETIC = {"table": ["1", "2", "3", "4", "5"], "figure": ["1", "2", "3", "4"]}
GENERALIZATION = {"table": ["1a", "1b", "2a", "2b"], "figure": ["1", "2", "3"]}

PAPERS = [
    (("grouping",), GROUPING_THESIS),
    (
        ("data", "masking", "files", "pram", "equations", "clustered", "graphs"),
        PROTECTIONS_THESIS,
    ),
    (("partition-hybrid",), HYBRID),
    (("partition",), GENETIC),
    (("generalization",), GENERALIZATION),
]


@pytest.mark.parametrize(("rooms", "printed"), PAPERS, ids=[rooms[0] for rooms, _ in PAPERS])
def test_every_numbered_table_and_figure_is_in_the_list(evomask, rooms, printed):
    listed = json.loads(evomask("reproduce", "--list", "--json").out)
    missing = [
        f"{kind} {number}"
        for kind, numbers in printed.items()
        for number in numbers
        if not any(f"{room}-{kind}-{number}" in listed for room in rooms)
    ]
    assert missing == []


def test_every_entry_says_what_differs():
    computed = row_remarks.REMARKS
    assert [n for n in REPRODUCTIONS if not remark_on(n) and n not in computed] == []


def test_the_remark_on_one_number_is_not_that_on_a_longer_one():
    rows = [{"paper": "0011", "ours": "0011"}]
    assert remark_on("pram-figure-4.1", rows).endswith("Nothing differs.")
    assert remark_on("pram-figure-4.12", rows) == remark_on("pram-figure-4.11")
    assert "differs" not in remark_on("pram-figure-4.12", rows)


def test_a_name_may_be_written_with_dashes():
    assert full_name("graphs-figure-6-9") == "graphs-figure-6.9"
    assert full_name("partition-table-1") == "partition-table-1"


class TestThePageOfAll:
    def test_an_entry_has_rows_with_paper_beside_ours(self):
        entry, charts = entry_of("graphs-figure-6.6", Asked(1), clock=lambda: 0.0)
        assert charts == []
        assert entry.rows == [{"what": "AAMIL, location", "paper": 0.5, "ours": 0.5}]

    def test_what_cannot_be_made_is_told_in_its_place(self, monkeypatch, tmp_path):
        monkeypatch.setenv("EVOMASK_DATA", str(tmp_path))
        entry, _ = entry_of("data-table-2.4", Asked(1), clock=lambda: 0.0)
        assert entry.failure
        assert f"Not made: {entry.failure}." in page([entry])

    def test_the_share_that_was_spent_is_told(self):
        assert spent_share("partition-table-1", 0.2) == 1.0
        assert spent_share("files-table-3.2", 0.2) == 0.2
        assert spent_share("files-table-3.2", None) == 1.0
        assert spent_share("generalization-table-1b", 0.1) == 0.1
        assert spent_share("generalization-table-1b", None, 5) == 0.25
        entry = Entry("x", "Sums.", "Nothing differs.", 0.25, 3.0, [{"a": 1.0, "b": None}], [])
        text = page([entry])
        assert "Sums. Share 0.25, 3.0 s. Nothing differs." in text
        assert "| 1.00 | - |" in text

    def test_how_many_had_the_whole_effort_is_told(self):
        half = Entry("x", "Sums.", "Nothing differs.", 0.5, 1800.0, [], [])
        whole = Entry("y", "Sums.", "Nothing differs.", 1.0, 3600.0, [], [])
        assert "1 with the papers' whole effort, 1 with a share of 0.5 to 0.5" in page(
            [half, whole]
        )
        assert "1 entries, 60 minutes of one processor, all with the papers'" in page([whole])

    def test_a_folder_keeps_what_was_made_and_what_is_said_of_it_is_taken_anew(
        self, evomask, tmp_path
    ):
        words = ("reproduce", "graphs-figure-6.6", "--all", "--out", tmp_path, "--json")
        first = json.loads(evomask(*words).out)["rows"]
        assert [row["name"] for row in first] == ["graphs-figure-6.6"]
        kept = tmp_path / "graphs-figure-6.6.json"
        told = json.loads(kept.read_text(encoding="utf-8"))
        rows = [{"what": "kept", "paper": 1, "ours": 1}]
        changed = {**told, "remark": "old", "summary": "old", "rows": rows}
        kept.write_text(json.dumps(changed), encoding="utf-8")
        again = json.loads(evomask(*words).out)["rows"][0]
        assert again["rows"] == rows
        assert (again["remark"], again["summary"]) == (told["remark"], told["summary"])
        assert "kept" in (tmp_path / "reproduction.md").read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("asked", "kept"),
        [
            (Asked(), True),
            (Asked(share=0.5), True),
            (Asked(share=0.2), False),
            (Asked(seed=7), True),
            (Asked(seed=8), False),
            (Asked(runs=3), True),
            (Asked(runs=4), False),
        ],
    )
    def test_what_was_made_is_kept_only_where_it_answers_what_is_asked(self, asked, kept):
        entry = Entry("files-table-3.2", "", "", 0.5, 1.0, [], [], seed=7, runs=3)
        assert asked.answered_by(entry) is kept

    def test_what_is_exact_answers_any_seed_and_share(self):
        entry = Entry("partition-table-1", "", "", 1.0, 1.0, [], [])
        assert Asked(seed=8, share=0.1, runs=9).answered_by(entry)

    def test_an_entry_of_another_share_is_made_again(self, evomask, reference, tmp_path):
        reference("uci/german_credit.csv")
        words = ("reproduce", "clustered-figure-5.7", "--all", "--out", tmp_path, "--json")
        for share in (0.2, 0.4):
            (row,) = json.loads(evomask(*words, "--share", share).out)["rows"]
            assert row["share"] == share
        (row,) = json.loads(evomask(*words).out)["rows"]
        assert row["share"] == 0.4

    def test_runs_are_handed_on_to_all_and_noted_where_there_are_none(self, evomask, reference):
        reference("casc/census.csv")
        answer = evomask(
            "reproduce", "grouping-figure-b.1", "--all", "--share", 0.02, "--runs", 2, "--json"
        )
        (row,) = json.loads(answer.out)["rows"]
        assert row["runs"] == 2
        assert "Means of 2 runs" in row["readings"][0]
        told = evomask("reproduce", "graphs-figure-6.6", "--all", "--runs", 2)
        assert "graphs-figure-6.6 averages no runs" in told.err

    def test_seed_and_runs_that_were_asked_for_are_told(self):
        entry = Entry("x", "Sums.", "Nothing differs.", 0.5, 3.0, [], [], seed=7, runs=2)
        assert "Sums. Share 0.5, seed 7, runs 2, 3.0 s. Nothing differs." in page([entry])

    def test_a_damaged_entry_is_one_sentence(self, evomask, tmp_path):
        (tmp_path / "graphs-figure-6.6.json").write_text("{", encoding="utf-8")
        answer = evomask("reproduce", "graphs-figure-6.6", "--all", "--out", tmp_path)
        assert answer.code == 1
        assert "delete it to continue" in answer.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("files-table-3.2", "cites both measures"),
        ("files-figure-3.6", "German credit 101 of 104"),
        ("files-figure-3.6", "32,561"),
        ("files-figure-3.10", "First files"),
        ("pram-figure-4.12", "expectations"),
        ("pram-table-4.3", "Housing"),
        ("equations-figure-4.18", "same five"),
        ("grouping-figure-5.1", "machine"),
        ("generalization-table-1a", "complete records"),
        ("clustered-table-5.3", "Housing"),
        ("partition-table-2", "For 100 records the paper gives no number of epochs"),
        ("partition-table-4", "keeps the best genome"),
        ("partition-hybrid-table-2", "But for Scattered with K = 12 (83 and 83)"),
        ("partition-variable-sizes", "our search inside macrogroups"),
        ("graphs-figure-6.12", "thinned at random to the thesis' number"),
        ("graphs-figure-6.14", "loss and risk are ours"),
    ],
)
def test_a_remark_says_what_differs_there(name, words):
    assert words in remark_on(name)
