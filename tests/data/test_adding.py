"""Parts joined as they come: the same as all at once, with little waiting."""

from evomask.data.adding import added_up


def merged(parts):
    return sorted({value for part in parts for value in part})


def test_what_comes_of_parts_is_what_comes_of_all_at_once():
    parts = [[i % 7, i % 5] for i in range(40)]
    assert added_up(iter(parts), merged) == merged(parts)


def test_no_more_waits_than_twice_what_is_known():
    most = []

    def join(parts):
        most.append(sum(map(len, parts)))
        return merged(parts)

    added_up(([i % 10] for i in range(1000)), join)
    assert max(most) <= 2 * 10 + 1


def test_of_no_parts_nothing_comes():
    assert added_up(iter(()), merged) is None
