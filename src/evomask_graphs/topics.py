"""Topics of texts and of all posts of a person, by a lexicon.

The thesis used a web service; here a lexicon decides, offline: that of its topics in some
languages, or a user's own table. Hashtags, links and user names are ignored.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

from evomask.errors import ParameterError, SchemaError
from evomask_graphs.graph_files import read_rows
from evomask_graphs.topic_words import OTHER, PAIRS, TOPICS, WORDS
from evomask_graphs.topic_words_languages import WORDS_BY_LANGUAGE

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


ANY_ENDING = "*"
MAX_WORDS = 2
"""Number of adjacent words that a term may have."""

UNSPACED = ("CJK ", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")
"""Scripts whose words are not separated by blanks, or carry endings: terms match inside words."""


@dataclass(frozen=True)
class Lexicon:
    """Topics and the words that indicate them.

    Args:
        terms: for each topic, words or pairs of English words; all their forms match.
        exact: for each topic, words or pairs of words of any language, which match as they are;
            ``*`` at the end matches any ending.
    """

    terms: Mapping[str, Iterable[str]]
    exact: Mapping[str, Iterable[str]] = field(default_factory=dict)

    @cached_property
    def topics_of_stems(self) -> dict[str, tuple[str, ...]]:
        return _topics_by_key(
            (topic, " ".join(stem(word) for word in _words(term)))
            for topic, terms in self.terms.items()
            for term in terms
        )

    @cached_property
    def _matchers(self) -> "_Matchers":
        return _Matchers.of(self.exact)

    def topics_of(self, text: str) -> tuple[str, ...]:
        """Topics with the most words in a text; all of them if tied."""
        words = _words(_clean(text))
        counts: Counter[str] = Counter()
        for key in _with_pairs([stem(word) for word in words]):
            counts.update(self.topics_of_stems.get(key, ()))
        if self.exact:
            counts.update(self._matchers.topics(words, _plain(_clean(text))))
        most = max(counts.values(), default=0)
        topics = dict.fromkeys([*self.terms, *self.exact])
        return tuple(topic for topic in topics if most and counts[topic] == most)

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


@dataclass(frozen=True)
class _Matchers:
    """Exact terms by how they match: whole words, beginnings of words, or anywhere in a text."""

    whole: Mapping[str, tuple[str, ...]]
    begun: Mapping[str, tuple[str, ...]]
    inside: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, terms: Mapping[str, Iterable[str]]) -> "_Matchers":
        listed: dict[str, list[tuple[str, str]]] = {"whole": [], "begun": [], "inside": []}
        for topic, own in terms.items():
            for term in own:
                plain = " ".join(_plain(term.removesuffix(ANY_ENDING)).split())
                how = "begun" if term.endswith(ANY_ENDING) else "whole"
                if " ".join(_words(plain)) != plain or _is_unspaced(plain):
                    how = "inside"
                listed[how].append((topic, plain))
        return cls(**{how: _topics_by_key(pairs) for how, pairs in listed.items()})

    def topics(self, words: list[str], text: str) -> Iterator[str]:
        for key in _with_pairs(words):
            yield from self.whole.get(key, ())
            for length in range(1, len(key) + 1):
                yield from self.begun.get(key[:length], ())
        for term, topics in self.inside.items():
            yield from topics * text.count(term)


def _topics_by_key(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    topics: dict[str, list[str]] = {}
    for topic, key in pairs:
        topics.setdefault(key, []).append(topic)
    return {key: tuple(dict.fromkeys(own)) for key, own in topics.items()}


def _with_pairs(words: list[str]) -> list[str]:
    return words + [f"{word} {following}" for word, following in pairwise(words)]


def _is_unspaced(text: str) -> bool:
    return any(unicodedata.name(letter, "").startswith(UNSPACED) for letter in text)


@cache
def thesis_lexicon() -> Lexicon:
    """The 18 topics of the thesis, each with its English words."""
    return Lexicon({topic: _terms(WORDS.get(topic, "")) for topic in TOPICS})


def lexicon_of(languages: Iterable[str]) -> Lexicon:
    """The topics of the thesis with the words of some languages: en, de, es, fr."""
    chosen = list(dict.fromkeys(languages))
    known = ("en", *WORDS_BY_LANGUAGE)
    wrong = [language for language in chosen if language not in known]
    if wrong or not chosen:
        raise ParameterError(
            f"languages must be of {', '.join(known)}, got {', '.join(wrong) or 'none'}; "
            "give words of others with --words"
        )
    exact: dict[str, list[str]] = {}
    for language in chosen:
        for topic, words in WORDS_BY_LANGUAGE.get(language, {}).items():
            exact.setdefault(topic, []).extend(word.replace("_", " ") for word in words.split())
    return Lexicon(thesis_lexicon().terms if "en" in chosen else {}, exact)


def read_lexicon(path: Path) -> Lexicon:
    """Read a table with the columns topic and word: one term a row, of one or two words."""
    exact: dict[str, list[str]] = {}
    for number, row in enumerate(read_rows(path), 1):
        if not {"topic", "word"} <= row.keys():
            raise SchemaError(f"{path} needs the columns topic and word, one word a row")
        topic, term = row["topic"].strip(), row["word"].strip()
        bare = _plain(term.removesuffix(ANY_ENDING)).strip()
        if not topic or not bare:
            raise SchemaError(f"record {number} of {path} lacks a topic or a word; complete it")
        if ANY_ENDING in bare or len(bare.split()) > MAX_WORDS:
            raise SchemaError(
                f"record {number} of {path} must hold one word or two, with * at the end only"
            )
        exact.setdefault(topic, []).append(term)
    if not exact:
        raise SchemaError(f"{path} has no words; give one row for each")
    return Lexicon({}, exact)


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
    return _WORD.findall(_plain(text))


def _plain(text: str) -> str:
    """Text without capitals and accents."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)
