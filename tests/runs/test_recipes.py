"""Files of recipes: written beside releases, read back, edited by hand, refused in a sentence."""

import tomllib

import numpy as np
import pytest

from evomask.data.frames import table_from
from evomask.data.hierarchy_builders import complete_hierarchies
from evomask.data.scenario import Scenario, Tolerance
from evomask.data.schema import Role
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.front import FrontPoint
from evomask.engine.specialists import Specialist
from evomask.errors import EvomaskError
from evomask.io.datasets import survey
from evomask.io.schemas import read_schema
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.provenance import Step
from evomask.masking.recipe import canonical
from evomask.measures.loss.loss import LossWeights
from evomask.runs.recipes import read_recipe, recipe_file, recipe_text

SEED = 2**62 + 5
KNOWN = ("age", "sex", "education", "wage")


@pytest.fixture(scope="module")
def context():
    """Some people of the survey under two scenarios, one of which requires k."""
    table = table_from(survey(400).drop("name", "person", "household"))
    schema = table.schema.assigning(dict.fromkeys(KNOWN, Role.QUASI_IDENTIFIER))
    register = Scenario(name="register", knows=("age", "sex"), require="k=3")
    neighbour = Scenario(
        name="neighbour", knows=("sex",), knows_about={"wage": Tolerance(0.2, is_relative=True)}
    )
    table = table.with_schema(type(schema)(tuple(schema), (), (register, neighbour)))
    members = {"recipes": Specialist("recipes")}
    settings = Settings(Requirement(k=5), "strict", members, loss=LossWeights(relations=2.0))
    return EvaluationContext(table, settings, SEED, complete_hierarchies(table, {}))


def designs(context):
    return [one.recipe for one in context.setup("recipes").problem.design]


def text_of(context, recipe):
    return recipe_text(recipe_file(context, FrontPoint(3, loss=12.345, risk=6.789), recipe))


@pytest.fixture
def written(tmp_path):
    """Write a text, and return the path."""

    def write(text):
        path = tmp_path / "recipe.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_every_recipe_of_the_initial_design_is_read_back_unchanged(context, written):
    for recipe in designs(context):
        assert read_recipe(written(text_of(context, recipe))).recipe == recipe


def test_matrices_survive_the_file_to_the_last_bit(context, written):
    matrix = np.random.default_rng(1).dirichlet(np.ones(2), 2).tolist()
    recipe = canonical([Step("matrix-pram", {"matrices": {"sex": matrix}}, ("sex",))])
    saved = read_recipe(written(text_of(context, recipe)))
    assert saved.recipe == recipe
    known = context.table.attribute("sex").categories
    assert saved.file.attributes["sex"].categories == list(known)


def test_what_else_a_masking_depends_on_is_in_the_file(context, written):
    plain = tomllib.loads(text_of(context, designs(context)[0]))
    assert plain["require"] == "k=5"
    assert plain["loss"] == "accuracy=1,distributions=1,relations=2"
    assert plain["seed"] == SEED
    assert plain["promised"] == {"records": 400, "loss": 12.35, "risk": 6.79}
    assert plain["scenarios"]["register"] == {"knows": ["age", "sex"], "require": "k=3"}
    assert plain["scenarios"]["neighbour"]["knows_about"] == {"wage": "20 %"}


def test_it_is_a_schema_file_too(context, written):
    schema = read_schema(written(text_of(context, designs(context)[0])))
    assert {n for n, d in schema.declarations.items() if d.role is Role.QUASI_IDENTIFIER} == set(
        KNOWN
    )
    assert [one.name for one in schema.intruders] == ["register", "neighbour"]


def test_hierarchies_are_written_only_where_a_step_uses_them(context):
    recipe = canonical([Step("generalization", {"levels": [1]}, ("education",))])
    assert set(tomllib.loads(text_of(context, recipe))["hierarchies"]) == {"education"}
    plain = canonical([Step("mdav-generic", {"k": 5}, ("education", "age"))])
    text = text_of(context, plain)
    assert "hierarchies" not in tomllib.loads(text)
    for value in context.table.attribute("education").categories:
        assert f'"{value}"' not in text


