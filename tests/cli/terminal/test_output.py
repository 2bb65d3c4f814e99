"""Tables as text."""

from evomask.cli.terminal.output import hanging, in_columns


def test_the_last_column_is_wrapped_below_itself():
    lines = list(in_columns(("a", "why"), [("long name", "one two three four five six")], 36))
    assert lines == ["a          why", "long name  one two three four five", "           six"]


def test_a_narrow_terminal_still_shows_the_last_column():
    assert all(len(line) <= 30 + 24 for line in hanging("x" * 30, "word " * 20, 20))


def test_long_cells_of_other_columns_are_cut_short():
    (_, line) = in_columns(("a", "b"), [("x" * 50, "y")], 100)
    assert line == "x" * 31 + "…  y"
