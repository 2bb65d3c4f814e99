"""Named tuples that kernels and their parts hand on as one address.

By value, a tuple of seventy arrays is six hundred numbers, and every function that takes it
copies them all. Laid out, it is one block of words, written when it is made and never after:
whole and real numbers, truths as 0 or 1, nested tuples in place, and of an array the address of
its first number and its shape. Arrays read from it own nothing; whoever holds the block holds
them too, so no kernel may give one back.
"""

import struct
from collections.abc import Iterator
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype

T = TypeVar("T")
WORD = ir.IntType(64)


class Bundle(types.Type):  # type: ignore[misc]
    """The type of a laid out named tuple with fields of the given types."""

    def __init__(self, name: type[tuple[Any, ...]], fields: tuple[Any, ...]) -> None:
        self.kinds = dict(zip(name._fields, fields, strict=True))  # type: ignore[attr-defined]
        self.places: dict[str, int] = {}
        self.words = 0
        for field, kind in self.kinds.items():
            self.places[field] = self.words
            self.words += _words(kind)
        super().__init__(f"{name.__module__.removeprefix(f'{__package__}.')}.{name.__name__}")


def _words(kind: Any) -> int:
    if isinstance(kind, Bundle):
        return kind.words
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


class Laid:
    """A named tuple and its block; its fields can be read as before."""

    def __init__(self, kind: Bundle, value: Any) -> None:
        self.kind = kind
        self.value = value
        self.block = np.array(list(_written(kind, value)), dtype=np.int64)
        self.address = self.block.ctypes.data

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "value"), name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Laid out anew in another process, where its arrays have other addresses."""
        return Laid, (self.kind, self.value)


def laid(kind: Any, value: T) -> T:
    """Lay a named tuple out for kernels: what they change, they change in its arrays."""
    return cast(T, Laid(kind, value))


def _written(kind: Any, value: Any) -> Iterator[int]:
    """The words of a value, arrays checked: kernels trust their type and layout."""
    if isinstance(kind, Bundle):
        for own, part in zip(kind.kinds.values(), value, strict=True):
            yield from _written(own, part)
    elif isinstance(kind, types.Array):
        _check_array(kind, value)
        yield from (value.ctypes.data, *value.shape)
    elif isinstance(kind, types.Float):
        yield struct.unpack("q", struct.pack("d", value))[0]
    else:
        yield int(value)


def _check_array(kind: Any, value: Any) -> None:
    if value.dtype != as_dtype(kind.dtype) or value.ndim != kind.ndim:
        raise TypeError(f"an array of {value.dtype} in {value.ndim} dimensions is no {kind}")
    if not value.flags.c_contiguous or (kind.mutable and not value.flags.writeable):
        raise TypeError("arrays for kernels must be contiguous and writeable")


register_model(Bundle)(models.OpaqueModel)


@typeof_impl.register(Laid)
def _type_of(value: Laid, _: Any) -> Bundle:
    return value.kind


@unbox(Bundle)
def _unbox(_: Bundle, value: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address, is_error=c.pyapi.c_api_error())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = Bundle

    def generic_resolve(self, kind: Bundle, name: str) -> Any:
        return kind.kinds.get(name)


class _Block:
    """The words of one field, read by instructions that the compiler may reorder at will."""

    def __init__(self, builder: Any, kind: Bundle, address: Any, name: str) -> None:
        self.builder = builder
        start = builder.bitcast(address, WORD.as_pointer())
        self.start = builder.gep(start, [WORD(kind.places[name])], inbounds=True)

    def word(self, place: int, type_: Any) -> Any:
        """One word as a value of the given type."""
        where = self.builder.gep(self.start, [WORD(place)], inbounds=True)
        loaded = self.builder.load(self.builder.bitcast(where, type_.as_pointer()))
        loaded.set_metadata("invariant.load", self.builder.module.add_metadata([]))
        return loaded


@lower_getattr_generic(Bundle)
def _read(context: Any, builder: Any, kind: Bundle, address: Any, name: str) -> Any:
    field, block = kind.kinds[name], _Block(builder, kind, address, name)
    if isinstance(field, Bundle):
        return builder.bitcast(block.start, address.type)
    if isinstance(field, types.Array):
        return _read_array(context, builder, field, block)
    if isinstance(field, types.Boolean):
        return builder.icmp_signed("!=", block.word(0, WORD), WORD(0))
    return block.word(0, context.get_value_type(field))


def _read_array(context: Any, builder: Any, kind: Any, block: _Block) -> Any:
    array = context.make_array(kind)(context, builder)
    size = as_dtype(kind.dtype).itemsize
    shape = [block.word(1 + axis, WORD) for axis in range(kind.ndim)]
    strides = [WORD(size)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length, flags=["nsw"]))
    populate_array(array, block.word(0, array.data.type), shape, strides, size, None)
    return array._getvalue()
