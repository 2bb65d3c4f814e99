"""Following a journal as it grows: half lines wait, rounds that are gone over again count once."""

import json

from evomask.runs.store.journal import (
    CandidateScore,
    JournalFollower,
    NoteAdded,
    Phase,
    PhaseStarted,
    PointUpdate,
    RoundFinished,
    RunEnded,
    RunOutcome,
    RunProgress,
)

POINT = PointUpdate(1, "design", "noise", 20.0, 30.0)


def turn(number, *tried, front=None, before=None):
    files = number + 1
    return RoundFinished(
        number, "design", files, 0.1 * files, files, 9.0, {"design": 100.0}, 1, front, tried, before
    )


def written(event):
    import msgspec

    return json.dumps(msgspec.to_builtins(event)).encode() + b"\n"


def test_a_journal_is_read_as_it_grows(tmp_path):
    journal, follower = tmp_path / "journal.jsonl", JournalFollower(tmp_path)
    assert not follower.look()
    journal.write_bytes(written(PhaseStarted(Phase.SEARCHING, "searching")))
    assert follower.look()
    assert follower.course.phase == "searching"
    line = written(turn(0, CandidateScore(20.0, 30.0, "noise"), front=(POINT,), before=99.0))
    with journal.open("ab") as file:
        file.write(line[:40])
    follower.look()
    assert follower.course.files == 0
    with journal.open("ab") as file:
        file.write(line[40:] + b'{"generation": 1, "seconds": 2}\nno json\n')
    follower.look()
    assert follower.course.files == 1
    assert follower.course.before == 99.0
    assert follower.course.front == (POINT,)
    assert not follower.look()


def test_rounds_that_are_gone_over_again_count_once():
    course = RunProgress()
    for event in (
        turn(0, CandidateScore(1.0, 2.0)),
        turn(1, CandidateScore(3.0, 4.0)),
        turn(1, CandidateScore(3.0, 4.0)),
    ):
        course.take(event)
    assert course.tried == [CandidateScore(1.0, 2.0), CandidateScore(3.0, 4.0)]


def test_the_best_of_each_simple_method_is_told():
    course = RunProgress()
    course.take(
        turn(
            0,
            CandidateScore(9.0, 9.0),
            CandidateScore(5.0, 50.0, "PRAM"),
            CandidateScore(20.0, 30.0, "PRAM"),
        )
    )
    assert course.simple == {"PRAM": CandidateScore(20.0, 30.0, "PRAM")}


def test_a_run_that_goes_on_has_not_ended():
    course = RunProgress()
    course.take(RunEnded(RunOutcome.STOPPED))
    assert course.ended is not None
    course.take(PhaseStarted(Phase.LOADING))
    course.take(NoteAdded("a note"))
    course.take(NoteAdded("a note"))
    assert course.ended is None
    assert course.notes == ["a note"]


def test_a_journal_that_begins_anew_is_read_from_its_beginning(tmp_path):
    journal, follower = tmp_path / "journal.jsonl", JournalFollower(tmp_path)
    journal.write_bytes(written(turn(0, CandidateScore(1.0, 2.0))) * 2)
    follower.look()
    journal.write_bytes(written(RunEnded(RunOutcome.FINISHED)))
    follower.look()
    assert follower.course.tried == []
    assert follower.course.ended is not None
