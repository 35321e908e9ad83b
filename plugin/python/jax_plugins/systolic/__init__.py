"""Systolic's software TPU as a platform of JAX.

With this folder's parent on PYTHONPATH, JAX finds the platform by itself, and buffers can be donated to it:

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


def _add_decompositions():
    # JAX knows how to write eigh only for platforms that it knows by name; the plugin computes the call that it writes
    # for TPUs. Importing the TPU's svd, in terms of qr and eigh, makes it the one of all other platforms.
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg
    from jax._src.tpu.linalg import eigh, svd  # noqa: F401

    def lower_eigh(ctx, operand, *, subset_by_index, algorithm, **how):
        size = ctx.avals_in[0].shape[-1]
        if subset_by_index not in (None, (0, size)):
            raise NotImplementedError("eigh of a part of the eigenvalues")
        return eigh._eigh_tpu_lowering(ctx, operand, subset_by_index=None,
                                       algorithm=linalg.EighImplementation.JACOBI, **how)

    mlir.register_lowering(linalg.eigh_p, lower_eigh, platform=NAME)


def initialize():
    from jax._src import xla_bridge

    xla_bridge.register_plugin(NAME, library_path=_library(), priority=500)
    for extend in (_allow_donation, _add_decompositions):
        try:
            extend()
        except (ImportError, AttributeError, NotImplementedError) as missing:  # JAX's insides differ by version
            warnings.warn(f"{NAME}: {extend.__name__.strip('_')}: {missing}", stacklevel=1)
