"""What a search could gain by a synthesis that copies people: nothing, its risk shows them."""

import numpy as np

from evomask.masking.synthesis.cart import Cart
from evomask.measures.attacks.copies import percent_copied
from evomask.measures.disclosure.risk import DisclosureRisk
from tests.tables import numbers

NAMES = ("x", "y", "z")


def test_the_risk_of_a_file_counts_its_copies_of_people():
    rng = np.random.default_rng(1)
    table = numbers(**{name: rng.normal(size=300).round(2) for name in NAMES})
    risk = DisclosureRisk(NAMES).against(table)
    close, far = (
        Cart(NAMES, leaf=leaf, depth=100).mask(table, np.random.default_rng(2)) for leaf in (1, 50)
    )
    copied = percent_copied(table, close, NAMES)
    assert copied > 20
    assert percent_copied(table, far, NAMES) < 2
    assert risk(close) >= copied
    assert risk(close) > risk(far) + 20
