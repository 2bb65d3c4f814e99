"""What a careful person says of the columns of files that others made.

Written from the files' documentation before anything was proposed for those kept aside. Where
their documentation leaves it open, a column is a quasi-identifier: it is then protected. A
question mark stands for a question that only the owner of the file can answer.
"""

QUASI, SECRET, LEFT_OUT = "quasi-identifier", "confidential", "identifier"
OTHER, WEIGHT, HOME, QUESTION = "other", "weight", "household", "?"

KEPT_ASIDE = (
    "casc/eia.csv",
    "uci/german_credit.csv",
    "uci/pima_diabetes.csv",
    "uci/water_treatment.csv",
    "sdcmicro/testdata2.csv",
)
"""Files that were looked at by the proposer only when all was done."""


def _all(role: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), role)


_DWELLING = "urbrur roof walls water electcon relat sex age hhcivil"

ROLES: dict[str, dict[str, str]] = {
    "uci/adult.csv": {
        **_all(QUASI, "age workclass education education-num marital-status occupation"),
        **_all(QUASI, "relationship race sex hours-per-week native-country"),
        **_all(SECRET, "capital-gain capital-loss income"),
        "fnlwgt": WEIGHT,
    },
    "sdcmicro/testdata.csv": {
        **_all(QUASI, _DWELLING),
        **_all(SECRET, "expend income savings"),
        "ori_hid": HOME,
        **_all(QUESTION, "sampling_weight household_weights"),
    },
    "casc/census.csv": {
        "AFNLWGT": WEIGHT,
        **_all(QUASI, "AGI EMCONTRB FEDTAX PTOTVAL STATETAX TAXINC POTHVAL INTVAL PEARNVAL"),
        **_all(QUASI, "FICA WSALVAL ERNVAL"),
    },
    "casc/tarragona.csv": {
        **_all(QUASI, "FIXED.ASSETS CURRENT.ASSETS TREASURY UNCOMMITTED.FUNDS PAID.UP.CAPITAL"),
        **_all(QUASI, "SHORT.TERM.DEBT SALES LABOR.COSTS DEPRECIATION OPERATING.PROFIT"),
        **_all(QUASI, "FINANCIAL.OUTCOME GROSS.PROFIT NET.PROFIT"),
    },
    "uci/solar_flare.csv": {
        **_all(QUASI, "CLASS LARGSPOT SPOTDIST ACTIVITY EVOLUTION PREVFLARE HISTOCOMP SUNDISK"),
        **_all(QUASI, "AREA AREALARGSPOT C-CLASS M-CLASS X-CLASS"),
    },
    "casc/eia.csv": {
        **_all(LEFT_OUT, "UTILITYID UTILNAME"),
        "YEAR": OTHER,
        **_all(QUASI, "STATE MONTH RESREVENUE RESSALES COMREVENUE COMSALES INDREVENUE INDSALES"),
        **_all(QUASI, "OTHREVENUE OTHRSALES TOTREVENUE TOTSALES"),
    },
    "uci/german_credit.csv": {
        **_all(SECRET, "EXISTACC CREDHIST CREDAMOUNT SAVINGS INSTALRATE NUMCREDITS CLASS"),
        **_all(QUASI, "DURATION PURPOSE PRESEMPLOY STATSEX OTHER RESIDENCE PROPERTY AGE"),
        **_all(QUASI, "OTHERPLANS HOUSING JOB PEOPLE TELEPHONE FOREIGN"),
    },
    "uci/pima_diabetes.csv": {
        **_all(QUASI, "pregnancies age"),
        **_all(SECRET, "glucose blood_pressure skin_thickness insulin bmi pedigree class"),
    },
    "uci/water_treatment.csv": {
        **_all(QUASI, "DATE Q-E ZN-E PH-E DBO-E DQO-E SS-E SSV-E SED-E COND-E PH-P DBO-P SS-P"),
        **_all(QUASI, "SSV-P SED-P COND-P PH-D DBO-D DQO-D SS-D SSV-D SED-D COND-D PH-S DBO-S"),
        **_all(QUASI, "DQO-S SS-S SSV-S SED-S COND-S RD-DBO-P RD-SS-P RD-SED-P RD-DBO-S"),
        **_all(QUASI, "RD-DQO-S RD-DBO-G RD-DQO-G RD-SS-G RD-SED-G"),
    },
    "sdcmicro/testdata2.csv": {
        **_all(QUASI, _DWELLING + " category_count relat2 water2 water3"),
        **_all(SECRET, "expend income savings"),
        "ori_hid": HOME,
        "sampling_weight": WEIGHT,
        "represent": OTHER,
    },
}
