"""Topics of texts and of all posts of a person, by a lexicon.

The thesis used a web service; here a lexicon decides, offline. Hashtags, links and user names are
ignored.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

from evomask_graphs.topic_words import OTHER, PAIRS, TOPICS, WORDS

_TAGS = re.compile(r"<[^>]*>")
_NOISE = re.compile(r"https?://\S+|www\.\S+|[#@]\w\S*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENDINGS = (
    ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ing", ""),
    ("ed", ""), ("es", "e"), ("s", ""),
)  # fmt: skip
SHORTEST_STEM = 3


@dataclass(frozen=True)
class Post:
    """One post: its text, and the text of pages that it links to, where given."""

    text: str
    pages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """Topics and the words that indicate them.

    Args:
        terms: for each topic, words or pairs of words.
    """

    terms: Mapping[str, Iterable[str]]

    @cached_property
    def topics_of_stems(self) -> dict[str, tuple[str, ...]]:
        topics_by_stem: dict[str, list[str]] = {}
        for topic, terms in self.terms.items():
            for term in terms:
                key = " ".join(stem(word) for word in _words(term))
                topics_by_stem.setdefault(key, []).append(topic)
        return {key: tuple(dict.fromkeys(topics)) for key, topics in topics_by_stem.items()}

    def topics_of(self, text: str) -> tuple[str, ...]:
        """Topics with the most words in a text; all of them if tied."""
        stems = [stem(word) for word in _words(_clean(text))]
        pairs = [f"{word} {following}" for word, following in pairwise(stems)]
        counts: Counter[str] = Counter()
        for key in stems + pairs:
            counts.update(self.topics_of_stems.get(key, ()))
        most = max(counts.values(), default=0)
        return tuple(topic for topic in self.terms if most and counts[topic] == most)

    def interests(self, posts: Iterable[Post], how_many: int = 3) -> tuple[str, ...]:
        """The most frequent topics of a person's posts and linked pages, in order.

        Topics of a post and of its pages are merged. Ties go to the first by name. People who write
        only of unknown topics get `Other`; people who write nothing get none.
        """
        counts: Counter[str] = Counter()
        has_words = False
        for post in posts:
            texts = (post.text, *post.pages)
            counts.update({topic for text in texts for topic in self.topics_of(text)})
            has_words = has_words or any(_words(_clean(text)) for text in texts)
        ranked = sorted(counts, key=lambda topic: (-counts[topic], topic))
        return tuple(ranked[:how_many]) or ((OTHER,) if has_words else ())


@cache
def thesis_lexicon() -> Lexicon:
    """The 18 topics of the thesis, each with its words."""
    return Lexicon({topic: _terms(WORDS.get(topic, "")) for topic in TOPICS})


def stem(word: str) -> str:
    """Strip plural and tense endings of a word; short words are kept."""
    for ending, instead in _ENDINGS:
        short = word.removesuffix(ending) + instead
        if word.endswith(ending) and not word.endswith("ss") and len(short) >= SHORTEST_STEM:
            word = _undoubled(short) if ending in ("ing", "ed") else short
            break
    bare = word.rstrip("e") if len(word) > SHORTEST_STEM else word
    return bare[:-1] + "i" if bare.endswith("y") else bare


def _undoubled(word: str) -> str:
    is_double = len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if is_double else word


def _terms(text: str) -> tuple[str, ...]:
    words = text.split()
    terms, position = [], 0
    while position < len(words):
        pair = " ".join(words[position : position + 2])
        terms.append(pair if pair in PAIRS else words[position])
        position += 2 if pair in PAIRS else 1
    return tuple(terms)


def _clean(text: str) -> str:
    return _NOISE.sub(" ", html.unescape(_TAGS.sub(" ", text)))


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))