def test_other_searches_have_no_recipe(context):
    assert recipe_file(context, FrontPoint(3, member="partition"), None) is None


SHORT = """
[[steps]]
method = "mdav-generic"
attributes = ["age", "wage"]
k = 5

[attributes.age]
kind = "continuous"
[attributes.wage]
kind = "continuous"
[attributes.sex]
kind = "nominal"
[attributes.name]
role = "identifier"
"""


def test_a_recipe_written_by_hand_is_read(written):
    saved = read_recipe(written(SHORT))
    assert saved.recipe == (Step("mdav-generic", {"k": 5}, ("age", "wage")),)
    assert saved.file.seed is None


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("mdav-generic", "mdaf", "step 1: no method is called 'mdaf'; there are mdav, "),
        ('"wage"]', '"wages"]', "step 1: no attribute 'wages'; the schema has age, wage, sex"),
        ('"wage"]', '"name"]', "cannot mask 'name', whose role is identifier"),
        ("k = 5", "size = 5", "step 1: mdav-generic has no parameter 'size'; it has k, weight"),
        ("k = 5", 'k = "five"', "step 1: k of mdav-generic must be a whole number, got 'five'"),
        ("k = 5", "k = true", "k of mdav-generic must be a whole number, got True"),
        ("k = 5", "k = 0", "step 1: k must be at least 2, got 0"),
        ('"mdav-generic"', '"mdav"\nending = "x"', "ending of mdav must be one of "),
        ('"mdav-generic"', '"rank-swapping"', "rank-swapping has no parameter 'k'"),
        ('["age", "wage"]', "[]", "step 1 (mdav-generic) names no attributes"),
        ('method = "mdav-generic"', "", "step 1 names no method"),
        ("[attributes.sex]", "[atributes.sex]", "unknown key 'atributes'"),
        ("[[steps]]", 'require = "k=0"\n[[steps]]', "required k must be at least 1, got 0"),
        ("[[steps]]", "format = 9\n[[steps]]", "has format 9, this version reads 1"),
        ("k = 5", "k = ", "is not a recipe"),
    ],
)
def test_a_wrong_recipe_is_refused_in_one_sentence(written, old, new, sentence):
    path = written(SHORT.replace(old, new))
    with pytest.raises(EvomaskError) as error:
        read_recipe(path)
    assert sentence in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ('method = "rank-swapping"\nattributes = ["sex"]', "and 'sex' is nominal"),
        ('method = "generalization"\nattributes = ["sex"]\nlevels = 1', "must be a list, got 1"),
        ('method = "generalization"\nattributes = ["sex"]\nlevels = [1, 2]', "2 levels for 1"),
        ('method = "matrix-pram"\nattributes = ["sex"]', "matrix-pram needs matrices: "),
        (
            'method = "matrix-pram"\nattributes = ["sex"]\nmatrices = { sex = [[1, 0], [1]] }',
            "matrices of matrix-pram must be a square table of numbers",
        ),
        ('method = "mdav"\nattributes = ["age", "age"]', "is given 'age' twice"),
    ],
)
def test_a_wrong_step_is_refused(written, step, sentence):
    columns = SHORT[SHORT.index("[attributes.age]") :]
    with pytest.raises(EvomaskError, match="step 1: ") as error:
        read_recipe(written(f"[[steps]]\n{step}\n{columns}"))
    assert sentence in str(error.value)


def test_a_recipe_without_steps_must_require_something(written):
    columns = SHORT[SHORT.index("[attributes.age]") :]
    with pytest.raises(EvomaskError, match="has no steps and requires nothing"):
        read_recipe(written(columns))
    assert read_recipe(written(f'require = "k=5"\n{columns}')).recipe == ()
