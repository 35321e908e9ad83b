"""Systolic's software TPU as a platform of JAX.

With this folder's parent on PYTHONPATH, JAX finds the platform by itself, buffers can be donated to it, and all of
jax.numpy.linalg, jax.ffi, DLPack and callbacks to Python work on it:

    PYTHONPATH=.../plugin/python JAX_PLATFORMS=systolic python script.py

The library is the one that SYSTOLIC_PJRT_PLUGIN names, else libsystolic_pjrt.so beside this package or on the
loader's path. docs/jax.md has the rest.
"""

import os
import pathlib
import warnings

NAME = "systolic"


def _library():
    named = os.environ.get("SYSTOLIC_PJRT_PLUGIN")
    if named:
        return named
    beside = pathlib.Path(__file__).parent / "libsystolic_pjrt.so"
    return str(beside) if beside.exists() else "libsystolic_pjrt.so"


def _allow_donation():
    # JAX donates only on platforms that it knows by name.
    from jax._src.interpreters import mlir

    known = getattr(mlir, "_platforms_with_donation", None)
    if known is not None and NAME not in known:
        known.append(NAME)


def _call_foreign_functions():
    from . import buffer_callbacks, callbacks, foreign_functions, lowerings

    registry = foreign_functions.accept(NAME, _library())
    lowerings.lower_as_on_cpu(NAME)
    callbacks.lower_as_foreign_functions(NAME, registry)
    buffer_callbacks.lower_as_foreign_functions(NAME)


def _find_the_host():
    from . import host_backend

    host_backend.offer()


def _write_functions_without_their_partitions():
    # A function with a partitioning of its own (jax.experimental.custom_partitioning): a program over a mesh runs whole
    # here, so that the function itself stands where JAX would have XLA's partitioner ask for a device's part.
    from jax._src import core, custom_partitioning
    from jax._src.interpreters import mlir

    def whole(ctx, *values, call, **_):
        return mlir.lower_fun(core.jaxpr_as_fun(call), multiple_results=True)(ctx, *values)

    mlir.register_lowering(custom_partitioning.custom_partitioning_p, whole, platform=NAME)


def _tell_shardings():
    from . import inspect_shardings

    inspect_shardings.answer_after_compiling(NAME)


def _export_arrays():
    from . import dlpack

    dlpack.export_from_host(NAME)
    dlpack.import_to_host()


def _options():
    # Where the processes meet: the way to there tells at which address this one is seen.
    from jax._src import distributed

    address = getattr(distributed.global_state, "coordinator_address", None)
    return {"coordinator": address} if address else None


def initialize():
    from jax._src import xla_bridge

    library = _library()
    try:
        xla_bridge.register_plugin(NAME, library_path=library, priority=500, options=_options())
    except Exception as error:  # JAX prints it, and goes on without the platform
        named = "SYSTOLIC_PJRT_PLUGIN names it" if "SYSTOLIC_PJRT_PLUGIN" in os.environ else \
            "set SYSTOLIC_PJRT_PLUGIN to the path of libsystolic_pjrt.so"
        raise RuntimeError(f"{NAME}: cannot open {library} ({named}): {error}") from error
    for extend in (_allow_donation, _call_foreign_functions, _find_the_host, _export_arrays,
                   _tell_shardings, _write_functions_without_their_partitions):
        try:
            extend()
        except (ImportError, AttributeError, NotImplementedError) as missing:  # JAX's insides differ by version
            warnings.warn(f"{NAME}: {extend.__name__.strip('_')}: {missing}", stacklevel=1)
