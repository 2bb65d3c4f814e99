"""Kernels compiled as a whole: their parts are translated once and optimised only inside them.

The compiler makes each function a library of its own, optimises it together with all that it
calls, and turns it into machine code, also where nothing but other compiled functions will ever
call it. Here only kernels are libraries of that kind; a part is kept as it was translated.

All this reaches into numba's own classes, so it is used with versions it was tested with; with
any other, kernels are compiled the usual way, which takes longer (decisions/0013).
"""

import gc
import math
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numba
import numpy as np
from llvmlite.binding import Linkage
from numba.core import typeinfer, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonRewrites,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.types.misc import unliteral
from numba.core.untyped_passes import (
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    TranslateByteCode,
)
from numba.np import arrayobj

from evomask.kernels.lean import LEAN_WAYS, replaced

ENVIRONMENT = "_ZN08NumbaEnv"
"""How names of variables begin that hold a function's constants."""

WRAPPERS = ("wrapper", "cfunc_wrapper")
NARROW = (types.int8, types.int16, types.int32)
OPTIONS = {"nopython": True, "boundscheck": None}


class _Quiet:
    """A code generator that knows no addresses: parts have none."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Leave it for the kernel that holds the part."""


class Part(JITCodeLibrary):  # type: ignore[misc]
    """A function that is called by other compiled ones only: translated, never linked alone."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.modules: list[Any] = []

    @property
    def codegen(self) -> Any:
        """As the compiler sees it while it translates a part."""
        return _Quiet(self._codegen)

    def add_ir_module(self, ir_module: Any) -> None:
        """Take a translation, without wrappers; several kernels may hold the same function."""
        if ir_module.name in WRAPPERS:
            return
        for function in ir_module.functions:
            if not function.is_declaration and function.linkage in ("", "external"):
                function.linkage = "linkonce_odr"
        super().add_ir_module(ir_module)

    def add_llvm_module(self, ll_module: Any) -> None:
        """Tidy each function; linking and the rest is done inside kernels."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)
        self.modules.append(ll_module)

    def finalize(self) -> None:
        """Nothing more is added; no machine code is made."""
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No address: 0, as the compiler has it for functions without machine code."""
        return 0

    def _get_module_for_linking(self) -> Any:
        """With all that it calls, for libraries that are not ours."""
        first, *others = self.modules
        module = first.clone()
        for other in [*others, *_modules(self._linking_libraries)]:
            module.link_in(other, preserve=True)
        return module


def _reached(libraries: list[Any]) -> list[Any]:
    """Libraries and all that parts among them call, callers first: what is called is linked."""
    found: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library not in found:
            called = library._linking_libraries if isinstance(library, Part) else ()
            for other in called:
                visit(other)
            found[library] = None

    for library in libraries:
        visit(library)
    return list(reversed(found))


def _modules(libraries: list[Any]) -> Iterator[Any]:
    for library in _reached(libraries):
        if isinstance(library, Part):
            yield from library.modules
        else:
            yield library._get_module_for_linking()


class Whole(JITCodeLibrary):  # type: ignore[misc]
    """A kernel with all its parts, optimised together."""

    def _optimize_final_module(self) -> None:
        """Once: the cheap passes that usually come before have tidied each part already."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def finalize(self) -> None:
        """Link the parts, hide them from all others so that they can be dissolved, and compile."""
        for module in _modules(self._linking_libraries):
            self._final_module.link_in(module, preserve=True)
        for library in _reached(self._linking_libraries):
            self._reload_init.update(library._reload_init)
        self._linking_libraries: list[Any] = []
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and function.name.startswith("_ZN"):
                function.linkage = Linkage.internal
        super().finalize()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)


@contextmanager
def _parts(codegen: Any) -> Iterator[None]:
    """All libraries made inside are parts."""
    codegen.create_library = lambda name: Part(codegen, name)
    try:
        yield
    finally:
        del codegen.create_library


def _unequal(_source: Any, _target: Any) -> None:
    """Wording the error with both shapes would compile thirty functions on texts."""
    raise ValueError("kernels copy between arrays of equal shapes only")


_wrap = CPUContext.create_cpython_wrapper


def _wrapped(context: Any, library: Any, *args: Any, **kws: Any) -> None:
    """Make a function callable from Python, unless only kernels call it.

    It lets go of the interpreter lock while it runs, so that a process can answer meanwhile.
    """
    if not isinstance(library, Part):
        _wrap(context, library, *args, **{**kws, "release_gil": True})


