"""The error tree: one sentence each, naming what is wrong, where, and what to do."""


class EvomaskError(Exception):
    """Anything a user can mend; front ends print its sentence without a traceback."""


class ParameterError(EvomaskError):
    """A parameter has a value it cannot have."""


class UnmetError(ParameterError):
    """No point of a front is within the limits; what was found is kept."""


class SchemaError(EvomaskError):
    """An attribute is unknown, or is not of the kind or role that is needed."""


class DataError(EvomaskError):
    """The records themselves cannot be used as they are."""


class FileError(EvomaskError):
    """A file cannot be read or written."""


class RunError(EvomaskError):
    """A run on disk cannot be started, resumed or read."""
