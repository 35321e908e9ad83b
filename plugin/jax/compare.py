"""Runs every case of cases.py on the software TPU and on JAX's own CPU backend, and compares.

    python compare.py LIBRARY [NAME...]

It runs in the Python that SYSTOLIC_JAX_PYTHON names, else in that of .deps/jax or of the peers, else in this one.
Exit code 0: all agree; 1: not; 77: that Python has no JAX.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
MISSING = "not tested: "  # what cases.py writes where a package is missing


def python_with_jax():
    """The interpreter to use; None where none is wanted."""
    named = os.environ.get("SYSTOLIC_JAX_PYTHON")
    if named:
        return None if named == "none" else named
    dependencies = HERE.parents[1] / ".deps"
    folders = [dependencies / "jax", os.environ.get("SYSTOLIC_PEERS_VENV"), dependencies / "peers"]
    found = [str(path) for path in (pathlib.Path(f, "bin/python") for f in folders if f) if path.exists()]
    return found[0] if found else sys.executable


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
        if b.dtype.kind not in "fc":
            if not (a == b).all():
                return f"{name}: {(a != b).sum()} of {b.size} differ"
            continue
        # float32 rounds at 6e-8, float64 at 1e-16; sums, training steps and approximations of functions add up such
        # errors.
        double = b.dtype in (np.float64, np.complex128)
        scale = max(1e-6, float(np.abs(np.nan_to_num(b)).max(initial=0)))
        with np.errstate(invalid="ignore"):
            apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
        worst = float(apart.max(initial=0)) / scale
        if not worst < (1e-12 if double else 1e-5):
            return f"{name}: differs by {worst:.1e} of {scale:.3g}"
    return ""


def verdict(np, name, ours, theirs):
    for folder, platform in ((theirs, "JAX's CPU backend"), (ours, "the software TPU")):
        trace = folder / f"{name}.txt"
        if trace.exists() and trace.read_text().startswith(MISSING):
            return trace.read_text()
        if trace.exists():
            lines = [line for line in trace.read_text().strip().splitlines() if line.strip()]
            raised = next((line for line in reversed(lines) if "Error" in line and line[0] != " "), lines[-1])
            return f"{platform}: {raised}"
        if not (folder / f"{name}.npz").exists():
            return f"{platform}: the process ended before"
    with np.load(ours / f"{name}.npz") as a, np.load(theirs / f"{name}.npz") as b:
        return difference(np, a, b)


def main():
    python = python_with_jax()
    if python is not None and os.path.abspath(python) != os.path.abspath(sys.executable):
        os.execv(python, [python, *sys.argv])
    if python is None or importlib.util.find_spec("jax") is None:
        print("NOT TESTED: no Python with JAX. ./run tests installs one where there is a network; SYSTOLIC_JAX_PYTHON"
              " names another.")
        return SKIPPED
    import numpy as np

    sys.path.insert(0, str(HERE))
    import cases

    library, names = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or list(cases.CASES)
    failed = missing = 0
    with tempfile.TemporaryDirectory() as temporary:
        ours, theirs = pathlib.Path(temporary, "ours"), pathlib.Path(temporary, "theirs")
        for platform, folder in (("cpu", theirs), ("systolic", ours)):
            folder.mkdir()
            run(platform, folder, names, library)
        for name in names:
            wrong = verdict(np, name, ours, theirs)
            skipped = wrong.startswith(MISSING)
            missing += skipped
            failed += bool(wrong) and not skipped
            state = "skip  " if skipped else "FAILED" if wrong else "ok    "
            print(f"{state} {name}{': ' if wrong else ''}{wrong[:400]}")
    print(f"{len(names) - failed - missing} passed, {failed} failed" + (f", {missing} not tested" if missing else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
