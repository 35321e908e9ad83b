"""JAX's own tests: in a folder that is named, in .deps/jax_tests, or fetched there from its release.

Nothing of JAX is part of this repository. The release is pinned by the checksum of its test files.
"""

import hashlib
import os
import pathlib
import shutil
import tarfile
import urllib.error
import urllib.request

VERSION = "0.10.2"
ARCHIVE = f"https://github.com/jax-ml/jax/archive/refs/tags/jax-v{VERSION}.tar.gz"
CHECKSUM = "b29d5878c177ac0e9c1adcbccbadf5f91f3586e0cb654e0e720ab6a6341e71f2"
DEPENDENCIES = pathlib.Path(__file__).resolve().parents[2] / ".deps"


class Missing(Exception):
    """Says why there are no tests."""


def checksum(folder):
    """Of the names and the contents of the folder's test files."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*_test.py")):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _checked(folder):
    found = checksum(folder)
    if found != CHECKSUM:
        raise Missing(f"{folder} does not hold the tests of JAX {VERSION}: checksum {found}, expected {CHECKSUM}")
    return folder


def _fetch(to):
    part = to.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        with urllib.request.urlopen(ARCHIVE, timeout=60) as answer:
            with tarfile.open(fileobj=answer, mode="r|gz") as archive:
                archive.extractall(part, (m for m in archive if "/tests/" in m.name and (m.isfile() or m.isdir())),
                                   filter="data")
        found = list(part.glob("*/tests"))
        if len(found) != 1:
            raise Missing(f"{ARCHIVE} has no folder of tests")
        _checked(found[0])
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir()
        found[0].rename(to / "tests")  # the tests import each other by this name
    except (OSError, tarfile.TarError, urllib.error.URLError) as error:
        raise Missing(f"JAX's tests cannot be fetched: {error}. SYSTOLIC_JAX_TESTS names a folder that has them") \
            from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def folder(named=None, fetch=False):
    """Where the tests are; Missing where there are none."""
    named = named or os.environ.get("SYSTOLIC_JAX_TESTS")
    if named:
        return _checked(pathlib.Path(named))
    own = DEPENDENCIES / "jax_tests"
    if not (own / "tests").is_dir():
        if not fetch:
            raise Missing("JAX's tests are not here: tools/jax_suite/suite.py --fetch fetches them, SYSTOLIC_JAX_TESTS"
                          " names a folder")
        _fetch(own)
    return _checked(own / "tests")
