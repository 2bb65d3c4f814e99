# ruff: noqa: ANN401
"""Kernels compiled as a whole: inner functions are translated once and optimised inside kernels.

numba makes each function a code library: it optimises the function together with all that it calls
and makes machine code of it, even if only other compiled functions call it. Here only kernels are
such libraries; an inner function remains an LLVM module that is linked into kernels.

These classes replace private parts of numba and are used with tested versions only; with any other
version `evomask.kernels.jit` compiles on the plain path (decisions/0013).
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core import typeinfer, types
from numba.core.base import BaseContext
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

from evomask.kernels.compiler.lowering import get_function

ENVIRONMENT = "_ZN08NumbaEnv"
"""Prefix of the variables that hold the constants of a function."""

OPTIONS = {"nopython": True, "boundscheck": None}


class _CodegenWithoutAddresses:
    """Code generator for inner functions, which have no addresses."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing; the kernel that contains the function does it."""


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """LLVM module of a function that only compiled functions call; never linked alone."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.modules: list[Any] = []

    @property
    def codegen(self) -> Any:
        return _CodegenWithoutAddresses(self._codegen)

    def add_ir_module(self, ir_module: Any) -> None:
        """Add LLVM code; several kernels may contain the same function."""
        for function in ir_module.functions:
            if not function.is_declaration and function.linkage in ("", "external"):
                function.linkage = "linkonce_odr"
        super().add_ir_module(ir_module)

    def add_llvm_module(self, ll_module: Any) -> None:
        """Run the function passes; linking and optimisation follow inside kernels."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)
        self.modules.append(ll_module)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, numba's value for functions without machine code."""
        return 0

    def _get_module_for_linking(self) -> Any:
        """The module with all that it calls, for libraries of numba itself."""
        first, *others = self.modules
        module = first.clone()
        for other in [*others, *_modules(self._linking_libraries)]:
            module.link_in(other, preserve=True)
        return module


def _transitive(libraries: list[Any]) -> list[Any]:
    """Libraries and all that inner libraries among them call, callers first."""
    found: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library not in found:
            called = library._linking_libraries if isinstance(library, InnerLibrary) else ()
            for other in called:
                visit(other)
            found[library] = None

    for library in libraries:
        visit(library)
    return list(reversed(found))


def _modules(libraries: list[Any]) -> Iterator[Any]:
    for library in _transitive(libraries):
        if isinstance(library, InnerLibrary):
            yield from library.modules
        else:
            yield library._get_module_for_linking()


class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A kernel and its inner functions, optimised together."""

    def finalize(self) -> None:
        """Link the inner functions as internal, so that they can be inlined, and compile."""
        for module in _modules(self._linking_libraries):
            self._final_module.link_in(module, preserve=True)
        for library in _transitive(self._linking_libraries):
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
def _inner_libraries(codegen: Any) -> Iterator[None]:
    """Make every library that is created in a with block an inner one."""
    codegen.create_library = lambda name: InnerLibrary(codegen, name)
    try:
        yield
    finally:
        del codegen.create_library


_create_wrapper = CPUContext.create_cpython_wrapper


def _create_kernel_wrapper(context: Any, library: Any, *args: Any, **kws: Any) -> None:
    """Create the Python wrapper of a kernel; inner functions have none.

    The kernel releases the interpreter lock while it runs.
    """
    if not isinstance(library, InnerLibrary):
        _create_wrapper(context, library, *args, **{**kws, "release_gil": True})


HOOKS = (
    (BaseContext, "get_function", get_function),
    (CPUContext, "create_cpython_wrapper", _create_kernel_wrapper),
    (CPUContext, "create_cfunc_wrapper", lambda *_: None),
)


@contextmanager
def _replaced_attributes() -> Iterator[None]:
    """Replace the attributes of `HOOKS` inside a with block."""
    with ExitStack() as stack:
        for owner, name, value in HOOKS:
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, value)
        yield


PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, GenericRewrites, ReconstructSSA,
    NopythonTypeInference, PreLowerStripPhis, NopythonRewrites, IRLegalization, NativeLowering,
    NoPythonBackend,
)  # fmt: skip
"""Passes for kernels and inner functions. numba's other passes are for closures, comprehensions,
context managers, constants that decide types, and parallel loops.
"""


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """Compiler pipeline of inner functions."""

    def define_pipelines(self) -> Any:
        manager = PassManager("part of kernels")
        manager._ENFORCING = False
        for each in PASSES:
            manager.add_pass(each, each.__name__)
        manager.finalize()
        return [manager]


class KernelCompiler(InnerCompiler):
    """Compiler pipeline of kernels; all functions compiled on the way become inner libraries."""

    def compile_extra(self, func: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = KernelLibrary(codegen, func.__qualname__)
        self.state.library.enable_object_caching()
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.no_cfunc_wrapper = True
        with _inner_libraries(codegen), _replaced_attributes():
            return super().compile_extra(func)

    def define_pipelines(self) -> Any:
        """Request a Python wrapper, after the flags for called functions were set without one.

        numba reuses compiled library functions for callers with the same flags, so with equal flags
        each is compiled once.
        """
        self.state.flags.no_cpython_wrapper = False
        return super().define_pipelines()


class InnerDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Dispatcher that compiles an inner function once for all integer widths.

    And once for writable and read-only arrays: that kernels leave read-only arguments unchanged is
    checked on the plain path.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        named = {name: _widen(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(_widen, args)), named)

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Call from Python (in tests); numba compiles the function separately."""
        return self._standalone(*args, **kws)

    @cached_property
    def _standalone(self) -> Any:
        return numba.njit(self.py_func)


def _widen(kind: Any) -> Any:
    plain: Any = unliteral(kind)
    if isinstance(plain, types.Array) and not plain.mutable:
        return plain.copy(readonly=False)
    return types.int64 if plain in (types.int8, types.int16, types.int32) else plain


def compile_inner(function: Any, options: dict[str, Any]) -> Any:
    """Return a function that kernels call, with options of numba's compiler."""
    all_options = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
    return InnerDispatcher(
        py_func=function, locals={}, targetoptions=all_options, pipeline_class=InnerCompiler
    )


def compile_kernel(function: Any, signature: Any, file: Any) -> Any:
    """Compile a kernel for the given argument types, or load it from its cache file."""
    kernel = CPUDispatcher(
        py_func=function, locals={}, targetoptions=OPTIONS, pipeline_class=KernelCompiler
    )
    kernel._cache = file
    with typeinfer.register_dispatcher(kernel):
        kernel.compile(signature)
    kernel.disable_compile()
    return kernel
