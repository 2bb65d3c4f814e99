# ruff: noqa: ANN401
"""Short LLVM code for what kernels do most: array elements, lengths and ranges.

To read one element, numba copies the seven fields of the array to memory and back and tests whether
the index is negative; a loop over a range becomes a page of code. The optimiser removes nearly all
of it, but it has to be generated, printed, parsed and removed first. Here the few values that are
needed are taken from the fields at hand.

The package docstring of `evomask.kernels.compiler` describes the contract on negative indices.
These functions replace private parts of numba and are used with tested versions only.
"""

import operator
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import base, cgutils, event, types
from numba.core.base import BaseContext
from numba.core.ir import Inst, Loc, Scope, Var
from numba.core.lowering import Lower
from numba.core.postproc import PostProcessor
from numba.core.runtime.context import NRTContext
from numba.core.transforms import canonicalize_cfg
from numba.np.arrayobj import load_item, store_item

CHECKS_INDICES = bool(os.environ.get("EVOMASK_CHECK_INDICES"))
_types: Any = types
WORD = ir.IntType(64)
DATA, SHAPE = 4, 5
"""Positions of the data pointer and the shape among the fields of an array."""


def _index(context: Any, builder: Any, kind: Any, given: Any, array: Any, axis: int) -> Any:
    """One index as a word; a negative constant counts from the end."""
    word = context.cast(builder, given, kind, types.intp)
    if isinstance(word, ir.Constant) and word.constant < 0:
        return builder.add(builder.extract_value(array, (SHAPE, axis)), word)
    if CHECKS_INDICES:
        length = builder.extract_value(array, (SHAPE, axis))
        cgutils.do_boundscheck(context, builder, word, length, axis)
    return word


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
        word = _index(context, builder, own, parts[axis], array, axis)
        if axis:
            before = builder.mul(offset, builder.extract_value(array, (SHAPE, axis)))
            word = builder.add(before, word)
        offset = word
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


def _build_struct(builder: Any, type_: Any, *values: Any) -> Any:
    found = ir.Constant(type_, ir.Undefined)
    for place, value in enumerate(values):
        found = builder.insert_value(found, value, place)
    return found