OPERATORS = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.neg, operator.invert,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.and_,
    operator.or_, operator.xor, operator.lshift, operator.rshift, operator.ior, operator.ixor,
    operator.not_, operator.getitem, operator.setitem, abs, bool, range, math.sqrt, math.log,
    math.exp, np.isnan,
}  # fmt: skip
"""Functions whose types do not depend on how their callers are compiled."""

_types: Any = types
PLAIN = (types.Number, types.Boolean, types.Array, _types.BaseTuple, _types.SliceType)
_resolve = _types.BaseFunction.get_call_type
_resolved: dict[Any, Any] = {}


def _remembered(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """What an operator gives for numbers and arrays is asked for thousands of times."""
    is_plain = not kws and function.typing_key in OPERATORS
    if not is_plain or not all(isinstance(kind, PLAIN) for kind in args):
        return _resolve(function, context, args, kws)
    key = (function, tuple(args))
    if key not in _resolved:
        _resolved[key] = _resolve(function, context, args, kws)
    return _resolved[key]


@contextmanager
def _without_collection() -> Iterator[None]:
    """Compiling makes millions of objects that live as long as it; looking at them is in vain."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, GenericRewrites, ReconstructSSA,
    NopythonTypeInference, PreLowerStripPhis, NopythonRewrites, IRLegalization, NativeLowering,
    NoPythonBackend,
)  # fmt: skip
"""What is done to a function of ours; the usual passes that are left out are for closures,
comprehensions, context managers, constants that decide types, and parallel loops."""


class PartCompiler(CompilerBase):  # type: ignore[misc]
    """Translates functions as plain as ours."""

    def define_pipelines(self) -> Any:
        """The passes as the compiler wants them."""
        manager = PassManager("part of kernels")
        manager._ENFORCING = False
        for each in PASSES:
            manager.add_pass(each, each.__name__)
        manager.finalize()
        return [manager]


class KernelCompiler(PartCompiler):
    """Makes a kernel a whole, and all that is compiled on its way parts."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a kernel from its Python function."""
        codegen = self.state.targetctx.codegen()
        self.state.library = Whole(codegen, func.__qualname__)
        self.state.library.enable_object_caching()
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.no_cfunc_wrapper = True
        with _parts(codegen), replaced(*LEAN_WAYS, *_ways()), _without_collection():
            return super().compile_extra(func)

    def define_pipelines(self) -> Any:
        """With a wrapper, although what is compiled on the way must not see that in the flags.

        The compiler keeps what it has compiled of the libraries' functions by the flags of who
        calls them, so with equal flags each is compiled once.
        """
        self.state.flags.no_cpython_wrapper = False
        return super().define_pipelines()


class PartDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A part of kernels, compiled once for all whole numbers, whatever their width or value.

    And once for arrays, whether they may be changed or not; that a kernel leaves alone what it
    must is checked where it is compiled the usual way.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How a kernel calls the part."""
        named = {name: _wide(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(_wide, args)), named)

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """From outside kernels, as tests do: compiled for itself."""
        return self._alone(*args, **kws)

    @cached_property
    def _alone(self) -> Any:
        return numba.njit(self.py_func)


def _wide(kind: Any) -> Any:
    plain: Any = unliteral(kind)
    if isinstance(plain, types.Array) and not plain.mutable:
        return plain.copy(readonly=False)
    return types.int64 if plain in NARROW else plain


def part_of_kernels(function: Any, options: dict[str, Any]) -> Any:
    """A part, with options of the compiler."""
    all_options = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
    return PartDispatcher(
        py_func=function, locals={}, targetoptions=all_options, pipeline_class=PartCompiler
    )


def _ways() -> tuple[tuple[Any, str, Any], ...]:
    """What the compiler does otherwise while it compiles a kernel."""
    return (
        (_types.BaseFunction, "get_call_type", _remembered),
        (CPUContext, "create_cpython_wrapper", _wrapped),
        (CPUContext, "create_cfunc_wrapper", lambda *_: None),
        (arrayobj, "raise_with_shape_context", part_of_kernels(_unequal, {})),
    )


def kernel_of(function: Any, signature: Any, kept: Any) -> Any:
    """A kernel for these types, from disk where it is kept there."""
    found = CPUDispatcher(
        py_func=function, locals={}, targetoptions=OPTIONS, pipeline_class=KernelCompiler
    )
    found._cache = kept
    with typeinfer.register_dispatcher(found):
        found.compile(signature)
    found.disable_compile()
    return found
