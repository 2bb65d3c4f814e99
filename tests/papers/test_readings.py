"""Readings of chapter 3 that its text leaves open."""

from dataclasses import fields

import numpy as np
import pytest

from evomask.evolution.individual import COSTS, Outcome, ScoreRule, Task
from evomask.evolution.loop import begin
from evomask.evolution.schemes import CROSS
from evomask.evolution.selection import inverse
from evomask_papers.effort import Effort
from evomask_papers.files import readings
from evomask_papers.files.inputs import TARRAGONA
from evomask_papers.files.readings import ANSWERS, OtherSurvival, ReadingOfText

PARENTS = (np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.int64))


def survivors(survival, children, scores):
    """Who stays of two parents, scores 10 and 20, and of two children of their crossover."""

    def first(brood, first):
        return [Outcome(g, (s, s)) for g, s in zip(PARENTS, (10.0, 20.0), strict=True)]

    state = begin(2, first, cost=COSTS[ScoreRule.MEAN])
    people = state.population
    brood = (Task(CROSS, people, 0), Task(CROSS, people[::-1], 1))
    outcomes = [
        Outcome(np.array(genome), (score, score))
        for genome, score in zip(children, scores, strict=True)
    ]
    scheme = OtherSurvival(weigh=inverse, cost=COSTS[ScoreRule.MEAN], survival=survival)
    return [member.fitness[0] for member in scheme.replace(state, brood, outcomes)]


FAR = ([1, 1, 1, 0], [0, 0, 0, 1])
"""Children that are nearer to the other parent."""


def test_a_child_competes_with_the_parent_of_its_number():
    assert survivors("own parent", FAR, (15.0, 12.0)) == [10.0, 12.0]


def test_a_child_competes_with_the_nearer_parent():
    assert survivors("nearer parent", FAR, (15.0, 12.0)) == [10.0, 15.0]
    assert survivors("nearer parent", FAR[::-1], (15.0, 12.0)) == [10.0, 12.0]


def test_the_best_two_of_four_stay():
    assert survivors("best two of four", FAR, (8.0, 9.0)) == [8.0, 9.0]


def test_every_question_has_answers_and_the_first_is_the_usual():
    assert [field.name for field in fields(ReadingOfText)] == list(ANSWERS)
    assert all(getattr(ReadingOfText(), name) == answers[0] for name, answers in ANSWERS.items())


@pytest.fixture
def _tarragona_alone(reference, monkeypatch):
    reference("casc/tarragona.csv")
    monkeypatch.setattr(readings, "CONTINUOUS", (TARRAGONA,))


def test_the_nearest_answer_to_each_question_is_kept(monkeypatch):
    wanted = ReadingOfText(**{name: answers[-1] for name, answers in ANSWERS.items()})

    def wrong_answers(reading, _):
        return sum(getattr(reading, name) != getattr(wanted, name) for name in ANSWERS)

    monkeypatch.setattr(readings, "distance_from_print", wrong_answers)
    made = list(readings.tried(Effort()))
    assert made[0] == ReadingOfText()
    assert wanted in made
    for name, answers in ANSWERS.items():
        assert {getattr(reading, name) for reading in made} == set(answers)


@pytest.mark.slow
@pytest.mark.usefixtures("_tarragona_alone")
def test_every_answer_is_tried_and_the_nearest_reading_comes_last():
    rows = readings.table_readings(share=0.002)
    for question, answers in ANSWERS.items():
        assert {row[question] for row in rows} == set(answers)
    assert rows[-1][""] == "nearest"
    assert rows[-1]["points off"] == min(row["points off"] for row in rows)
    assert all(f"{TARRAGONA} fall paper" in row for row in rows)


@pytest.mark.usefixtures("_tarragona_alone")
def test_risks_and_losses_of_readings_are_others():
    effort = Effort(1, 0.001)
    usual = readings.followed(TARRAGONA, ReadingOfText(), effort).first
    for question in ("loss", "risk"):
        for answer in ANSWERS[question][1:]:
            other = readings.followed(TARRAGONA, ReadingOfText(**{question: answer}), effort).first
            assert other != usual
            assert all(0 <= value <= 100 for pair in other for value in pair)
