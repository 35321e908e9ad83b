"""Runs every case of cases.py on the software TPU and on JAX's own CPU backend, and compares.

    python compare.py LIBRARY [NAME...]

Exit code 0: all agree; 1: not; 77: JAX is not installed for this Python.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def run(platform, folder, names, library):
    environment = dict(os.environ, JAX_PLATFORMS=platform, JAX_ENABLE_COMPILATION_CACHE="false")
    if platform == "cpu":
        environment["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    else:
        environment["PYTHONPATH"] = os.pathsep.join(
            [str(HERE.parent / "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment["SYSTOLIC_PJRT_PLUGIN"] = library
    return subprocess.run([sys.executable, str(HERE / "cases.py"), str(folder), *names], env=environment,
                          timeout=1500).returncode


def difference(np, ours, theirs):
    """What differs between two files of arrays; an empty text where they agree."""
    if len(ours.files) != len(theirs.files):
        return f"{len(ours.files)} arrays, expected {len(theirs.files)}"
    for name in theirs.files:
        a, b = ours[name], theirs[name]
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{name}: {a.dtype}{a.shape}, expected {b.dtype}{b.shape}"
        if b.dtype.kind != "f":
            if not (a == b).all():
                return f"{name}: {(a != b).sum()} of {b.size} differ"
            continue
        # float32 rounds at 6e-8; sums, training steps and approximations of functions add up such errors.
        scale = max(1e-6, float(np.abs(np.nan_to_num(b)).max(initial=0)))
        worst = float(np.abs(a - b).max(initial=0)) / scale
        if not worst < 1e-5:
            return f"{name}: differs by {worst:.1e} of {scale:.3g}"
    return ""


def verdict(np, name, ours, theirs):
    for folder, platform in ((theirs, "JAX's CPU backend"), (ours, "the software TPU")):
        trace = folder / f"{name}.txt"
        if trace.exists():
            lines = [line for line in trace.read_text().strip().splitlines() if line.strip()]
            raised = next((line for line in reversed(lines) if "Error" in line and line[0] != " "), lines[-1])
            return f"{platform}: {raised}"
        if not (folder / f"{name}.npz").exists():
            return f"{platform}: the process ended before"
    with np.load(ours / f"{name}.npz") as a, np.load(theirs / f"{name}.npz") as b:
        return difference(np, a, b)


def main():
    if importlib.util.find_spec("jax") is None:
        print("NOT TESTED: this Python has no JAX. `pip install jax` into a virtual environment, and configure with"
              " -DSYSTOLIC_JAX_PYTHON=its/bin/python.")
        return SKIPPED
    import numpy as np

    sys.path.insert(0, str(HERE))
    import cases

    library, names = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or list(cases.CASES)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        ours, theirs = pathlib.Path(temporary, "ours"), pathlib.Path(temporary, "theirs")
        for platform, folder in (("cpu", theirs), ("systolic", ours)):
            folder.mkdir()
            run(platform, folder, names, library)
        for name in names:
            wrong = verdict(np, name, ours, theirs)
            failed += bool(wrong)
            print(f"{'FAILED' if wrong else 'ok    '} {name}{': ' if wrong else ''}{wrong[:400]}")
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
