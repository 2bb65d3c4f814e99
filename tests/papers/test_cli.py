import json

from evomask_papers.catalogue import REPRODUCTIONS, summary_of


def test_the_list_says_what_each_table_shows(evomask):
    told = json.loads(evomask("reproduce", "--list", "--json").out)
    assert told == {name: summary_of(name) for name in REPRODUCTIONS}
    assert all(told.values())


def test_an_unknown_table_is_one_sentence(evomask):
    answer = evomask("reproduce", "grouping-table-9.9")
    assert answer.code == 1
    assert "no reproduction is called 'grouping-table-9.9'" in answer.err


def test_a_figure_is_written_with_its_rows(evomask, reference, tmp_path):
    reference("casc/census.csv")
    words = ("reproduce", "grouping-figure-b.1", "--share", 0.02, "--out", tmp_path, "--json")
    told = json.loads(evomask(*words).out)
    assert {row[0] for row in told["rows"]} == {
        "cross", "create", "eliminate", "split", "swap", "move",
    }  # fmt: skip
    assert (tmp_path / "operators-utilization.svg").exists()


def test_a_figure_is_read_to_a_person(evomask, reference):
    reference("uci/german_credit.csv")
    told = evomask("reproduce", "clustered-figure-5.7", "--share", 0.2).out
    assert "the smaller k, the less loss and the more risk. Ours: yes" in told
    assert "Share 0.2 of the paper's effort." in told


def test_runs_that_change_nothing_are_noted(evomask):
    answer = evomask("reproduce", "graphs-figure-6.6", "--runs", 3)
    assert "graphs-figure-6.6 averages no runs, so --runs changes nothing" in answer.err
    assert "Share 1 of the paper's effort." in answer.out


def test_it_says_what_it_makes_unless_quiet(evomask):
    name = "equations-table-9.9"
    assert f"making {name} again" in evomask("reproduce", name).err
    assert "making" not in evomask("reproduce", name, "--quiet").err
