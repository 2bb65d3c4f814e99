"""Topics of texts and of people."""

import pytest

from evomask_graphs.topic_words import PAIRS, TOPICS, WORDS
from evomask_graphs.topics import Lexicon, Post, stem, thesis_lexicon

LEXICON = thesis_lexicon()


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("The striker scored two goals and the team won the league match", "Sports"),
        ("Parliament votes; the prime minister faces the senate", "Politics"),
        ("Patients wait for the vaccine at the hospital", "Health_Medical_Pharma"),
        ("Python developers release open source software", "Technology_Internet"),
        ("Heavy rain, then snow; temperatures drop", "Weather"),
        ("Troops invade, missiles hit the army", "War_Conflict"),
        ("Dinner and wine in the restaurant of our hotel", "Hospitality_Recreation"),
        ("Workers want higher wages, says the trade union", "Labor"),
        ("The jury read the verdict in the murder trial", "Law_Crime"),
        ("Investors sold stocks and bonds as profits fell", "Business_Finance"),
        ("Students and teachers return to school and university", "Education"),
        ("Carbon emissions and climate change threaten the reef", "Environment"),
        ("Firefighters evacuate survivors of the earthquake", "Disaster_Accident"),
        ("The singer's album and a painting in the museum", "Entertainment_Culture"),
        ("The bishop prays in the church", "Religion_Belief"),
        ("Activists protest against racism and poverty", "Social Issues"),
        ("My puppy and kitten on their birthday, so cute", "Human Interest"),
    ],
)
def test_a_plain_sentence_has_its_topic(text, topic):
    assert LEXICON.topics_of(text) == (topic,)


def test_every_topic_has_words_but_other():
    assert [topic for topic in TOPICS if not WORDS.get(topic)] == ["Other"]


def test_pairs_stand_in_the_lexicon():
    terms = {term for words in LEXICON.terms.values() for term in words}
    assert terms >= PAIRS


def test_hashtags_links_and_users_are_not_read():
    assert (
        LEXICON.topics_of("#football @rugby https://tennis.example/golf www.hockey.example") == ()
    )


def test_markup_is_not_read_and_entities_are():
    assert LEXICON.topics_of('<a class="football">caf&eacute;</a>') == ("Hospitality_Recreation",)


def test_topics_of_a_post_and_its_page_are_merged_and_ranked():
    posts = [
        Post("snow", ("football",)),
        Post("rain"),
        Post("storm"),
        Post("tennis"),
        Post("the vote"),
    ]
    assert LEXICON.interests(posts) == ("Weather", "Sports", "Politics")


def test_a_tie_goes_to_the_first_by_name():
    assert LEXICON.interests([Post("vote"), Post("snow"), Post("church")]) == (
        "Politics", "Religion_Belief", "Weather",
    )  # fmt: skip


def test_who_writes_of_nothing_known_is_interested_in_other():
    assert LEXICON.interests([Post("hello there")]) == ("Other",)


@pytest.mark.parametrize("posts", [[], [Post("")], [Post("#tag 123")]])
def test_who_writes_nothing_has_no_interest(posts):
    assert LEXICON.interests(posts) == ()


@pytest.mark.parametrize(
    "forms",
    [("tax", "taxes", "taxed"), ("vote", "votes", "voting", "voted"), ("city", "cities"),
     ("movie", "movies"), ("run", "running"), ("boss", "bosses")],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(forms):
    assert len({stem(form) for form in forms}) == 1


def test_a_lexicon_of_ones_own_decides():
    assert Lexicon({"bees": ("honey", "hive")}).topics_of("Two hives of honey") == ("bees",)
