"""What kernels do most, translated into a few instructions instead of thirty.

To read one number of an array, the compiler copies all seven fields of the array to memory and
back, and asks whether the index counts from the end; a loop over a range becomes a page. The
optimiser removes nearly all of that again, but it has to be written, printed, parsed and
removed. Here an element, a length and a loop take what they need from the fields at hand.

An index that is a variable counts from the start: kernels never count from the end with one,
only with a constant such as ``-1``. Where kernels are compiled the usual way (`plain`), both do.
Like `parts`, this reaches into the compiler's own classes and is used with versions it was
tested with.
"""

import operator
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

_types: Any = types
WORD = ir.IntType(64)
DATA, SHAPE = 4, 5
"""Places of an array's address and shape among its fields."""


def _index(context: Any, builder: Any, kind: Any, given: Any, array: Any, axis: int) -> Any:
    """One index as a word; a constant below zero counts from the end."""
    word = context.cast(builder, given, kind, types.intp)
    if isinstance(word, ir.Constant) and word.constant < 0:
        return builder.add(builder.extract_value(array, (SHAPE, axis)), word)
    return word


def _parts_of(given: Any, kind: Any) -> dict[int, Any]:
    """The indices that a tuple was made of, as far as that was in this very block."""
    if not isinstance(kind, _types.BaseTuple):
        return {0: given}
    found: dict[int, Any] = {}
    while isinstance(given, ir.InsertValue):
        found.setdefault(given.indices[0], given.value)
        given = given.aggregate
    return found


