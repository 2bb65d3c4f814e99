"""Lexicon of the 18 topics of the thesis, in English words.

A word matches all its forms: ``tax`` also matches ``taxes`` and ``taxed``. Two words separated by a
blank must be adjacent.
"""

OTHER = "Other"

WORDS = {
    "Business_Finance": """
        bank banking bond business ceo company corporate currency dividend earnings economy
        economic entrepreneur finance financial fund hedge inflation invest investment investor
        ipo loan market merger mortgage profit retail revenue shareholder startup stock
        stock market trade trading venture capital wall street
    """,
    "Disaster_Accident": """
        accident avalanche blaze catastrophe collapse collision crash derail disaster drown
        earthquake emergency evacuate evacuation explosion firefighter landslide quake rescue
        rescuer survivor tsunami victim volcano wildfire wreck wreckage
    """,
    "Education": """
        academic campus classroom college curriculum degree diploma education educator exam
        graduate graduation homework kindergarten lecture lesson literacy phd professor pupil
        scholarship school semester student syllabus teacher teaching thesis tuition university
    """,
    "Entertainment_Culture": """
        actor actress album art artist band bestseller book celebrity cinema comedy concert
        culture dance drama exhibition festival film gallery guitar hollywood literature movie
        museum music musical musician novel opera oscar painter painting photography play
        playlist poem poet poetry singer song sculpture theater theatre tv series
    """,
    "Environment": """
        biodiversity carbon climate climate change conservation deforestation ecology ecosystem
        emission environment environmental extinction forest fossil fuel glacier global warming
        green energy greenhouse habitat ocean plastic pollution recycle recycling renewable
        reef solar panel species sustainability sustainable wildlife wind power
    """,
    "Health_Medical_Pharma": """
        antibiotic cancer clinic clinical covid diabetes diagnosis disease doctor drug epidemic
        fitness flu health healthcare hospital illness immune infection medical medicine mental
        health nurse nutrition pandemic patient pharma pharmacy physician pill surgeon surgery
        symptom therapy treatment vaccine vaccination virus
    """,
    "Hospitality_Recreation": """
        airline airport bar barbecue beach beer cafe camping chef coffee cook cooking cruise
        cuisine dessert dinner drink food garden gardening hike hiking holiday hotel kitchen
        lunch recipe resort restaurant tourism tourist travel traveler trip vacation vegan wine
    """,
    "Human Interest": """
        adorable anniversary baby birthday cat cute dog family friend friendship grandma grandpa
        heartwarming hobby kid kitten love marriage mom mother father dad parenting pet puppy
        reunion selfie wedding
    """,
    "Labor": """
        collective bargaining employee employer employment hiring job jobs labor labour layoff
        minimum wage overtime payroll pension recruiter recruitment redundancy salary strike
        trade union unemployed unemployment union wage worker workforce workplace
    """,
    "Law_Crime": """
        arrest attorney burglary convict conviction cop court crime criminal defendant detective
        fraud gang homicide illegal indict jail judge jury justice kidnap law lawsuit lawyer
        legal murder police prison prosecutor robbery sentence shooting steal suspect theft
        thief trial verdict
    """,
    "Politics": """
        ballot brexit campaign candidate congress conservative constitution council democracy
        democrat diplomat election elect government governor labour party legislation lawmaker
        left wing liberal mayor minister parliament party leader policy political politician
        politics poll president prime minister referendum republican right wing senate senator
        vote voter
    """,
    "Religion_Belief": """
        atheist bible bishop buddhist catholic christian christmas church easter faith god gospel
        hindu holy imam islam islamic jesus jewish judaism mosque muslim pastor pope pray prayer
        priest prophet quran rabbi ramadan religion religious sermon spiritual synagogue temple
        theology worship
    """,
    "Social Issues": """
        abortion activism activist charity civil rights discrimination diversity equality
        feminism feminist gender homeless homelessness human rights immigrant immigration
        inclusion inequality lgbt lgbtq migrant minority poverty pride protest racism racist
        refugee sexism social justice transgender volunteer welfare women rights
    """,
    "Sports": """
        athlete athletics baseball basketball boxing champion championship coach cricket cycling
        fifa football footballer goal goalkeeper golf gymnastics hockey league marathon match
        medal nba nfl olympic olympics penalty player quarterback referee rugby runner score
        season skating ski soccer sport sports stadium team tennis tournament touchdown
        volleyball world cup wrestling
    """,
    "Technology_Internet": """
        ai algorithm android app artificial intelligence blockchain browser bug cloud code coder
        coding computer cyber cybersecurity data database developer digital encryption facebook
        gadget github google hacker hardware internet iphone javascript laptop linux machine
        learning microsoft mobile network online open source password programmer programming
        python robot robotics server smartphone software tech technology twitter web website wifi
    """,
    "Weather": """
        blizzard breeze celsius cloudy cyclone drizzle drought fahrenheit flood flooding fog
        forecast frost hail heat wave heatwave humid humidity hurricane lightning rain rainfall
        rainy sleet snow snowfall snowstorm storm sunny sunshine temperature thunder thunderstorm
        tornado typhoon weather windy
    """,
    "War_Conflict": """
        airstrike ally ammunition armed army artillery attack battle battlefield bomb bombing
        casualty ceasefire combat conflict drone strike genocide guerrilla insurgent invade
        invasion militant military militia missile nato navy occupation peace talks rebel
        sanction siege soldier terrorism terrorist troop truce war warfare weapon
    """,
}
"""Words of each topic but the last, `Other`."""

PAIRS = frozenset(
    """
    stock market|venture capital|wall street|tv series|climate change|fossil fuel|global warming|
    green energy|solar panel|wind power|mental health|collective bargaining|minimum wage|
    trade union|labour party|left wing|right wing|party leader|prime minister|civil rights|
    human rights|social justice|women rights|world cup|artificial intelligence|machine learning|
    open source|heat wave|drone strike|peace talks
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
"""Pairs of words that only count together."""

TOPICS = (*WORDS, OTHER)
