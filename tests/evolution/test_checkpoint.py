from io import BytesIO

import numpy as np
import pytest

from evomask.errors import RunError
from evomask.evolution.archive import Best, Front
from evomask.evolution.checkpoint import StateCodec, read_state, write_state
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


def codec_of(problem, archive):
    return StateCodec(problem.pack, problem.unpack, archive)


def written(state, codec):
    file = BytesIO()
    write_state(file, state, codec)
    return file.getvalue()


def test_a_state_saved_and_loaded_equals_the_original(case):
    problem, scheme, archive = case
    state, codec = run(problem, scheme, archive, 9), codec_of(problem, archive)
    loaded = read_state(BytesIO(written(state, codec)), codec)
    assert loaded == state
    assert genomes(problem, loaded) == genomes(problem, state)


def test_the_same_state_gives_the_same_bytes(case):
    problem, scheme, archive = case
    codec = codec_of(problem, archive)
    first, second = (written(run(problem, scheme, archive, 5), codec) for _ in range(2))
    assert first == second


def test_a_state_before_the_first_generation_can_be_saved():
    codec = codec_of(OneMax(), State().archive)
    assert read_state(BytesIO(written(State(), codec)), codec) == State()


def test_a_torn_file_is_an_error():
    codec = codec_of(OneMax(), Best())
    torn = written(State(), codec)[:-40]
    with pytest.raises(RunError, match=r"damaged or incomplete"):
        read_state(BytesIO(torn), codec)


def test_a_genome_of_python_objects_is_not_pickled():
    state = run(OneMax(), MutateOrCross(), Best(), 1)
    codec = StateCodec(lambda genome: {"it": np.array([object()])}, OneMax().unpack, Best())
    with pytest.raises(ValueError, match=r"[Oo]bject arrays"):
        written(state, codec)


def test_an_unknown_format_is_refused(monkeypatch):
    codec = codec_of(OneMax(), Best())
    monkeypatch.setattr("evomask.evolution.checkpoint.FORMAT", 99)
    content = written(State(), codec)
    monkeypatch.undo()
    with pytest.raises(RunError, match="format 99"):
        read_state(BytesIO(content), codec)
