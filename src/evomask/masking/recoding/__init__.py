"""Recoding: global recoding, generalization, top and bottom coding, derived columns."""
