"""Columns of well-known public files: their names, values as they look there, and roles.

Names and kinds of values are written down as the files' documentation has them; the values are
made up. A careful person said the roles before anything was proposed, by the rule of `careful`:
what the documentation leaves open is a quasi-identifier. `FIRST` was looked at when the
vocabulary was widened; what was mended after `FRESH` and `LAST` are faults of the rules, not words.
"""

import random

import polars as pl

RECORDS = 400

FIRST = {
    "titanic": """
        PassengerId | count | identifier
        Survived | 0 1 | confidential
        Pclass | 1 2 3 | quasi-identifier
        Name | people | identifier
        Sex | male female | quasi-identifier
        Age | 1..80 | quasi-identifier
        SibSp | 0..5 | quasi-identifier
        Parch | 0..4 | quasi-identifier
        Ticket | code A/5 | identifier
        Fare | amount 20 4 | quasi-identifier
        Cabin | code C | identifier
        Embarked | S C Q | quasi-identifier""",
    "telco customers": """
        customerID | code 7590- | identifier
        gender | Male Female | quasi-identifier
        SeniorCitizen | 0 1 | quasi-identifier
        Partner | Yes No | quasi-identifier
        Dependents | Yes No | quasi-identifier
        tenure | 0..72 | quasi-identifier
        PhoneService | Yes No | quasi-identifier
        MultipleLines | Yes No None | quasi-identifier
        InternetService | DSL Fiber No | quasi-identifier
        OnlineSecurity | Yes No None | quasi-identifier
        OnlineBackup | Yes No None | quasi-identifier
        DeviceProtection | Yes No None | quasi-identifier
        TechSupport | Yes No None | quasi-identifier
        StreamingTV | Yes No None | quasi-identifier
        StreamingMovies | Yes No None | quasi-identifier
        Contract | Monthly Yearly Biennial | quasi-identifier
        PaperlessBilling | Yes No | quasi-identifier
        PaymentMethod | Check Transfer Card | quasi-identifier
        MonthlyCharges | amount 60 2 | quasi-identifier
        TotalCharges | amount 2000 2 | quasi-identifier
        Churn | Yes No | quasi-identifier""",
    "employees who left": """
        Age | 18..60 | quasi-identifier
        Attrition | Yes No | quasi-identifier
        BusinessTravel | Rarely Frequently No | quasi-identifier
        DailyRate | 100..1500 | confidential
        Department | Sales Research HR | quasi-identifier
        DistanceFromHome | 1..29 | quasi-identifier
        Education | 1..5 | quasi-identifier
        EducationField | Life Medical Marketing Technical | quasi-identifier
        EmployeeCount | 1 | other
        EmployeeNumber | count | identifier
        EnvironmentSatisfaction | 1..4 | confidential
        Gender | Female Male | quasi-identifier
        HourlyRate | 30..100 | confidential
        JobInvolvement | 1..4 | confidential
        JobLevel | 1..5 | quasi-identifier
        JobRole | Executive Scientist Technician Manager | quasi-identifier
        JobSatisfaction | 1..4 | confidential
        MaritalStatus | Single Married Divorced | quasi-identifier
        MonthlyIncome | 1000..20000 | confidential
        MonthlyRate | 2000..27000 | confidential
        NumCompaniesWorked | 0..9 | quasi-identifier
        Over18 | Y | other
        OverTime | Yes No | quasi-identifier
        PercentSalaryHike | 11..25 | confidential
        PerformanceRating | 3 4 | confidential
        RelationshipSatisfaction | 1..4 | confidential
        StandardHours | 80 | other
        StockOptionLevel | 0..3 | confidential
        TotalWorkingYears | 0..40 | quasi-identifier
        TrainingTimesLastYear | 0..6 | quasi-identifier
        WorkLifeBalance | 1..4 | confidential
        YearsAtCompany | 0..40 | quasi-identifier
        YearsInCurrentRole | 0..18 | quasi-identifier
        YearsSinceLastPromotion | 0..15 | quasi-identifier
        YearsWithCurrManager | 0..17 | quasi-identifier""",
    "bank marketing": """
        age | 18..95 | quasi-identifier
        job | admin technician services management retired student | quasi-identifier
        marital | married single divorced | quasi-identifier
        education | primary secondary tertiary unknown | quasi-identifier
        default | yes no | confidential
        balance | amount 1300 0 | confidential
        housing | yes no | confidential
        loan | yes no | confidential
        contact | cellular telephone unknown | quasi-identifier
        day | 1..31 | quasi-identifier
        month | jan feb mar apr may jun jul aug sep oct nov dec | quasi-identifier
        duration | 0..3000 | quasi-identifier
        campaign | 1..40 | quasi-identifier
        pdays | -1..800 | quasi-identifier
        previous | 0..20 | quasi-identifier
        poutcome | failure success other unknown | quasi-identifier
        y | yes no | quasi-identifier""",
    "medical insurance": """
        age | 18..64 | quasi-identifier
        sex | female male | quasi-identifier
        bmi | amount 30 2 | confidential
        children | 0..5 | quasi-identifier
        smoker | yes no | confidential
        region | northeast northwest southeast southwest | quasi-identifier
        charges | amount 13000 4 | confidential""",
    "current population survey 1985": """
        wage | amount 9 2 | confidential
        education | 2..18 | quasi-identifier
        experience | 0..55 | quasi-identifier
        age | 18..64 | quasi-identifier
        ethnicity | cauc hispanic other | quasi-identifier
        region | south other | quasi-identifier
        gender | male female | quasi-identifier
        occupation | worker technical services office sales management | quasi-identifier
        sector | manufacturing construction other | quasi-identifier
        union | yes no | confidential
        married | yes no | quasi-identifier""",
}
"""Files whose disagreements were looked at."""

