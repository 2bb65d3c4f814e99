"""What a person says of a release: what a data protection assessment asks, and who decided."""

from collections.abc import Mapping

import msgspec

from evomask.errors import ParameterError


class Statement(msgspec.Struct, frozen=True):
    """What a person says of the release; empty until somebody does.

    Args:
        review: when to look at it again.
        legal_basis: on what ground the records may be released.
        recipients: who will get the file.
        safeguards: what recipients are bound to, such as a contract or a safe room.
        earlier: other files of the same people that were released before.
    """

    purpose: str = ""
    reason: str = ""
    by: str = ""
    date: str = ""
    review: str = ""
    legal_basis: str = ""
    recipients: str = ""
    safeguards: str = ""
    earlier: str = ""

    def as_json(self) -> dict[str, str]:
        """What users see of it."""
        return msgspec.structs.asdict(self)


NOTHING_SAID = Statement()


def statement_of(said: Mapping[str, str]) -> Statement:
    """A statement from its words by name; a name that is none is an error."""
    known = Statement.__struct_fields__
    for name in said:
        if name not in known:
            raise ParameterError(f"nothing is said by {name!r}; use one of {', '.join(known)}")
    return Statement(**said)
