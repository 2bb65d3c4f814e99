"""Arguments that no function has or can use are a sentence of evomask's own."""

import polars as pl
import pytest

import evomask

FRAME = pl.DataFrame({"age": [20, 21, 22, 23] * 10, "sex": ["f", "m"] * 20})
MDAV = evomask.Mdav(("age",), k=3)

WRONG = {
    "require is a mapping": lambda: evomask.protect(FRAME, quasi=["age"], require={"k": 5}),
    "attributes are a number": lambda: evomask.mask(FRAME, evomask.Mdav(3, k=3)),
    "attributes are one text": lambda: evomask.mask(FRAME, evomask.Mdav("age", k=3)),
    "a class of methods": lambda: evomask.mask(FRAME, evomask.Mdav),
    "no method": lambda: evomask.mask(FRAME, None),
    "the name of a method": lambda: evomask.mask(FRAME, "mdav"),
    "no frame": lambda: evomask.mask(None, MDAV),
    "an unknown argument": lambda: evomask.mask(FRAME, MDAV, quasy=["age"]),
    "a missing argument": lambda: evomask.mask(FRAME),
    "a seed of text": lambda: evomask.mask(FRAME, MDAV, seed="x"),
    "roles as a number": lambda: evomask.protect(FRAME, quasi=3),
    "roles as numbers": lambda: evomask.protect(FRAME, quasi=[1, 2]),
    "seconds as text": lambda: evomask.protect(FRAME, quasi=["age"], seconds="1"),
    "workers as truth": lambda: evomask.protect(FRAME, quasi=["age"], workers=True),
    "a limit as a list": lambda: evomask.protect(FRAME, quasi=["age"], max_risk=[3]),
    "searches as a number": lambda: evomask.protect(FRAME, quasi=["age"], searches=3),
    "a schema as a number": lambda: evomask.protect(FRAME, schema=3),
    "a window of text": lambda: evomask.RankSwapping(("age",), window="x"),
    "no path": lambda: evomask.read(None),
    "a folder": lambda: evomask.read("/"),
    "measures as a number": lambda: evomask.measure(FRAME, FRAME, quasi=["age"], measures=3),
    "frames to compare": lambda: evomask.compare(FRAME, FRAME),
    "a schema of a number": lambda: evomask.Schema(quasi=3),
    "hierarchies as a list": lambda: evomask.Schema(hierarchies=["age"]),
    "a run that is a number": lambda: evomask.load(3),
    "a search that is a number": lambda: evomask.search(3, FRAME),
}


@pytest.mark.parametrize("title", WRONG)
def test_a_wrong_argument_is_one_sentence(title):
    with pytest.raises(evomask.EvomaskError) as raised:
        WRONG[title]()
    assert "\n" not in str(raised.value)


def test_the_sentence_names_the_argument_and_what_it_must_be():
    with pytest.raises(evomask.EvomaskError, match=r"require of protect must be text, got .* dict"):
        evomask.protect(FRAME, quasi=["age"], require={"k": 5})


def test_numbers_of_other_libraries_and_iterators_fit():
    seed = pl.Series([7]).to_numpy()[0]
    masked = evomask.mask(FRAME, MDAV, seed=seed, keep=iter(["sex"]))
    assert masked["age"].value_counts()["count"].min() >= 3
