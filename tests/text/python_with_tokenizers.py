"""Imported first, it goes on in a Python that has the `tokenizers` package.

That is this one, else the one that SYSTOLIC_TOKENIZERS_PYTHON names, else that of .deps/tokenizers, which `./run tests`
installs. Without the package it says so and ends with 77.
"""
import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VARIABLE = "SYSTOLIC_TOKENIZERS_PYTHON"

if importlib.util.find_spec("tokenizers") is None:
    other = os.environ.get(VARIABLE) or str(ROOT / ".deps/tokenizers/bin/python")
    if pathlib.Path(other).exists():
        os.execve(other, [other, *sys.argv], dict(os.environ, **{VARIABLE: "none"}))
    print(f"SKIPPED: no Python with the tokenizers package ({VARIABLE} names one)", file=sys.stderr)
    sys.exit(77)
