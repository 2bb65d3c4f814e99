"""Random damage to every file of a run: a sentence or the right answer, never a wrong one."""

import random
import shutil

import pytest

NEVER_CHECKED = (".lock",)
CASES, ALL_CASES = 10, 500


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def damage(path, rng):
    """Flip one to three bits of a file, or cut off its end."""
    content = bytearray(path.read_bytes())
    if rng.random() < 0.7:
        for place in rng.sample(range(8 * len(content)), rng.randint(1, 3)):
            content[place // 8] ^= 1 << place % 8
    else:
        del content[rng.randrange(len(content)) :]
    path.write_bytes(content)


def is_harmless(damaged, whole):
    """Whether a journal was cut short after its release began, as a kill may leave it."""
    is_cut = damaged.name == "journal.jsonl" and whole.startswith(damaged.read_bytes())
    return is_cut and b'"phase":"releasing"' in damaged.read_bytes().rpartition(b"\n")[0]


def test_an_undamaged_run_is_whole(evomask, protection):
    assert evomask("verify", protection).code == 0


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, marks=pytest.mark.slow if number >= CASES else ())
        for number in range(ALL_CASES)
    ],
)
def test_a_damaged_file_of_a_run_is_noticed_and_never_a_traceback(evomask, protection, number):
    rng = random.Random(number)
    files = files_of(protection)
    damaged = files[number % len(files)]
    whole = damaged.read_bytes()
    damage(damaged, rng)
    verified = evomask("verify", protection)
    is_same = damaged.read_bytes() == whole or is_harmless(damaged, whole)
    if damaged.name not in NEVER_CHECKED and not is_same:
        assert verified.code == 1, damaged.name
    for words in (("choose", protection, "--point", 1), ("report", protection), ("runs",)):
        answer = evomask(*words, "--quiet")
        assert answer.code in (0, 1, 3), answer.err
        assert "Traceback" not in answer.err
        assert answer.err.count("\n") <= 1


def bits_flipped(content):
    return bytes(byte ^ 4 * (place % 200 == 5) for place, byte in enumerate(content))


def cut_short(content):
    return content[: len(content) // 3]


@pytest.mark.parametrize("damage", [bits_flipped, cut_short])
def test_a_finished_front_outlives_damage_of_its_journal(evomask, protection, damage):
    journal = protection / "journal.jsonl"
    journal.write_bytes(damage(journal.read_bytes()))
    assert evomask("verify", protection).code == 1
    answer = evomask("choose", protection, "--point", 1)
    assert answer.code == 0, answer.err
    assert ("damaged lines of journal.jsonl" in answer.err) == (damage is bits_flipped)


def test_a_finished_front_outlives_its_journal(evomask, protection):
    (protection / "journal.jsonl").unlink()
    answer = evomask("choose", protection, "--point", 1)
    assert answer.code == 0, answer.err
    assert "the journal ends before generation" in answer.err


def test_a_damaged_newest_snapshot_costs_no_more_than_itself(evomask, protection):
    (newest, *_) = sorted(protection.glob("state-*.npz"), reverse=True)
    shutil.copy(newest, newest.with_name("state-00000000.npz"))
    newest.write_bytes(newest.read_bytes()[:-50])
    assert evomask("choose", protection, "--point", 1, "--quiet").code == 0
