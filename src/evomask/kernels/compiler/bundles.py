# ruff: noqa: ANN401
"""Named tuples that are passed to kernels and inner functions as one pointer.

By value a tuple of seventy arrays is six hundred scalars, and every function that takes it copies
them all. A bundle is one block of 64-bit words: integers and real numbers, booleans as 0 or 1,
nested tuples in place, and of an array the address of its first element and its shape. The block is
written once. Arrays read from it have no reference count: whoever holds the block keeps them alive,
so no kernel may return one.
"""

import struct
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

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
Writer: TypeAlias = Callable[[Any, list[int]], None]
WORD = ir.IntType(64)
KERNELS_PACKAGE = __package__.rpartition(".")[0]


class Bundle(types.Type):  # type: ignore[misc]
    """Type of a bundled named tuple with fields of the given types."""

    def __init__(self, name: type[tuple[Any, ...]], fields: tuple[Any, ...]) -> None:
        self.kinds = dict(zip(name._fields, fields, strict=True))  # type: ignore[attr-defined]
        self.writers = [_writer(kind) for kind in fields]
        self.places: dict[str, int] = {}
        self.words = 0
        for field, kind in self.kinds.items():
            self.places[field] = self.words
            self.words += _word_count(kind)
        super().__init__(f"{name.__module__.removeprefix(f'{KERNELS_PACKAGE}.')}.{name.__name__}")


def _word_count(kind: Any) -> int:
    if isinstance(kind, Bundle):
        return kind.words
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


class BundledTuple:
    """A named tuple and its block of words; the fields of the tuple stay readable."""

    def __init__(self, kind: Bundle, value: Any) -> None:
        self.kind = kind
        self.value = value
        words: list[int] = []
        _write_bundle(kind, value, words)
        self.block = np.array(words, dtype=np.int64)
        self.address = self.block.ctypes.data

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "value"), name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild the block in another process, where the arrays have other addresses."""
        return BundledTuple, (self.kind, self.value)


def bundle_tuple(kind: Any, value: T) -> T:
    """Prepare a named tuple for kernels; they change its arrays in place."""
    return cast(T, BundledTuple(kind, value))


def _write_bundle(kind: Bundle, value: Any, words: list[int]) -> None:
    for write, part in zip(kind.writers, value, strict=True):
        write(part, words)


def _writer(kind: Any) -> Writer:
    """Return a function that appends the words of a value; made once for each type."""
    if isinstance(kind, Bundle):
        return partial(_write_bundle, kind)
    if isinstance(kind, types.Array):
        return partial(_write_array, kind, as_dtype(kind.dtype), kind.ndim, kind.mutable)
    return _write_float if isinstance(kind, types.Float) else _write_int


def _write_float(value: Any, words: list[int]) -> None:
    words.append(struct.unpack("q", struct.pack("d", value))[0])


def _write_int(value: Any, words: list[int]) -> None:
    words.append(int(value))


def _write_array(
    kind: Any, dtype: Any, ndim: int, mutable: bool, value: Any, words: list[int]
) -> None:
    """Refuse what kernels would misread: they check neither type nor layout."""
    if value.dtype != dtype or value.ndim != ndim:
        raise TypeError(
            f"expected an array of type {kind}, got {value.dtype} in {value.ndim} dimensions"
        )
    flags = value.flags
    if not flags.c_contiguous or (mutable and not flags.writeable):
        raise TypeError("arrays for kernels must be contiguous and writeable")
    words.append(value.__array_interface__["data"][0])
    words.extend(value.shape)


def _type_of(value: BundledTuple, _: Any) -> Bundle:
    return value.kind


def _unbox(_: Bundle, value: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address, is_error=c.pyapi.c_api_error())


class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = Bundle

    def generic_resolve(self, kind: Bundle, name: str) -> Any:
        return kind.kinds.get(name)


class _FieldWords:
    """Loads of the words of one field; they are invariant, so that LLVM may reorder them."""

    def __init__(self, builder: Any, kind: Bundle, address: Any, name: str) -> None:
        self.builder = builder
        start = builder.bitcast(address, WORD.as_pointer())
        self.start = builder.gep(start, [WORD(kind.places[name])], inbounds=True)

    def load(self, place: int, type_: Any) -> Any:
        where = self.builder.gep(self.start, [WORD(place)], inbounds=True)
        loaded = self.builder.load(self.builder.bitcast(where, type_.as_pointer()))
        loaded.set_metadata("invariant.load", self.builder.module.add_metadata([]))
        return loaded


def _lower_field(context: Any, builder: Any, kind: Bundle, address: Any, name: str) -> Any:
    field, words = kind.kinds[name], _FieldWords(builder, kind, address, name)
    if isinstance(field, Bundle):
        return builder.bitcast(words.start, address.type)
    if isinstance(field, types.Array):
        return _lower_array(context, builder, field, words)
    if isinstance(field, types.Boolean):
        return builder.icmp_signed("!=", words.load(0, WORD), WORD(0))
    return words.load(0, context.get_value_type(field))


def _lower_array(context: Any, builder: Any, kind: Any, words: _FieldWords) -> Any:
    array = context.make_array(kind)(context, builder)
    size = as_dtype(kind.dtype).itemsize
    shape = [words.load(1 + axis, WORD) for axis in range(kind.ndim)]
    strides = [WORD(size)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length, flags=["nsw"]))
    populate_array(array, words.load(0, array.data.type), shape, strides, size, None)
    return array._getvalue()


register_model(Bundle)(models.OpaqueModel)
typeof_impl.register(BundledTuple)(_type_of)
unbox(Bundle)(_unbox)
infer_getattr(_Fields)
lower_getattr_generic(Bundle)(_lower_field)
