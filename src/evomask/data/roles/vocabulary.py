"""Vocabulary of column names in eleven languages, by role.

English first, then German, French, Spanish, Italian, Dutch, Portuguese, Polish, and Swedish,
Danish and Norwegian; without accents, as `words_of` returns them.
"""

import re
import unicodedata
from collections.abc import Collection


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTIFIERS = _words("""
    id ids identifier name names surname firstname lastname forename fullname email mail phone
    telephone mobile fax ssn passport licence license plate address street iban account
    uuid guid key ip url username login person respondent patient client customer member
    vorname nachname familienname anschrift adresse strasse hausnummer telefon telefonnummer handy
    mobilnummer ausweis kennzeichen kennung kundennummer kontonummer kunde versicherungsnummer
    steuernummer matrikelnummer personalnummer befragter
    nom prenom adresse rue telephone portable courriel identifiant matricule nir personne
    nombre apellido apellidos direccion calle telefono movil correo dni nie pasaporte identificador
    expediente cliente paciente
    nome cognome indirizzo telefono cellulare codicefiscale matricola cliente paziente
    naam voornaam achternaam adres straat telefoon bsn burgerservicenummer klantnummer
    apelido sobrenome morada endereco telefone telemovel nif cpf contribuinte
    imie nazwisko adres ulica telefon pesel nip pacjent klient
    namn fornamn efternamn navn fornavn efternavn etternavn adress gata gade personnummer cpr
    fodselsnummer kundnummer mobil epost
""")
NAMES = _words("""
    name names surname firstname lastname forename fullname vorname nachname familienname nom
    prenom nombre apellido apellidos nome cognome naam voornaam achternaam apelido sobrenome imie
    nazwisko namn fornamn efternamn navn fornavn efternavn etternavn
""")
FREE_TEXTS = _words("""
    comment comments remark remarks note notes description text kommentar bemerkung anmerkung
    commentaire remarque comentario observaciones commento osservazioni opmerking komentarz uwagi
    observacoes
""")
WEIGHTS = _words("""
    weight weights wgt wgts wt gewicht gewichtung hochrechnungsfaktor poids ponderation peso
    ponderacion ponderazione wegingsfactor weegfactor ponderador waga vikt vaegt vekt
""")
"""Words of three letters or more also match inside a word, as in fnlwgt."""
OF_BODIES = _words("""
    body birth kg lb lbs gram grams koerper korper geburt corps corporel corporal kilo naissance
    nacer corporeo lichaam kropp
""")
HEIGHTS = _words("""
    height bmi koerpergrosse korpergrosse taille estatura altura altezza statura lengte wzrost
    langd hoyde hojde
""")
HOUSEHOLDS = _words("""
    household hh hhid hid familyid householdid dwelling haushalt haushaltsnummer hhnr menage foyer
    logement hogar vivienda nucleo famiglia huishouden agregado gospodarstwo hushall husstand
    husholdning husstandsnr
""")
STRATA = _words("stratum strata strat psu cluster schicht strate estrato strato warstwa stratum")
POSTCODES = _words("""
    zip zipcode postcode postal postalcode plz postleitzahl codepostal cap pocztowy postnummer
    postnr cp
""")
DATES = _words("date datum fecha data dato day birthday birthdate dob geburtstag dzien")
NO_IDENTIFIER_SUFFIX = _words("""
    covid paid unpaid aid medicaid bid grid hybrid void valid invalid solid liquid rapid acid
    android asteroid thyroid steroid fluid humid
""")
"""Words that end like names of identifiers and are none."""
TARGETS = _words("class target outcome label")
"""Names of target variables in files for machine learning."""
QUASI_IDENTIFIERS = POSTCODES | _words("""
    age sex gender municipality city town village county district
    province region state country nation nationality citizenship birth birthday birthdate born
    dob race ethnic ethnicity language marital civil education schooling degree occupation job
    profession employer workclass relationship household family children size area dwelling
    latitude longitude lat lon location place home housing height
    alter geschlecht geburt geburtsdatum geburtsjahr geburtsort wohnort stadt ort gemeinde kreis
    bezirk bundesland land staat staatsangehorigkeit nationalitat herkunft sprache familienstand
    bildung schulabschluss ausbildung beruf arbeitgeber branche haushaltsgrosse kinder
    sexe naissance ville commune departement pays nationalite langue matrimoniale
    diplome etudes profession metier emploi employeur menage enfants
    edad sexo genero nacimiento ciudad municipio provincia pais nacionalidad idioma educacion
    estudios ocupacion profesion empleo hogar hijos
    eta sesso genere nascita citta comune regione paese cittadinanza nazionalita lingua istruzione
    professione occupazione lavoro figli
    leeftijd geslacht geboorte geboortedatum woonplaats stad gemeente provincie nationaliteit taal
    burgerlijke opleiding onderwijs beroep werkgever kinderen
    idade nascimento cidade distrito concelho freguesia nacionalidade escolaridade profissao
    ocupacao emprego filhos
    wiek plec urodzenia miasto gmina powiat wojewodztwo kraj obywatelstwo narodowosc jezyk
    wyksztalcenie zawod praca dzieci cywilny
    alder kon kjonn fodelse fodelsedatum fodsel fodselsdato fodselsdag kommun kommune lan fylke
    medborgarskap statsborgerskab statsborgerskap sprak sprog civilstand sivilstand utbildning
    uddannelse utdanning yrke stilling erhverv barn born
""")
CONFIDENTIAL = _words("""
    income wage wages salary pay earnings expenses expend expenditure spending debt debts savings
    wealth assets tax taxes benefit benefits pension health disease diagnosis illness condition
    disability treatment drug drugs medication alcohol hiv test result crime offence conviction
    religion belief party vote politics union orientation loan credit credits score capital
    glucose insulin cholesterol blood pressure bmi symptom symptoms
    einkommen gehalt lohn verdienst ausgaben schulden ersparnisse vermogen kredit steuer rente
    gesundheit krankheit diagnose behandlung medikament behinderung blutdruck konfession glaube
    partei gewerkschaft
    revenu revenus salaire depenses dette dettes epargne patrimoine impot retraite sante maladie
    diagnostic traitement medicament handicap parti syndicat
    ingreso ingresos salario sueldo renta gasto gastos deuda ahorro ahorros impuesto salud
    enfermedad diagnostico tratamiento discapacidad partido sindicato
    reddito stipendio spesa debito risparmio imposta salute malattia diagnosi cura disabilita
    religione partito sindacato
    inkomen loon salaris uitgaven schuld spaargeld belasting gezondheid ziekte behandeling religie
    godsdienst partij
    rendimento despesa divida poupanca imposto saude doenca tratamento religiao
    dochod pensja wynagrodzenie zarobki wydatki dlug oszczednosci podatek zdrowie choroba diagnoza
    leczenie wyznanie religia partia
    inkomst manadslon arslon lonn indkomst inntekt utgifter skuld gaeld gjeld formue skatt skat
    helse halsa sundhed sjukdom sygdom sykdom diagnos behandling parti
""")
CONFIDENTIAL |= _words("""
    smoker smoking smokes drinking cancer tumor tumour diabetes diabetic hypertension stroke heart
    cardiac depression anxiety dementia asthma allergy injury surgery infection therapy mortality
    survived survival arrest arrests prison jail felony balance default arrears mortgage bonus
    dividend dividends allowance bankruptcy satisfaction opinion opinions happiness wellbeing
    raucher krebs depression allergie verletzung kontostand hypothek haft vorstrafe zufriedenheit
    fumeur cancer diabete depression douleur deces hypotheque prison satisfaction
    fumador depresion dolor fallecimiento saldo hipoteca prision satisfaccion
    fumatore cancro tumore diabete depressione decesso mutuo prigione soddisfazione
    roker kanker depressie hypotheek gevangenis tevredenheid
    fumante depressao hipoteca prisao satisfacao
    palacz nowotwor cukrzyca depresja hipoteka wiezienie zadowolenie
    rokare ryger royker kraeft kreft depresjon fangelse fengsel nojdhet tilfredshed tilfredshet
""")
PRIVATE_WORDS = _words("""
    rating ratings performance evaluation appraisal involvement attitude trust stress grade grades
    gpa exam exams mark marks pain mental dose death died stock stocks shares
    bewertung beurteilung vertrauen schmerz schmerzen aktien confiance
    evaluacion confianza valutazione fiducia beoordeling vertrouwen aandelen
""")
"""Words that match only as whole words: inside others they mean something else."""
MISSING_TEXTS = _words("""
    NA N/A n/a na ? . - -- null NULL Null NaN nan None #N/A #NULL! missing Missing
    k.A. k.A kA KA k.a. n.d. N.D. n.v. n.b. s/d S/D sd nr NR DK
""")
"""Texts among numbers that usually mean a missing value."""
MISSING_CODES = (
    -7, -8, -9, -66, -77, -88, -97, -98, -99, -777, -888, -997, -998, -999, -9999, -99999,
    99, 998, 999, 9998, 9999, 99998, 99999, 999999, 9999999, 99999999,
)  # fmt: skip
"""Numbers that often mean a missing value where they lie apart from all others."""