FRESH = {
    "stroke": """
        id | count | identifier
        gender | Male Female Other | quasi-identifier
        age | 1..82 | quasi-identifier
        hypertension | 0 1 | confidential
        heart_disease | 0 1 | confidential
        ever_married | Yes No | quasi-identifier
        work_type | Private Self Govt children | quasi-identifier
        Residence_type | Urban Rural | quasi-identifier
        avg_glucose_level | amount 100 2 | confidential
        bmi | amount 28 1 | confidential
        smoking_status | formerly never smokes Unknown | confidential
        stroke | 0 1 | confidential""",
    "student performance": """
        school | GP MS | quasi-identifier
        sex | F M | quasi-identifier
        age | 15..22 | quasi-identifier
        address | U R | quasi-identifier
        famsize | LE3 GT3 | quasi-identifier
        Pstatus | A T | quasi-identifier
        Medu | 0..4 | quasi-identifier
        Fedu | 0..4 | quasi-identifier
        Mjob | teacher health services home other | quasi-identifier
        Fjob | teacher health services home other | quasi-identifier
        reason | home reputation course other | quasi-identifier
        guardian | mother father other | quasi-identifier
        traveltime | 1..4 | quasi-identifier
        studytime | 1..4 | quasi-identifier
        failures | 0..3 | confidential
        schoolsup | yes no | quasi-identifier
        famsup | yes no | quasi-identifier
        paid | yes no | quasi-identifier
        activities | yes no | quasi-identifier
        nursery | yes no | quasi-identifier
        higher | yes no | quasi-identifier
        internet | yes no | quasi-identifier
        romantic | yes no | quasi-identifier
        famrel | 1..5 | confidential
        freetime | 1..5 | quasi-identifier
        goout | 1..5 | quasi-identifier
        Dalc | 1..5 | confidential
        Walc | 1..5 | confidential
        health | 1..5 | confidential
        absences | 0..40 | quasi-identifier
        G1 | 0..20 | confidential
        G2 | 0..20 | confidential
        G3 | 0..20 | confidential""",
    "loans": """
        Loan_ID | code LP00 | identifier
        Gender | Male Female | quasi-identifier
        Married | Yes No | quasi-identifier
        Dependents | 0 1 2 3+ | quasi-identifier
        Education | Graduate NotGraduate | quasi-identifier
        Self_Employed | Yes No | quasi-identifier
        ApplicantIncome | 150..40000 | confidential
        CoapplicantIncome | 0..20000 | confidential
        LoanAmount | 9..700 | confidential
        Loan_Amount_Term | 120 180 240 360 480 | confidential
        Credit_History | 0 1 | confidential
        Property_Area | Urban Semiurban Rural | quasi-identifier
        Loan_Status | Y N | confidential""",
    "hearts of Cleveland": """
        age | 29..77 | quasi-identifier
        sex | 0 1 | quasi-identifier
        cp | 0..3 | confidential
        trestbps | 94..200 | confidential
        chol | 126..564 | confidential
        fbs | 0 1 | confidential
        restecg | 0..2 | confidential
        thalach | 71..202 | confidential
        exang | 0 1 | confidential
        oldpeak | amount 1 1 | confidential
        slope | 0..2 | confidential
        ca | 0..4 | confidential
        thal | 0..3 | confidential
        target | 0 1 | confidential""",
    "defendants": """
        id | count | identifier
        name | people | identifier
        first | surnames | identifier
        last | surnames | identifier
        sex | Male Female | quasi-identifier
        dob | days | quasi-identifier
        age | 18..80 | quasi-identifier
        age_cat | Less 25-45 Greater | quasi-identifier
        race | African-American Caucasian Hispanic Other | quasi-identifier
        juv_fel_count | 0..5 | confidential
        decile_score | 1..10 | confidential
        juv_misd_count | 0..6 | confidential
        priors_count | 0..30 | confidential
        c_charge_degree | F M | confidential
        c_charge_desc | Battery Theft Possession Assault Fraud Driving | confidential
        is_recid | 0 1 | confidential
        score_text | Low Medium High | confidential
        c_jail_in | days | quasi-identifier
        c_jail_out | days | quasi-identifier
        two_year_recid | 0 1 | confidential""",
}
"""Files of which nothing was looked at before the agreement was counted."""

