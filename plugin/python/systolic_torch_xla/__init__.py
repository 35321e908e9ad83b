"""Systolic's software TPU as a device of PyTorch/XLA.

With this folder's parent on PYTHONPATH, torch_xla finds it by itself (the folder systolic_torch_xla-1.dist-info beside
this one names it), scripts run unchanged, and so do the threads that torch_xla.launch starts:

    PYTHONPATH=.../plugin/python PJRT_DEVICE=SYSTOLIC python script.py

The library is the one that SYSTOLIC_PJRT_PLUGIN names, else libsystolic_pjrt.so beside this package or on the loader's
path. docs/jax.md has the rest.
"""

import os
import pathlib

from torch_xla.experimental import plugins

# A core that waits for the others does so in a thread of torch_xla's pool, which must have as many, and some to spare.
THREADS = 64


class Plugin(plugins.DevicePlugin):
    """All cores in one process."""

    def __init__(self):
        super().__init__()
        os.environ.setdefault("XLA_STABLEHLO_COMPILE", "1")  # else programs come as HLO, which the plugin does not read
        os.environ.setdefault("XLA_THREAD_POOL_SIZE", str(THREADS))

    def library_path(self):
        named = os.environ.get("SYSTOLIC_PJRT_PLUGIN")
        if named:
            return named
        beside = pathlib.Path(__file__).parent / "libsystolic_pjrt.so"
        return str(beside) if beside.exists() else "libsystolic_pjrt.so"

    def configure_single_process(self):
        os.environ["SYSTOLIC_CORES"] = "1"