_BREAKS = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
_NOT_DECOMPOSED = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "œ": "oe"}
)
_SURVEY_WEIGHT = re.compile(r"wt[a-z]{2,}|[a-z]{2,}wt")
"""Matches wtss, wtint and perwt, but not bwt, a birth weight."""
LONG_STEM, LONGEST_STEM = 6, 8
"""Least length of a word that matches at an end of a compound, and anywhere in it."""


def words_of(name: str) -> frozenset[str]:
    """Split a column name into words: zip and code for zipCode, zip_code and ZIP code."""
    plain = unicodedata.normalize("NFKD", name.translate(_NOT_DECOMPOSED))
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    return frozenset(word.lower() for word in _BREAKS.split(letters) if word)


def find_words(words: Collection[str], vocabulary: frozenset[str]) -> frozenset[str]:
    """Words of a vocabulary in a name, also inside compounds such as Nettoeinkommen."""
    return frozenset(stem for word in words for stem in vocabulary if _matches(word, stem))


def weights_in(words: Collection[str]) -> frozenset[str]:
    """Words for weights in a name, also inside its words unless they are short."""
    return frozenset(
        weight
        for word in words
        for weight in WEIGHTS
        if word == weight or (len(weight) > 2 and weight in word) or _SURVEY_WEIGHT.fullmatch(word)
    )


def _matches(word: str, stem: str) -> bool:
    if word == stem:
        return True
    if len(stem) >= LONGEST_STEM:
        return stem in word
    return len(stem) >= LONG_STEM and (word.startswith(stem) or word.endswith(stem))
