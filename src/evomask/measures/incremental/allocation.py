"""Positions of the parts of an incremental state in its memory."""


class Allocation:
    """Allocator of positions in the two arrays of a memory."""

    def __init__(self) -> None:
        self.reals = 0
        self.wholes = 0

    def reals_for(self, size: int) -> int:
        """Reserve *size* positions for floats; return the first."""
        self.reals += size
        return self.reals - size

    def wholes_for(self, size: int) -> int:
        """Reserve *size* positions for integers; return the first."""
        self.wholes += size
        return self.wholes - size
