"""Systolic's software TPU as a platform of JAX.

With this folder's parent on PYTHONPATH, JAX finds the platform by itself, and buffers can be donated to it:

    PYTHONPATH=.../plugin/python JAX_PLATFORMS=systolic python script.py

The library is the one that SYSTOLIC_PJRT_PLUGIN names, else libsystolic_pjrt.so beside this package or on the
loader's path. docs/jax.md has the rest.
"""

import os
import pathlib

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


def initialize():
    from jax._src import xla_bridge

    xla_bridge.register_plugin(NAME, library_path=_library(), priority=500)
    _allow_donation()
