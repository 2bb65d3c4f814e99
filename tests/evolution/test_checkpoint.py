import numpy as np
import pytest

from evomask.errors import RunError
from evomask.evolution.archive import Best, Front
from evomask.evolution.checkpoint import load, save, write_whole
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.schemes import Archived, MutateOrCross, WinnersAndLosers
from evomask.evolution.state import State
from evomask.evolution.stopping import generations
from evomask.execution.local import InProcess
from tests.toys import LeadingOnesTrailingZeros, OneMax, Regression


def run(problem, scheme, archive, until):
    work = InProcess(Worker(problem, 2))
    first = begin(12, work, archive=archive)
    return evolve(first, scheme, work, seed=2, until=generations(until))


CASES = {
    "bits of one length": (OneMax(), MutateOrCross(turns=3), Best(2)),
    "two objectives": (LeadingOnesTrailingZeros(), Archived(), Front()),
    "trees of many lengths": (Regression(), WinnersAndLosers(6), Front()),
}


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return request.param


def genomes(problem, state):
    packed = [problem.pack(i.genome) for i in (*state.population, *state.archive.members)]
    return [{name: (a.dtype, a.tolist()) for name, a in genome.items()} for genome in packed]


def test_a_state_saved_and_loaded_equals_the_original(case, tmp_path):
    problem, scheme, archive = case
    state = run(problem, scheme, archive, 9)
    save(tmp_path / "state.npz", state, problem.pack)
    loaded = load(tmp_path / "state.npz", problem.unpack, archive)
    assert loaded == state
    assert genomes(problem, loaded) == genomes(problem, state)


def test_the_same_state_gives_the_same_bytes(case, tmp_path):
    problem, scheme, archive = case
    for name in ("a", "b"):
        save(tmp_path / name, run(problem, scheme, archive, 5), problem.pack)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_state_before_the_first_generation_can_be_saved(tmp_path):
    save(tmp_path / "state.npz", State(), OneMax().pack)
    assert load(tmp_path / "state.npz", OneMax().unpack, State().archive) == State()


def test_a_torn_file_is_an_error_naming_it(tmp_path):
    path = tmp_path / "state-7.npz"
    save(path, State(), OneMax().pack)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(RunError, match=r"state-7\.npz is not a whole state"):
        load(path, OneMax().unpack, Best())


def test_a_genome_of_python_objects_is_not_pickled(tmp_path):
    state = run(OneMax(), MutateOrCross(), Best(), 1)
    with pytest.raises(ValueError, match=r"[Oo]bject arrays"):
        save(tmp_path / "state.npz", state, lambda genome: {"it": np.array([object()])})


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(file):
        file.write(b"half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, fail)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


def test_an_unknown_format_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("evomask.evolution.checkpoint.FORMAT", 99)
    save(tmp_path / "state.npz", State(), OneMax().pack)
    monkeypatch.undo()
    with pytest.raises(RunError, match="format 99"):
        load(tmp_path / "state.npz", OneMax().unpack, Best())
