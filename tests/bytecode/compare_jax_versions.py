"""Compares our readers with JAX's own bindings, for several versions of JAX.

    python3 tests/bytecode/compare_jax_versions.py [VERSION...]      (after ./run tests, with a network)

Each version is installed in an environment of its own under .deps/jax/VERSION; jax_programs.py writes what it prints
and serializes; bytecode_test reads both and compares. The exit code is 0 when all agree.
"""
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = ["0.4.30", "0.5.3", "0.6.2", "0.7.2", "0.10.2"]
TESTS = "*AreTheProgramsOfTheirTexts*:*PrintATextThatReadsAsTheSame*"


def environment(version):
    folder = ROOT / ".deps/jax" / version
    python = folder / "bin/python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        f"jax=={version}", f"jaxlib=={version}", "numpy"], check=True)
        (folder / "complete").touch()
    return python


def compare(version):
    programs = ROOT / "build/jax_programs" / version
    subprocess.run([environment(version), ROOT / "tests/bytecode/jax_programs.py", programs], check=True)
    test = subprocess.run([ROOT / "build/release/bin/bytecode_test", f"--gtest_filter={TESTS}", "--gtest_brief=1"],
                          env={**os.environ, "SYSTOLIC_BYTECODE_DATA": str(programs)}, check=False)
    return test.returncode == 0


def main():
    failed = []
    for version in sys.argv[1:] or VERSIONS:
        try:
            agrees = compare(version)
        except subprocess.CalledProcessError as error:
            print(f"JAX {version}: could not be asked: {error}", file=sys.stderr)
            agrees = False
        if not agrees:
            failed.append(version)
    print(f"versions that differ: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
