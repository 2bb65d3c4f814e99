"""The code around numba: everything that compiles, caches and loads kernels.

Kernel modules import `evomask.kernels.jit` (decorators and declared types) and `compiler.arrays`
(array functions that are cheap to compile). No other module of the package knows numba.

==============  ================================================================================
module          contents
==============  ================================================================================
``arrays``      creation, filling, copying, extremes, sorting and binary search inside kernels
``bundles``     named tuples of arrays that are passed to kernels as one pointer
``linker``      kernels compiled as a whole: inner functions are optimised only inside kernels
``lowering``    short LLVM code for array elements, lengths and ranges
``cache``       cache folder, one file per kernel, prebuilt kernels of a wheel
``precompile``  compilation ahead of use, in one process per processor
==============  ================================================================================

Two paths
---------
The *plain* path is numba's own: ``njit`` for each function, and our cache files instead of
numba's. It is defined in `jit` and uses the public interface and one attribute, ``_cache``. The
*hooked* path (`linker`, `lowering`) replaces private parts of numba while a kernel is compiled. It
runs with the numba versions in `jit.TESTED_NUMBA` only; every other version, and every process
with ``EVOMASK_PLAIN=1``, uses the plain path. Results are the same to the bit, and
``EVOMASK_PLAIN=1 pytest tests/kernels`` runs the kernel tests on the plain path. Compiling
everything takes about 236 CPU seconds on the plain path and about 70 with the hooks
(decisions/0013 has the single measurements).

Hooks, reasons and gains
------------------------
Bundles (public extension interface, both paths)
    numba passes a tuple by value: the incremental state, 70 arrays, is 600 scalars that every call
    loads and stores. As one pointer it compiles in a fifth of the time, and searches run about
    twice as fast.
Code libraries (`linker.InnerLibrary`, `linker.KernelLibrary`)
    numba optimises every function with all that it calls and makes machine code of it, although
    only other kernels call it. Here inner functions stay LLVM modules that are linked into kernels,
    without wrappers. `groups.annealing` compiles in 8 instead of 20 CPU seconds and takes two
    thirds of the run time.
Compiler passes (`linker.PASSES`)
    11 instead of 27: no kernel has closures, comprehensions, context managers or parallel loops.
Types of operators (``BaseFunction.get_call_type``)
    Resolved once for each combination of argument types instead of once for each use.
Argument types (`linker.InnerDispatcher`)
    An inner function is compiled once for all integer widths, and once for writable and read-only
    arrays. The plain path refuses a kernel that writes to a read-only array.
Elements, lengths and ranges (``BaseContext.get_function`` and the rest of `lowering.HOOKS`)
    Reading one element took some thirty instructions, among them a copy of the array's seven fields
    and a test for a negative index. All kernels: 107 to 85 CPU seconds.
Errors of unequal shapes (``arrayobj.raise_with_shape_context``)
    Formatting that message would compile thirty string functions for each kernel.
Garbage collection
    Switched off while a kernel is compiled: millions of objects, all of them alive.
Own array functions (`arrays`, both paths)
    numpy's sorting, searching and filling would be compiled again for each kernel and array type;
    an assignment to a slice also compiles the formatting of its error.
Own cache files (`cache`, both paths)
    numba's cache hashes the absolute path of a source, so that every clone compiles again, and it
    misses edits of functions in other modules.

Negative indices
----------------
An index in a variable must lie in 0..n-1. The hooked path omits the test for negative ones, so
such an index reads foreign memory; the plain path, like numba, counts it from the end. A constant
index such as ``values[-1]`` counts from the end on both paths. No kernel may depend on the
difference: with ``EVOMASK_CHECK_INDICES=1`` the hooked path compiles kernels that raise
``IndexError`` for every variable index outside 0..n-1, and the plain path kernels that raise it
beyond both ends. They are cached apart, and ``EVOMASK_CHECK_INDICES=1 pytest tests/kernels`` runs
the tests on them.
"""
