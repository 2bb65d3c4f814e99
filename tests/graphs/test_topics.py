"""Topics of texts and of people."""

import pytest

from evomask.errors import ParameterError, SchemaError
from evomask_graphs.topic_words import PAIRS, TOPICS, WORDS
from evomask_graphs.topic_words_languages import WORDS_BY_LANGUAGE
from evomask_graphs.topics import (
    Lexicon,
    Post,
    lexicon_of,
    read_lexicon,
    stem,
    thesis_lexicon,
)

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


SENTENCES = {
    "de": {
        "Der Torwart hält den Elfmeter, die Mannschaft steht im Halbfinale": "Sports",
        "Im Bundestag streiten Regierung und Opposition": "Politics",
        "Die Patienten warten in der Klinik auf ihre Impfung": "Health_Medical_Pharma",
        "Heute Regen und Gewitter, morgen fällt Schnee": "Weather",
        "Soldaten und Panzer an der Grenze, Raketen auf die Stadt": "War_Conflict",
        "Die Gewerkschaft fordert höhere Löhne und droht mit Streik": "Labor",
        "Das Gericht sprach sein Urteil über den Mord": "Law_Crime",
        "Der Konzern steigert seinen Umsatz, die Aktie steigt": "Business_Finance",
    },
    "es": {
        "El portero paró un penalti y el equipo ganó el torneo": "Sports",
        "El gobierno y los diputados debaten en el parlamento": "Politics",
        "Los pacientes esperan la vacuna en el hospital": "Health_Medical_Pharma",
        "Lluvia y viento, mañana nieve": "Weather",
        "Los soldados y los misiles cruzan la frontera en guerra": "War_Conflict",
        "El sindicato convoca una huelga por los salarios": "Labor",
        "El juez dictó sentencia por homicidio": "Law_Crime",
        "La empresa busca inversores en la bolsa": "Business_Finance",
    },
    "fr": {
        "L'équipe remporte le match au stade devant ses joueurs": "Sports",
        "Le gouvernement et les députés votent au Parlement": "Politics",
        "Les patients attendent le vaccin à l'hôpital": "Health_Medical_Pharma",
        "Pluie et vent, puis de la neige": "Weather",
        "Les soldats et les missiles de la guerre": "War_Conflict",
        "Le syndicat appelle à la grève pour les salaires": "Labor",
        "Le tribunal condamne le voleur à la prison": "Law_Crime",
        "La banque et ses actionnaires regardent la bourse": "Business_Finance",
    },
}


@pytest.mark.parametrize(
    ("language", "text", "topic"),
    [(language, *pair) for language, own in SENTENCES.items() for pair in own.items()],
)
def test_a_plain_sentence_of_another_language_has_its_topic(language, text, topic):
    assert lexicon_of([language]).topics_of(text) == (topic,)


def test_languages_can_be_mixed():
    mixed = lexicon_of(["en", "de"])
    assert mixed.topics_of("snow and rain") == ("Weather",)
    assert mixed.topics_of("Schnee und Regen") == ("Weather",)
    assert lexicon_of(["en"]).topics_of("Schnee und Regen") == ()


@pytest.mark.parametrize("language", WORDS_BY_LANGUAGE)
def test_every_language_has_words_of_every_topic_but_other(language):
    words = WORDS_BY_LANGUAGE[language]
    assert words.keys() == WORDS.keys()
    assert min(len(text.split()) for text in words.values()) >= 8
    lexicon = lexicon_of([language])
    for topic, text in words.items():
        for word in text.split():
            assert topic in lexicon.topics_of(word.replace("_", " ").removesuffix("*"))


@pytest.mark.parametrize("languages", [["xx"], []])
def test_an_unknown_language_is_refused(languages):
    with pytest.raises(ParameterError, match="languages must be of en, de, es, fr, got"):
        lexicon_of(languages)


@pytest.fixture
def own_words(tmp_path):
    path = tmp_path / "words.csv"
    rows = [
        "topic,word",
        "Bees,Biene*",
        "Bees,Honig",
        "Gärten,grüner Daumen",
        "政治,選挙",
        "राज,राजनीति",
    ]
    path.write_text("\n".join(rows), encoding="utf-8")
    return read_lexicon(path)


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("Die Bienenkönigin schwärmt", ("Bees",)),
        ("HONIG!", ("Bees",)),
        ("Honigbrot", ()),
        ("ein grüner Daumen", ("Gärten",)),
        ("grüner Tee, mein Daumen", ()),
        ("今年の選挙について", ("政治",)),
        ("आज की राजनीति में", ("राज",)),
        ("a tax on rain", ()),
    ],
)
def test_words_of_ones_own_decide_in_any_script(own_words, text, topics):
    assert own_words.topics_of(text) == topics


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("subject,word\na,b", "needs the columns topic and word"),
        ("topic,word\na,", "record 1 of .* lacks a topic or a word"),
        ("topic,word\na,b\nc,one two three", "record 2 of .* one word or two"),
        ("topic,word\na,b*c", "record 1 of .* with . at the end only"),
    ],
)
def test_a_table_of_words_that_cannot_be_used_is_refused(tmp_path, rows, sentence):
    path = tmp_path / "words.csv"
    path.write_text(rows + "\n", encoding="utf-8")
    with pytest.raises(SchemaError, match=sentence):
        read_lexicon(path)
