"""Imported first, it goes on in the Python whose `tokenizers` package ours are compared with.

That is the one that SYSTOLIC_TOKENIZERS_PYTHON names, else that of .deps/tokenizers, which `./run tests` installs, else
this one. Where none is wanted ("none") or has the package and NumPy, without which it panics, it says so and ends with
77.
"""
import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VARIABLE = "SYSTOLIC_TOKENIZERS_PYTHON"
THIS = "this"  # the variable's value in a Python that was started here


def skip(why):
    print(f"SKIPPED: {why}", file=sys.stderr)
    sys.exit(77)


def go_on_in(python):
    os.execve(python, [python, *sys.argv], dict(os.environ, **{VARIABLE: THIS}))


def choose():
    named, own = os.environ.get(VARIABLE), ROOT / ".deps/tokenizers"
    if named == "none":
        skip(f"{VARIABLE} is none")
    if named and named != THIS:
        if not pathlib.Path(named).exists():
            sys.exit(f"{VARIABLE}: there is no '{named}'")
        go_on_in(named)
    if not named and (own / "complete").exists():
        go_on_in(str(own / "bin/python"))
    missing = [name for name in ("tokenizers", "numpy") if importlib.util.find_spec(name) is None]
    if missing:
        skip(f"{sys.executable} lacks {', '.join(missing)}; {VARIABLE} names another Python")


choose()