LAST = {
    "missed appointments": """
        PatientId | code 2987 | identifier
        AppointmentID | count | identifier
        Gender | F M | quasi-identifier
        ScheduledDay | days | quasi-identifier
        AppointmentDay | days | quasi-identifier
        Age | 0..95 | quasi-identifier
        Neighbourhood | Jardim Centro Praia Ilha Parque | quasi-identifier
        Scholarship | 0 1 | confidential
        Hipertension | 0 1 | confidential
        Diabetes | 0 1 | confidential
        Alcoholism | 0 1 | confidential
        Handcap | 0..4 | confidential
        SMS_received | 0 1 | quasi-identifier
        No-show | Yes No | quasi-identifier""",
    "affairs": """
        affairs | 0 1 2 3 7 12 | confidential
        gender | male female | quasi-identifier
        age | 18..57 | quasi-identifier
        yearsmarried | 0..15 | quasi-identifier
        children | yes no | quasi-identifier
        religiousness | 1..5 | confidential
        education | 9..20 | quasi-identifier
        occupation | 1..7 | quasi-identifier
        rating | 1..5 | confidential""",
    "labour force of women 1976": """
        participation | yes no | quasi-identifier
        hours | 0..4900 | quasi-identifier
        youngkids | 0..3 | quasi-identifier
        oldkids | 0..8 | quasi-identifier
        age | 30..60 | quasi-identifier
        education | 5..17 | quasi-identifier
        wage | amount 4 4 | confidential
        repwage | amount 3 2 | confidential
        hhours | 175..5010 | quasi-identifier
        hage | 30..60 | quasi-identifier
        heducation | 3..17 | quasi-identifier
        hwage | amount 7 4 | confidential
        fincome | amount 23000 0 | confidential
        tax | amount 1 4 | confidential
        meducation | 0..17 | quasi-identifier
        feducation | 0..17 | quasi-identifier
        unemp | amount 8 1 | quasi-identifier
        city | yes no | quasi-identifier
        experience | 0..45 | quasi-identifier
        college | yes no | quasi-identifier
        hcollege | yes no | quasi-identifier""",
    "training programme": """
        treat | 0 1 | quasi-identifier
        age | 17..55 | quasi-identifier
        educ | 3..18 | quasi-identifier
        black | 0 1 | quasi-identifier
        hispan | 0 1 | quasi-identifier
        married | 0 1 | quasi-identifier
        nodegree | 0 1 | quasi-identifier
        re74 | amount 4000 2 | confidential
        re75 | amount 3000 2 | confidential
        re78 | amount 6000 2 | confidential""",
    "general social survey": """
        year | 2018 | other
        id | count | identifier
        age | 18..89 | quasi-identifier
        sex | male female | quasi-identifier
        race | white black other | quasi-identifier
        marital | married widowed divorced separated never | quasi-identifier
        childs | 0..8 | quasi-identifier
        educ | 0..20 | quasi-identifier
        degree | lths high junior bachelor graduate | quasi-identifier
        wrkstat | full part retired school house | quasi-identifier
        rincome | under1000 to2999 to9999 over25000 | confidential
        income | under1000 to2999 to9999 over25000 | confidential
        partyid | democrat independent republican | confidential
        polviews | liberal moderate conservative | confidential
        relig | protestant catholic jewish none | confidential
        attend | never yearly monthly weekly | confidential
        happy | very pretty not | confidential
        health | excellent good fair poor | confidential
        trust | can cannot depends | confidential
        region | newengland pacific mountain south | quasi-identifier
        hrs1 | 1..89 | quasi-identifier
        wtss | amount 1 6 | weight""",
    "credit cards": """
        ID | count | identifier
        LIMIT_BAL | 10000..800000 | confidential
        SEX | 1 2 | quasi-identifier
        EDUCATION | 1..4 | quasi-identifier
        MARRIAGE | 1..3 | quasi-identifier
        AGE | 21..79 | quasi-identifier
        PAY_0 | -2..8 | confidential
        PAY_2 | -2..8 | confidential
        PAY_3 | -2..8 | confidential
        PAY_4 | -2..8 | confidential
        BILL_AMT1 | amount 50000 0 | confidential
        BILL_AMT2 | amount 50000 0 | confidential
        BILL_AMT3 | amount 50000 0 | confidential
        PAY_AMT1 | amount 5000 0 | confidential
        PAY_AMT2 | amount 5000 0 | confidential
        PAY_AMT3 | amount 5000 0 | confidential
        default payment next month | 0 1 | confidential""",
}
"""Files whose roles were said after all rules stood as they are."""


