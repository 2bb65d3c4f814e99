"""Keyed pseudonyms for values of a frame: `pseudonyms`."""

from collections.abc import Iterable
from pathlib import Path

from evomask.api.arguments import checked


@checked
def pseudonyms(
    values: Iterable[object], key: str | Path, *, project: str, release: str = ""
) -> list[str | None]:
    """Return a keyed pseudonym of each value: HMAC-SHA256, cut to 128 bits, in hexadecimal.

    Args:
        values: identifiers such as a column of a frame; missing values stay missing.
        key: path of a file with the secret key, which only its owner can read.
        project: name of the project; another project has other pseudonyms.
        release: name of the release, if pseudonyms of two releases must not be linked.

    The same value has the same pseudonym in all tables of a project. Without the key, neither the
    value nor the link to another project can be derived.

    Example:
        from pathlib import Path

        import evomask

        key = Path("secret.key")
        key.write_text("5f0c9a1d" * 8)
        key.chmod(0o600)
        people = evomask.read("survey.csv")
        codes = evomask.pseudonyms(people["person"], key, project="panel")
        assert codes == evomask.pseudonyms(people["person"], key, project="panel")
        assert codes != evomask.pseudonyms(people["person"], key, project="register")
    """
    from evomask.data.pseudonyms import PseudonymKey
    from evomask.runs.store.signature import read_secret

    texts = ["" if value is None or value != value else str(value) for value in values]  # noqa: PLR0124
    made = PseudonymKey(read_secret(Path(key)), project, release.encode()).pseudonyms(texts)
    return [code or None for code in made]
