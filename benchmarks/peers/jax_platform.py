"""Which platform a JAX program runs on: --platform cpu, JAX's own, or systolic, the software TPU through PJRT.

    args = timing.arguments(__doc__, platform="cpu", library="", ...)
    jax_platform.use(args)
    import jax
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def use(args):
    """Must be called before jax is imported. `args.library` names libsystolic_pjrt.so; else the built one is taken."""
    os.environ["JAX_PLATFORMS"] = args.platform
    if args.platform == "systolic":
        sys.path.insert(0, str(ROOT / "plugin/python"))
        os.environ["SYSTOLIC_PJRT_PLUGIN"] = args.library or str(ROOT / "build/release/lib/libsystolic_pjrt.so")
