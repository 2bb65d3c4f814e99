"""The code around numba: everything that compiles, caches and loads kernels.

Kernel modules import `evomask.kernels.jit` (decorators and declared types) and `compiler.arrays`
(array functions that are cheap to compile). No other module of the package knows numba.

==============  ================================================================================
module          contents
==============  ================================================================================
``arrays``      creation, filling, copying, extremes, sorting and binary search inside kernels
``bundles``     named tuples of arrays that are passed to kernels as one pointer
``linker``      kernels compiled as a whole: inner functions are optimised only inside kernels
``lowering``    short LLVM code for array elements and lengths
``cache``       cache folder, one file and one lock per kernel, prebuilt kernels of a wheel
``precompile``  compilation ahead of use, in one process per processor
==============  ================================================================================

Two paths
---------
The *plain* path is numba's own: ``njit`` for each function, and our cache files instead of
numba's. It is defined in `jit` and uses the public interface and one attribute, ``_cache``. The
*hooked* path (`linker`, `lowering`) replaces private parts of numba while a kernel is compiled. It
runs with the numba versions in `jit.TESTED_NUMBA`, to which ``pyproject.toml`` pins numba; every
process with ``EVOMASK_PLAIN=1``, and any other version installed by force, uses the plain path.
Results are the same to the bit. ``make test-plain`` runs the tests of kernels on the plain path
and is part of ``make test-slow``; ``make test`` runs some of them on it. A new version of numba
needs both runs and ``benchmarks/bench_compile.py``, then a word in `jit.TESTED_NUMBA`.

Compiling everything takes about 236 CPU seconds on the plain path and about 70 with hooks. Wheels
contain prebuilt kernels and compile nothing.

Hooks and their gains
---------------------
A hook stays if compiling without it takes at least a tenth longer. Measured once: CPU seconds to
compile `linking.boxes`, `groups.merging` and `groups.mdav` from nothing in one process, everything
else unchanged. The machine was busy; figures scatter by about a tenth.

=====================================================  =======  ======  =======
hook                                                   without  with    decision
=====================================================  =======  ======  =======
all (the plain path)                                   30.3     11.6
code libraries (`linker`)                              15.2     11.6    kept
compiler passes (`linker.PASSES`)                      21.3     17.6    kept
elements and lengths (`lowering`)                      13.8     11.6    kept
argument types (`linker.InnerDispatcher`)              13.3     11.6    kept
types of operators, resolved once                      12.6     11.6    deleted
short code for ranges                                  11.6     11.6    deleted
analyses between passes, reference counts, sizes       11.7     11.6    deleted
cheap passes over whole kernels left out               10.8     11.6    deleted
message of unequal shapes                              9.9      11.6    deleted
garbage collection off                                 9.8      11.6    deleted
all deleted ones together                              17.6     18.0
=====================================================  =======  ======  =======

The rows with 17.6 were measured later, under a higher load; the last one includes the wrap-around
of negative indices. The passes were measured without the deleted hooks: with them they gained
nothing, because these made the superfluous passes cheap.

Code libraries (`linker.InnerLibrary`, `linker.KernelLibrary`)
    numba optimises every function with all that it calls and makes machine code of it, although
    only other kernels call it. Here inner functions stay LLVM modules that are linked into kernels,
    without wrappers. Annealing also takes a third less run time.
Compiler passes (`linker.PASSES`)
    11 instead of 27: no kernel has closures, comprehensions, context managers or parallel loops.
Argument types (`linker.InnerDispatcher`)
    An inner function is compiled once for all integer widths, and once for writable and read-only
    arrays. The plain path refuses a kernel that writes to a read-only array.
Elements and lengths (`lowering.get_function`)
    To read one element, numba copies the array's seven fields to memory and back.

Both paths share what uses no private parts or only reads them:

Bundles (public extension interface)
    numba passes a tuple by value: the incremental state, 70 arrays, is 600 scalars that every call
    loads and stores. As one pointer it compiles in a fifth of the time, and searches run about
    twice as fast.
Own array functions (`arrays`)
    numpy's sorting, searching and filling would be compiled again for each kernel and array type;
    an assignment to a slice also compiles the formatting of its error.
Own cache files (`cache`)
    numba's cache hashes the absolute path of a source, so that every clone compiles again, and it
    misses edits of functions in other modules.

Negative indices
----------------
They count from the end on both paths, as in numpy. With ``EVOMASK_CHECK_INDICES=1`` kernels are
compiled that raise ``IndexError`` for an index beyond either end; they are cached apart.
``make test-plain`` runs the tests of kernels on them too.

Compilation at the start of a run
---------------------------------
`protect` compiles the kernels of its first candidate in one process per processor
(`engine.evaluation.first_kernels`), then searches while the others are compiled in the background
with low priority, in the order of their first use. A kernel that is called before it is ready is
compiled by that call. A lock per kernel prevents two processes from compiling the same one: the
second waits and loads the result.
"""
