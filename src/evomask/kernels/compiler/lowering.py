# ruff: noqa: ANN401
"""Short LLVM code for reading and writing array elements, and for lengths.

To read one element, numba copies the seven fields of the array to memory and back. The optimiser
removes nearly all of it, but it has to be generated, printed, parsed and removed first. Here the
few values that are needed are taken from the fields at hand. Negative indices count from the end,
as everywhere in numba.

These functions replace private parts of numba and are used with tested versions only.
"""

import operator
import os
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.np.arrayobj import fix_integer_index, load_item, store_item

CHECKS_INDICES = bool(os.environ.get("EVOMASK_CHECK_INDICES"))
_types: Any = types
WORD = ir.IntType(64)
DATA, SHAPE = 4, 5
"""Positions of the data pointer and the shape among the fields of an array."""


def _tuple_elements(given: Any, kind: Any) -> dict[int, Any]:
    """Elements of an index tuple, as far as the tuple was built in the same block."""
    if not isinstance(kind, _types.BaseTuple):
        return {0: given}
    found: dict[int, Any] = {}
    while isinstance(given, ir.InsertValue):
        found.setdefault(given.indices[0], given.value)
        given = given.aggregate
    return found


def _element_address(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Address of an element of a C-ordered array; none if an index is not known."""
    array, kind = args[0], sig.args[1]
    kinds = kind.types if isinstance(kind, _types.BaseTuple) else (kind,)
    parts = _tuple_elements(args[1], kind)
    if len(parts) < len(kinds):
        return None
    offset = WORD(0)
    for axis, own in enumerate(kinds):
        length = builder.extract_value(array, (SHAPE, axis))
        word = fix_integer_index(context, builder, own, parts[axis], length)
        if CHECKS_INDICES:
            cgutils.do_boundscheck(context, builder, word, length, axis)
        offset = builder.add(builder.mul(offset, length), word) if axis else word
    return builder.gep(builder.extract_value(array, DATA), [offset])


def _load_element(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    place = _element_address(context, builder, sig, args)
    if place is None:
        return _get_function(context, operator.getitem, sig)(builder, args)
    return load_item(context, builder, sig.args[0], place)


def _store_element(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    place = _element_address(context, builder, sig, args)
    if place is None:
        return _get_function(context, operator.setitem, sig)(builder, args)
    array, _, kind = sig.args
    store_item(context, builder, array, context.cast(builder, args[2], kind, array.dtype), place)
    return None


def _is_element(args: Any) -> bool:
    """Whether a C-ordered array is indexed by one signed integer per dimension."""
    array, index = args[:2]
    if not isinstance(array, types.Array) or array.layout != "C":
        return False
    kinds = index.types if isinstance(index, _types.BaseTuple) else (index,)
    is_whole = all(isinstance(kind, _types.Integer) and kind.signed for kind in kinds)
    return len(kinds) == array.ndim and is_whole


def _is_array(args: Any) -> bool:
    return isinstance(args[0], types.Array)


STATIC = ("static_getitem", "static_setitem")
"""Operations with a constant index; refusing them for arrays makes numba use the general ones."""

Implementation = Callable[[Any, Any, Any, Any], Any]
IMPLEMENTATIONS: dict[Any, tuple[Callable[[Any], bool], Implementation]] = {
    operator.getitem: (_is_element, _load_element),
    operator.setitem: (_is_element, _store_element),
    len: (_is_array, lambda _, builder, __, args: builder.extract_value(args[0], (SHAPE, 0))),
}
NEVER = (lambda _: False, _load_element)
_get_function = BaseContext.get_function


def get_function(context: Any, name: Any, sig: Any, _firstcall: bool = True) -> Any:
    """Replacement of numba's choice of an implementation: ours, where it applies."""
    key = getattr(name, "typing_key", name)
    if key in STATIC and _is_array(sig.args):
        raise NotImplementedError
    fits, implementation = IMPLEMENTATIONS.get(key, NEVER)
    if not fits(sig.args):
        return _get_function(context, name, sig, _firstcall)
    return lambda builder, args, _=None: implementation(context, builder, sig, args)
