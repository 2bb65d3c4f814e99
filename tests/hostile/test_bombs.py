"""Small files that a reader would unpack to gigabytes: states of runs, graphs as XML."""

import io
import zipfile

import numpy as np
import pytest

from evomask.errors import RunError
from evomask.evolution.archive import Best
from evomask.evolution.checkpoint import StateCodec, read_state
from tests.toys import OneMax


def header(length):
    """What stands before the values of an array of so many reals."""
    file = io.BytesIO()
    about = {"descr": "<f8", "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_2_0(file, about)
    return file.getvalue()


def packed(content, how=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as members:
        members.writestr("state.npy", content)
    return file.getvalue()


def objects():
    file = io.BytesIO()
    np.savez(file, state=np.array([print], dtype=object))
    return file.getvalue()


STATES = {
    "values that unpack": lambda: packed(header(10**6) + bytes(8 * 10**6), zipfile.ZIP_DEFLATED),
    "a length that is claimed": lambda: packed(header(10**13)),
    "objects of Python": objects,
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_that_is_a_bomb_is_one_sentence(name):
    codec = StateCodec(OneMax().pack, OneMax().unpack, Best())
    with pytest.raises(RunError, match="damaged or incomplete"):
        read_state(io.BytesIO(STATES[name]()), codec)


@pytest.mark.parametrize("name", STATES)
def test_a_run_with_such_a_state_costs_its_front_and_nothing_else(evomask, protection, name):
    for state in protection.glob("state-*"):
        state.write_bytes(STATES[name]())
    assert evomask("verify", protection).code == 1
    answer = evomask("choose", protection, "--point", 1)
    assert answer.code == 1
    assert "nothing was found yet; continue with" in answer.err
    assert evomask("resume", protection, "--quiet").code == 0


LEVELS = 20
XML = {
    "entities that unpack": "".join(
        f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "x" * 1000}">' for i in range(LEVELS)
    ),
    "an entity of another file": f'<!ENTITY e{LEVELS - 1} SYSTEM "file:///etc/hostname">',
}


@pytest.mark.parametrize("ending", ["graphml", "gexf"])
@pytest.mark.parametrize("name", XML)
def test_a_graph_that_is_a_bomb_is_one_sentence(evomask, tmp_path, name, ending):
    path = tmp_path / f"graph.{ending}"
    body = f"<{ending}><graph><node id='a'>&e{LEVELS - 1};</node></graph></{ending}>"
    path.write_text(f'<?xml version="1.0"?><!DOCTYPE x [{XML[name]}]>{body}', encoding="utf-8")
    answer = evomask("graph", "extract", path, "-k", 2, "--out", tmp_path / "out.csv")
    assert answer.code == 1
    assert "cannot be read as" in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_a_graph_nested_too_deeply_is_one_sentence(evomask, tmp_path, ending):
    path, deep = tmp_path / f"graph.{ending}", 100_000
    path.write_text(f"<{ending}>" + "<a>" * deep + "</a>" * deep + f"</{ending}>")
    answer = evomask("graph", "extract", path, "-k", 2, "--out", tmp_path / "out.csv")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err


def test_a_column_of_many_thousand_categories_is_one_sentence_that_names_it(evomask, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("place\n" + "".join(f"p{i % 70_000}\n" for i in range(210_000)))
    words = ("-m", "repair", "-k", 5, "--quiet", "--out", tmp_path / "out.csv")
    answer = evomask("mask", path, "--quasi", "place", *words)
    assert answer.code == 1
    assert answer.err.startswith(
        "evomask: column 'place' has 70,000 categories, and at most 65,536"
    )
    assert answer.err.count("\n") == 1