def rows(text: str) -> list[tuple[str, str, str]]:
    """Name, values and role of each column."""
    lines = [line.split("|") for line in text.strip().splitlines()]
    return [(name.strip(), values.strip(), role.strip()) for name, values, role in lines]


def frame(text: str) -> pl.DataFrame:
    """A file with such columns."""
    rng = random.Random(7)
    return pl.DataFrame({name: _column(values, rng) for name, values, _ in rows(text)})


def _column(values: str, rng: random.Random) -> list[object]:
    kind, *more = values.split()
    if kind == "count":
        return list(range(1, RECORDS + 1))
    if kind == "code":
        return [f"{more[0]}{number}" for number in rng.sample(range(1000, 9999), RECORDS)]
    if kind == "amount":
        mean, decimals = float(more[0]), int(more[1])
        return [round(mean * rng.lognormvariate(0, 0.6), decimals) for _ in range(RECORDS)]
    if kind == "days":
        return [f"{rng.randint(1950, 2000)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
                for _ in range(RECORDS)]  # fmt: skip
    if kind in ("people", "surnames"):
        names = [_name(rng) for _ in range(RECORDS)]
        return [f"{name}, {_name(rng)}" for name in names] if kind == "people" else names
    if ".." in values:
        low, high = map(int, values.split(".."))
        return [rng.randint(low, high) for _ in range(RECORDS)]
    words = values.split()
    chosen = [rng.choice(words) for _ in range(RECORDS)]
    return [int(word) for word in chosen] if all(map(str.isdigit, words)) else list(chosen)


def _name(rng: random.Random) -> str:
    pairs = (rng.choice("bdfgklmnprst") + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))
    return "".join(pairs).title()
