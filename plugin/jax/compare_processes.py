"""Runs cases_processes.py in 2 and in 4 processes on the software TPU and on JAX's own CPU backend, and compares what each
process sees. The programs that the software TPU was given say which of them the processes share: those have the rows of one
process, and sums that travel.

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


def environment(platform, library, dump):
    result = dict(os.environ, JAX_PLATFORMS=platform, JAX_ENABLE_COMPILATION_CACHE="false",
                  JAX_CPU_COLLECTIVES_IMPLEMENTATION="gloo")
    if platform == "cpu":
        return dict(result, XLA_FLAGS="--xla_force_host_platform_device_count=2")
    path = os.pathsep.join([str(HERE.parent / "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return dict(result, PYTHONPATH=path, SYSTOLIC_PJRT_PLUGIN=library, SYSTOLIC_CORES="2", SYSTOLIC_DUMP=dump)


def run(platform, library, folder, count):
    """The text of what the processes said, if one failed."""
    folder.mkdir()
    coordinator = f"127.0.0.1:{free_port()}"
    command = [sys.executable, str(HERE / "cases_processes.py"), str(folder), coordinator, str(count)]
    running = [subprocess.Popen([*command, str(i)], env=environment(platform, library, str(folder / f"dump.{i}")),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for i in range(count)]
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


def programs(folder, index, name):
    """The texts of a jitted function's programs, as they came to the engine of a process."""
    return [path.read_text() for path in (folder / f"dump.{index}").glob(f"*_jit_{name}.0_traced.mlir")]


def arguments(text):
    return next(line for line in text.splitlines() if "@main(" in line).split(") -> ")[0]


def check_sharing(folder, shared, whole, own_rows, count):
    failed = 0
    for name, rest in [*shared.items(), *((name, None) for name in whole)]:
        for index in range(count):
            texts, wrong = programs(folder, index, name), ""
            if not texts:
                wrong = "no such program"
            elif rest is None and any("systolic.peers." in text for text in texts):
                wrong = "exchanges something while it runs"
            elif rest is not None:
                lack = [text for text in texts if f"tensor<{own_rows}{rest}>" not in arguments(text)]
                wrong = f"not the rows of one process: {arguments(lack[0])[:300]}" if lack else ""
            failed += bool(wrong)
            print("FAILED" if wrong else "ok    ", f"{name} is {'shared' if rest else 'computed whole'}, process",
                  f"{index} of {count}", wrong)
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
    import cases_shared

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
            failed += check_sharing(ours, cases_shared.SHARED, cases_shared.WHOLE, cases_shared.OWN_ROWS, count)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
