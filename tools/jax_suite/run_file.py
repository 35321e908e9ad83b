"""Runs the tests of one of JAX's test files, and writes a line of JSON as each begins and ends.

    python run_file.py FILE RESULTS [--every N --first I] [--only NAME...] [--skip NAME...]

suite.py starts it, with the platform in JAX_PLATFORMS. A test that takes longer than SYSTOLIC_JAX_SECONDS fails.
"""

import argparse
import gc
import importlib.util
import json
import os
import pathlib
import signal
import sys
import time
import traceback
import unittest

SECONDS = int(os.environ.get("SYSTOLIC_JAX_SECONDS", "60"))


class TooSlow(BaseException):
    """Passes through a test's own `except Exception`."""


def _ring(*_):
    raise TooSlow(f"longer than {SECONDS} s")


class Record(unittest.TestResult):
    """Writes what became of each test; one with subtests fails with the first of them."""

    def __init__(self, results):
        super().__init__()
        self.results = results

    def _write(self, **line):
        self.results.write(json.dumps(line) + "\n")
        self.results.flush()

    def startTest(self, test):
        super().startTest(test)
        self.found, self.why, self.began = "pass", "", time.monotonic()
        self._write(begin=name_of(test))
        signal.alarm(SECONDS)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)
        self._write(end=name_of(test), state=self.found, why=self.why[-4000:],
                    seconds=round(time.monotonic() - self.began, 2))

    def _note(self, state, why):
        if self.found != "fail":
            self.found, self.why = state, why

    def addError(self, test, error):
        self._note("fail", "".join(traceback.format_exception(*error)))

    addFailure = addError

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addError(test, error)

    def addSkip(self, test, reason):
        self._note("skip", reason)

    def addUnexpectedSuccess(self, test):
        self._note("fail", "passed, and should not")


def name_of(test):
    return f"{type(test).__name__}.{getattr(test, '_testMethodName', test.id())}"


def call_the_device_cpu(test_util):
    """Tests ask for the name of the platform, and skip what they do not know: ours does what JAX's CPU backend does."""
    asked = test_util.device_under_test
    test_util.device_under_test = lambda: "cpu" if asked() == "systolic" else asked()


def tests_in(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_in(part)
        else:
            yield part


def load(path):
    """The tests of the file, in its order; several processes have the same."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent.parent))  # some import others as `tests.…`
    specification.loader.exec_module(module)
    from jax._src import test_util

    return list(tests_in(test_util.JaxTestLoader().loadTestsFromModule(module)))


def chosen(tests, options):
    tests = tests[options.first::options.every]
    if options.only:
        tests = [test for test in tests if any(name in name_of(test) for name in options.only)]
    return [test for test in tests if name_of(test) not in options.skip]


def run(tests, record):
    """By class, each with what its setUpClass prepares."""
    while tests:
        kind = type(tests[0])
        of_kind = [test for test in tests if type(test) is kind]
        tests = [test for test in tests if type(test) is not kind]
        unittest.TestSuite(of_kind).run(record)
        gc.collect()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--skip", nargs="*", default=[])
    options = parser.parse_args()

    from absl import flags
    from jax._src import test_util

    call_the_device_cpu(test_util)
    tests = load(options.file.resolve())
    if not flags.FLAGS.is_parsed():
        flags.FLAGS([sys.argv[0]])
    tests = chosen(tests, options)
    signal.signal(signal.SIGALRM, _ring)
    with options.results.open("a") as results:
        results.write(json.dumps({"chosen": len(tests)}) + "\n")
        run(tests, Record(results))
        results.write(json.dumps({"done": True}) + "\n")


if __name__ == "__main__":
    main()
