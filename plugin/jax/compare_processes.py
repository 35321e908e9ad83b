"""Runs cases_processes.py in 2 and in 4 processes on the software TPU and on JAX's own CPU backend, and compares what each
process sees.

    python compare_processes.py LIBRARY [COUNT...]

Which Python, and the exit code: as compare.py has it.
"""

import importlib.util
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

import compare

HERE = pathlib.Path(__file__).resolve().parent
DEADLINE = 600


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def environment(platform, library):
    result = dict(os.environ, JAX_PLATFORMS=platform, JAX_ENABLE_COMPILATION_CACHE="false",
                  JAX_CPU_COLLECTIVES_IMPLEMENTATION="gloo")
    if platform == "cpu":
        return dict(result, XLA_FLAGS="--xla_force_host_platform_device_count=2")
    path = os.pathsep.join([str(HERE.parent / "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return dict(result, PYTHONPATH=path, SYSTOLIC_PJRT_PLUGIN=library, SYSTOLIC_CORES="2")


def run(platform, library, folder, count):
    """The text of what the processes said, if one failed."""
    folder.mkdir()
    coordinator = f"127.0.0.1:{free_port()}"
    command = [sys.executable, str(HERE / "cases_processes.py"), str(folder), coordinator, str(count)]
    running = [subprocess.Popen([*command, str(i)], env=environment(platform, library), stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True) for i in range(count)]
    try:
        texts = [one.communicate(timeout=DEADLINE)[0] for one in running]
    finally:
        for one in running:
            one.kill()
    failed = [text for one, text in zip(running, texts, strict=True) if one.returncode != 0]
    return f"{platform}, {count} processes:\n{failed[0][-3000:]}" if failed else ""


def compare_all(np, ours, theirs, names, count):
    failed = 0
    for name in names:
        for index in range(count):
            files = [folder / f"{name}.{index}.npz" for folder in (ours, theirs)]
            with np.load(files[0]) as a, np.load(files[1]) as b:
                wrong = compare.difference(np, a, b)
            failed += bool(wrong)
            print("FAILED" if wrong else "ok    ", f"{name}, process {index} of {count}", wrong[:400])
    return failed


def main():
    python = compare.python_with_jax()
    if python is not None and os.path.abspath(python) != os.path.abspath(sys.executable):
        os.execv(python, [python, *sys.argv])
    if python is None or importlib.util.find_spec("jax") is None:
        print("NOT TESTED: no Python with JAX; SYSTOLIC_JAX_PYTHON names one")
        return compare.SKIPPED
    import numpy as np

    import cases_processes

    library, counts = str(pathlib.Path(sys.argv[1]).resolve()), [int(one) for one in sys.argv[2:]] or [2, 4]
    names = [function.__name__ for function in cases_processes.CASES]
    failed = 0
    for count in counts:
        with tempfile.TemporaryDirectory() as temporary:
            ours, theirs = pathlib.Path(temporary, "ours"), pathlib.Path(temporary, "theirs")
            for platform, folder in (("cpu", theirs), ("systolic", ours)):
                wrong = run(platform, library, folder, count)
                if wrong:
                    print("FAILED", wrong)
                    return 1
            failed += compare_all(np, ours, theirs, names, count)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
