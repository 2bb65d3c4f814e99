"""Names of columns in the languages of Europe."""

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import table_from
from evomask.data.roles.proposal import propose
from evomask.data.schema import Kind, Role

RNG = np.random.default_rng(3)
N = 300
AGES = RNG.integers(18, 90, N)
AMOUNTS = RNG.normal(2000, 300, N).round(2)
WEIGHTS = RNG.uniform(50, 150, N).round(1)
HOMES = RNG.permutation(np.arange(N) // 3)
CODES = [f"{code:05d}" for code in RNG.integers(1000, 99999, N)]
PEOPLE = [f"Ada{chr(97 + i % 26)}{i}" for i in range(N)]
DAYS = [f"{d:02d}.{m:02d}.{y}" for d, m, y in zip(
    RNG.integers(1, 28, N), RNG.integers(1, 12, N), RNG.integers(1930, 2005, N), strict=True
)]  # fmt: skip

COLUMNS = {
    "name": (PEOPLE, Role.IDENTIFIER),
    "age": (AGES, Role.QUASI_IDENTIFIER),
    "born": (DAYS, Role.QUASI_IDENTIFIER),
    "postcode": (CODES, Role.QUASI_IDENTIFIER),
    "household": (HOMES, Role.HOUSEHOLD),
    "income": (AMOUNTS, Role.CONFIDENTIAL),
    "weight": (WEIGHTS, Role.WEIGHT),
}

NAMES = {
    "English": ("Surname", "Age", "Date of birth", "Postcode", "Household ID", "Income", "Weight"),
    "German": ("Nachname", "Alter", "Geburtsdatum", "PLZ", "Haushaltsnummer", "Nettoeinkommen",
               "Gewicht"),
    "French": ("Nom", "Âge", "Date de naissance", "Code postal", "Identifiant ménage", "Revenu",
               "Pondération"),
    "Spanish": ("Apellidos", "Edad", "Fecha de nacimiento", "Código postal", "Hogar", "Ingresos",
                "Ponderación"),
    "Italian": ("Cognome", "Età", "Data di nascita", "CAP", "Nucleo", "Reddito", "Peso"),
    "Dutch": ("Achternaam", "Leeftijd", "Geboortedatum", "Postcode", "Huishouden", "Inkomen",
              "Wegingsfactor"),
    "Portuguese": ("Apelido", "Idade", "Data de nascimento", "Código postal", "Agregado",
                   "Rendimento", "Ponderador"),
    "Polish": ("Nazwisko", "Wiek", "Data urodzenia", "Kod pocztowy", "Gospodarstwo", "Dochód",
               "Waga"),
    "Swedish": ("Efternamn", "Ålder", "Födelsedatum", "Postnummer", "Hushåll", "Inkomst", "Vikt"),
    "Danish": ("Efternavn", "Alder", "Fødselsdato", "Postnr", "Husstand", "Indkomst", "Vægt"),
    "Norwegian": ("Etternavn", "Alder", "Fødselsdato", "Postnr", "Husholdning", "Inntekt", "Vekt"),
}  # fmt: skip


@pytest.mark.parametrize("language", NAMES)
def test_columns_are_known_by_their_names(language):
    columns = zip(NAMES[language], COLUMNS.values(), strict=True)
    wanted = {name: (values, role) for name, (values, role) in columns}
    frame = pl.DataFrame({name: values for name, (values, _) in wanted.items()})
    found = {a.name: a.role for a in propose(table_from(frame)).attributes}
    assert found == {name: role for name, (_, role) in wanted.items()}


def test_days_written_with_points_have_the_order_of_time():
    frame = pl.DataFrame({"Geburtstag": DAYS})
    (found,) = propose(table_from(frame)).attributes
    table = table_from(frame, {"Geburtstag": found.declaration})
    assert found.kind is Kind.ORDINAL
    assert [day[-4:] for day in table.attribute("Geburtstag").categories] == sorted(
        day[-4:] for day in set(DAYS)
    )