def _place(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """The address of an element of an array in C order; none if the indices are not known."""
    array, kind = args[0], sig.args[1]
    kinds = kind.types if isinstance(kind, _types.BaseTuple) else (kind,)
    parts = _parts_of(args[1], kind)
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


def _read(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    place = _place(context, builder, sig, args)
    if place is None:
        return _get_function(context, operator.getitem, sig)(builder, args)
    return load_item(context, builder, sig.args[0], place)


def _write(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    place = _place(context, builder, sig, args)
    if place is None:
        return _get_function(context, operator.setitem, sig)(builder, args)
    array, _, kind = sig.args
    store_item(context, builder, array, context.cast(builder, args[2], kind, array.dtype), place)
    return None


def _length(_: Any, builder: Any, __: Any, args: Any) -> Any:
    return builder.extract_value(args[0], (SHAPE, 0))


def _joined(builder: Any, type_: Any, *values: Any) -> Any:
    found = ir.Constant(type_, ir.Undefined)
    for place, value in enumerate(values):
        found = builder.insert_value(found, value, place)
    return found


def _range(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """A range by its start, stop and step."""
    start, stop, step = {1: (WORD(0), *args, WORD(1)), 2: (*args, WORD(1)), 3: args}[len(args)]
    return _joined(builder, context.get_value_type(sig.return_type), start, stop, step)


def _begin(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """The state of a loop: where its next number and the count of those left are kept."""
    step = getattr(args[0], "value", None)
    if not isinstance(step, ir.Constant) or not step.constant:
        return _get_function(context, "getiter", sig)(builder, args)
    start, stop = (builder.extract_value(args[0], place) for place in range(2))
    here, left = (cgutils.alloca_once(builder, WORD, zfill=False) for _ in range(2))
    builder.store(start, here)
    builder.store(_count(builder, start, stop, step.constant), left)
    return _joined(builder, context.get_value_type(sig.return_type), here, stop, step, left)


def _count(builder: Any, start: Any, stop: Any, step: int) -> Any:
    """How many numbers a range holds."""
    way = builder.sub(stop, start) if step > 0 else builder.sub(start, stop)
    is_some = builder.icmp_signed(">", way, WORD(0))
    if abs(step) > 1:
        way = builder.udiv(builder.add(way, WORD(abs(step) - 1)), WORD(abs(step)))
    return builder.select(is_some, way, WORD(0))


def _next(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """The next number, and whether there is one."""
    here, step, left = (builder.extract_value(args[0], place) for place in (0, 2, 3))
    number, count = builder.load(here), builder.load(left)
    is_there = builder.icmp_signed(">", count, WORD(0))
    with builder.if_then(is_there):
        builder.store(builder.sub(count, WORD(1), flags=["nsw"]), left)
        builder.store(builder.add(number, step), here)
    return _joined(builder, context.get_value_type(sig.return_type), number, is_there)


def _is_element(args: Any) -> bool:
    """Whether an array in C order is asked for one of its numbers."""
    array, index = args[:2]
    if not isinstance(array, types.Array) or array.layout != "C":
        return False
    kinds = index.types if isinstance(index, _types.BaseTuple) else (index,)
    is_whole = all(isinstance(kind, _types.Integer) and kind.signed for kind in kinds)
    return len(kinds) == array.ndim and is_whole


def _is_array(args: Any) -> bool:
    return isinstance(args[0], types.Array)


def _is_word(args: Any) -> bool:
    return all(kind == types.int64 for kind in args)


STATIC = ("static_getitem", "static_setitem")
"""Ways of indexing by a constant, which arrays have not."""

Implementation = Callable[[Any, Any, Any, Any], Any]
LEAN: dict[Any, tuple[Callable[[Any], bool], Implementation]] = {
    operator.getitem: (_is_element, _read),
    operator.setitem: (_is_element, _write),
    len: (_is_array, _length),
    range: (_is_word, _range),
    "getiter": (lambda args: args[0] == _types.range_state64_type, _begin),
    "iternext": (lambda args: args[0] == _types.range_iter64_type, _next),
}
NO_VARIABLES = frozenset((str, int, float, bool, type(None), Loc, Scope))
NEVER = (lambda _: False, _read)
_get_function = BaseContext.get_function
_get_meminfos = NRTContext.get_meminfos
_get_abi_sizeof = BaseContext.get_abi_sizeof
_rec_list_vars = Inst._rec_list_vars
_has_loc = base._has_loc
_delvar = Lower.delvar
_tidy = PostProcessor.run
_sizes: dict[Any, int] = {}
_counted: dict[Any, bool] = {}


def _lean_function(context: Any, name: Any, sig: Any, _firstcall: bool = True) -> Any:
    """How the compiler translates a call: our way, where there is one."""
    key = getattr(name, "typing_key", name)
    if key in STATIC and _is_array(sig.args):
        raise NotImplementedError
    fits, implementation = LEAN.get(key, NEVER)
    if not fits(sig.args):
        return _get_function(context, name, sig, _firstcall)
    return lambda builder, args, _=None: implementation(context, builder, sig, args)


def _lean_meminfos(nrt: Any, builder: Any, kind: Any, value: Any) -> Any:
    """What is counted of an array is its first field."""
    if isinstance(kind, types.Array):
        return [(kind, builder.extract_value(value, 0))]
    return _get_meminfos(nrt, builder, kind, value) if _is_counted(nrt._context, kind) else []


def _is_counted(context: Any, kind: Any) -> bool:
    """Whether a value of a type holds arrays or other things that are counted."""
    if kind not in _counted:
        _counted[kind] = context.data_model_manager[kind].contains_nrt_meminfo()
    return _counted[kind]


def _lean_deletion(lower: Any, name: str) -> None:
    """Forget a variable; what is not counted just stays where it is."""
    kind = lower.typeof(name)
    is_local = name in lower._blk_local_varmap
    if is_local or _is_counted(lower.context, kind):
        _delvar(lower, name)
    else:
        lower._singly_assigned_vars.discard(name)
        lower._alloca_var(name, kind)


def _first(_: Any, builder: Any, pair: Any, __: Any) -> Any:
    return builder.extract_value(pair, 0)


def _second(_: Any, builder: Any, pair: Any, __: Any) -> Any:
    return builder.extract_value(pair, 1)


def _known_size(context: Any, type_: Any) -> int:
    """Bytes of a type, asked once."""
    if type_ not in _sizes:
        _sizes[type_] = _get_abi_sizeof(context, type_)
    return _sizes[type_]


def _variables(inst: Any, value: Any) -> Any:
    """The variables inside a statement or a part of it, most often none."""
    kind = type(value)
    if kind is Var:
        return [value]
    if kind in NO_VARIABLES:
        return []
    if kind is dict or kind is list or kind is tuple:
        parts = value.values() if kind is dict else value
        return [found for part in parts for found in _variables(inst, part)]
    return _rec_list_vars(inst, value)


def _tidied(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Tidy a function between two passes; how long variables live is asked at the end only."""
    if emit_dels:
        _tidy(processor, emit_dels, extend_lifetimes)
        return
    function = processor.func_ir
    function.blocks = canonicalize_cfg(function.blocks)
    function.generator_info = None


@cache
def _takes_place(implementation: Any) -> bool:
    """Whether an implementation wants to know the line it is called from."""
    return _has_loc(implementation)


LEAN_WAYS = (
    (BaseContext, "get_function", _lean_function),
    (NRTContext, "get_meminfos", _lean_meminfos),
    (BaseContext, "get_abi_sizeof", _known_size),
    (BaseContext, "pair_first", _first),
    (BaseContext, "pair_second", _second),
    (Lower, "delvar", _lean_deletion),
    (Inst, "_rec_list_vars", _variables),
    (base, "_has_loc", _takes_place),
    (PostProcessor, "run", _tidied),
    (event, "broadcast", lambda _: None),
)


@contextmanager
def replaced(*ways: tuple[Any, str, Any]) -> Iterator[None]:
    """Have owners do things in other ways for a while."""
    with ExitStack() as stack:
        for owner, name, way in ways:
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, way)
        yield
