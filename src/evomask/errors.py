"""Exceptions: one tree whose messages say what is wrong, where, and what to do."""


class EvomaskError(Exception):
    """Base of all errors that a user can correct; printed without a traceback."""


class ParameterError(EvomaskError):
    """A parameter has an invalid value."""


class UnmetError(ParameterError):
    """No point of the Pareto front is within the limits; the run's results stay on disk."""


class SchemaError(EvomaskError):
    """An attribute is unknown, or has the wrong kind or role."""


class DataError(EvomaskError):
    """The records cannot be used as they are."""


class FileError(EvomaskError):
    """A file cannot be read or written."""


class RunError(EvomaskError):
    """A stored run cannot be started, resumed or loaded."""
