import pickle

import numpy as np

from tests.tables import mixed


def test_a_table_sent_to_another_process_arrives_whole():
    table = mixed()
    flags = np.arange(len(table)) % 7 == 0
    arrived = pickle.loads(pickle.dumps(table.suppressing(flags)))
    assert arrived.schema == table.schema
    assert np.array_equal(arrived.suppressed, flags)
    for name in table.schema.names:
        assert np.array_equal(arrived[name], table[name], equal_nan=arrived[name].dtype.kind == "f")
