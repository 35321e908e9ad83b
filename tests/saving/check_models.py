"""What the checks with other libraries' models share: arguments PROGRAM [COUNT] [SEED], and one line of result."""
import pathlib
import sys
import tempfile


def check_models(check, count):
    """Calls check(program, seed, folder) for COUNT seeds, `count` where none is given. The exit code."""
    program, count, first = sys.argv[1], int((sys.argv + [str(count)])[2]), int((sys.argv + ["", "0"])[3] or 0)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            try:
                if not check(program, seed, pathlib.Path(folder)):
                    failed.append(seed)
            except Exception as error:  # a model that does not come back is a finding like any other
                print(seed, "FAILED:", str(error)[-600:], flush=True)
                failed.append(seed)
    print(f"{count - len(failed)} of {count} models are the same", *(["failed:", *failed] if failed else []))
    return 1 if failed else 0