def _range(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    start, stop, step = {1: (WORD(0), *args, WORD(1)), 2: (*args, WORD(1)), 3: args}[len(args)]
    return _build_struct(builder, context.get_value_type(sig.return_type), start, stop, step)


def _start_loop(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """State of a loop: memory for the next number and for the number of steps left."""
    step = getattr(args[0], "value", None)
    if not isinstance(step, ir.Constant) or not step.constant:
        return _get_function(context, "getiter", sig)(builder, args)
    start, stop = (builder.extract_value(args[0], place) for place in range(2))
    position, left = (cgutils.alloca_once(builder, WORD, zfill=False) for _ in range(2))
    builder.store(start, position)
    builder.store(_range_length(builder, start, stop, step.constant), left)
    return _build_struct(
        builder, context.get_value_type(sig.return_type), position, stop, step, left
    )


def _range_length(builder: Any, start: Any, stop: Any, step: int) -> Any:
    span = builder.sub(stop, start) if step > 0 else builder.sub(start, stop)
    is_nonempty = builder.icmp_signed(">", span, WORD(0))
    if abs(step) > 1:
        span = builder.udiv(builder.add(span, WORD(abs(step) - 1)), WORD(abs(step)))
    return builder.select(is_nonempty, span, WORD(0))


def _advance_loop(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """The next number of a loop, and whether there is one."""
    position, step, left = (builder.extract_value(args[0], place) for place in (0, 2, 3))
    number, count = builder.load(position), builder.load(left)
    is_there = builder.icmp_signed(">", count, WORD(0))
    with builder.if_then(is_there):
        builder.store(builder.sub(count, WORD(1), flags=["nsw"]), left)
        builder.store(builder.add(number, step), position)
    return _build_struct(builder, context.get_value_type(sig.return_type), number, is_there)


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
    range: (lambda args: all(kind == types.int64 for kind in args), _range),
    "getiter": (lambda args: args[0] == _types.range_state64_type, _start_loop),
    "iternext": (lambda args: args[0] == _types.range_iter64_type, _advance_loop),
}
NO_VARIABLES = frozenset((str, int, float, bool, type(None), Loc, Scope))
NEVER = (lambda _: False, _load_element)
_get_function = BaseContext.get_function
_get_meminfos = NRTContext.get_meminfos
_get_abi_sizeof = BaseContext.get_abi_sizeof
_rec_list_vars = Inst._rec_list_vars
_has_loc = base._has_loc
_delvar = Lower.delvar
_run_postprocessor = PostProcessor.run
_sizes: dict[Any, int] = {}
_has_meminfo: dict[Any, bool] = {}


def _lookup_function(context: Any, name: Any, sig: Any, _firstcall: bool = True) -> Any:
    """Replacement of numba's choice of an implementation: ours, where it applies."""
    key = getattr(name, "typing_key", name)
    if key in STATIC and _is_array(sig.args):
        raise NotImplementedError
    fits, implementation = IMPLEMENTATIONS.get(key, NEVER)
    if not fits(sig.args):
        return _get_function(context, name, sig, _firstcall)
    return lambda builder, args, _=None: implementation(context, builder, sig, args)


def _collect_meminfos(nrt: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Reference-counted parts of a value; of an array, its first field."""
    if isinstance(kind, types.Array):
        return [(kind, builder.extract_value(value, 0))]
    return _get_meminfos(nrt, builder, kind, value) if _holds_references(nrt._context, kind) else []


def _holds_references(context: Any, kind: Any) -> bool:
    if kind not in _has_meminfo:
        _has_meminfo[kind] = context.data_model_manager[kind].contains_nrt_meminfo()
    return _has_meminfo[kind]


def _delete_variable(lower: Any, name: str) -> None:
    """Delete a variable; nothing has to be released where it holds no references."""
    kind = lower.typeof(name)
    is_local = name in lower._blk_local_varmap
    if is_local or _holds_references(lower.context, kind):
        _delvar(lower, name)
    else:
        lower._singly_assigned_vars.discard(name)
        lower._alloca_var(name, kind)


def _cached_sizeof(context: Any, type_: Any) -> int:
    if type_ not in _sizes:
        _sizes[type_] = _get_abi_sizeof(context, type_)
    return _sizes[type_]


def _variables(inst: Any, value: Any) -> Any:
    """Variables inside a statement or a part of it."""
    kind = type(value)
    if kind is Var:
        return [value]
    if kind in NO_VARIABLES:
        return []
    if kind is dict or kind is list or kind is tuple:
        parts = value.values() if kind is dict else value
        return [found for part in parts for found in _variables(inst, part)]
    return _rec_list_vars(inst, value)


def _postprocess(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Clean up a function between two passes; lifetimes are analysed at the end only."""
    if emit_dels:
        _run_postprocessor(processor, emit_dels, extend_lifetimes)
        return
    function = processor.func_ir
    function.blocks = canonicalize_cfg(function.blocks)
    function.generator_info = None


@cache
def _cached_has_loc(implementation: Any) -> bool:
    """Whether an implementation takes the source location of its call."""
    return _has_loc(implementation)


HOOKS = (
    (BaseContext, "get_function", _lookup_function),
    (NRTContext, "get_meminfos", _collect_meminfos),
    (BaseContext, "get_abi_sizeof", _cached_sizeof),
    (BaseContext, "pair_first", lambda _, builder, pair, __: builder.extract_value(pair, 0)),
    (BaseContext, "pair_second", lambda _, builder, pair, __: builder.extract_value(pair, 1)),
    (Lower, "delvar", _delete_variable),
    (Inst, "_rec_list_vars", _variables),
    (base, "_has_loc", _cached_has_loc),
    (PostProcessor, "run", _postprocess),
    (event, "broadcast", lambda _: None),
)


@contextmanager
def replace_attributes(*hooks: tuple[Any, str, Any]) -> Iterator[None]:
    """Replace attributes of objects, given as (owner, name, value), inside a with block."""
    with ExitStack() as stack:
        for owner, name, value in hooks:
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, value)
        yield
