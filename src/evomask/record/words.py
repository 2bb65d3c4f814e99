"""How a file was masked, in sentences without parameters: what anybody may know."""

GROUPS = (
    "Records were put into groups of similar ones. In every group each masked attribute has one "
    "value for all: the mean of numbers, the middle or most frequent category."
)

METHODS: dict[str, str] = {
    "microaggregation by": (
        "The masked attributes were taken a few at a time. For each few, records were put into "
        "groups of similar ones, and every group got one value: the mean of numbers, the middle "
        "or most frequent category. So values that stand in one record need not belong together."
    ),
    "microaggregation in": (
        "Records were clustered, and put into groups of similar ones within each cluster. In "
        "every group each masked attribute has the middle or most frequent category."
    ),
    "microaggregation": GROUPS,
    "Mondrian": (
        "The file was cut into regions of similar records. In every region each masked attribute "
        "has one value for all: the mean of numbers, the middle or most frequent category."
    ),
    "global median": (
        "Records were clustered and cut into regions of similar ones. A region's records have "
        "the middle category of its interval."
    ),
    "rank swapping": (
        "Values changed places with others of a near rank, one attribute at a time. Each single "
        "distribution is kept; relations between attributes are weakened."
    ),
    "PRAM": (
        "Categories were changed by chance, one attribute at a time, with fixed probabilities "
        "(post-randomisation)."
    ),
    "noise, correlated": (
        "Random noise was added to the numbers, with the correlations of the file."
    ),
    "noise": "Random noise was added to the numbers, to each attribute on its own.",
    "global recoding": "The least frequent categories of an attribute were made one.",
    "top coding": "The highest values of an attribute were made one.",
    "bottom coding": "The lowest values of an attribute were made one.",
}

SEARCHES: dict[str, str] = {
    "partition": GROUPS,
    "grouping": METHODS["microaggregation by"],
    "files": (
        "The file was masked by several methods, and single values were then changed or "
        "exchanged between masked files by a search for a better balance."
    ),
    "clustered": METHODS["microaggregation in"],
    "pram": METHODS["PRAM"],
    "equations": METHODS["PRAM"],
    "generalization": "Values were replaced by less detailed ones, as an age by an age group.",
}

REPAIR = (
    "Where records still stood out, they were put together with the nearest ones and given "
    "common values or common sets of values, until the guarantee held."
)


def method_in_words(search: str, description: str, *, repaired: bool) -> tuple[str, ...]:
    """Sentences on how a file was masked, by the search that found it or the methods named."""
    said = [SEARCHES[search]] if search in SEARCHES else _methods_in(description)
    return (*dict.fromkeys(said), *((REPAIR,) if repaired else ()))


def _methods_in(description: str) -> list[str]:
    """A sentence for each method of a description such as ``noise, 5 %; PRAM, diagonal``."""
    parts = [part.strip() for part in description.split(";")]
    found = [
        next((words for start, words in METHODS.items() if part.startswith(start)), "")
        for part in parts
    ]
    return [words for words in found if words] or ["Values were changed by a masking method."]
