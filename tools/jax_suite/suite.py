"""Runs JAX's own tests on the software TPU, and tells what fails that is not known to differ.

    python suite.py LIBRARY [FILE...] [--fetch] [--sources FOLDER] [--cpu] [--times] [--sample N] [--only NAME...]

FILE is the name of a test file of JAX without `_test.py`: lax_numpy, pjit. Without one: those of files.txt. LIBRARY is
libsystolic_pjrt.so. known.txt names the tests that differ, with reasons. --cpu runs what failed on JAX's CPU backend, too.
--times runs all of each file there, after it ran here, and compares the seconds of the tests that pass on both.
--sample 8 takes every 8th file and of it every 8th test, others in each commit: its place in the history chooses, or
SYSTOLIC_ROTATION.

Exit code 0: nothing failed but what is known to; 1: something did, or something that is known to fail passes; 77: there
is no Python with JAX of this version, or no tests.
"""

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "plugin" / "jax")]

import compare  # noqa: E402
import sources  # noqa: E402

SKIPPED = 77


def read_known():
    """Patterns of names FILE/CLASS.test, with their reasons."""
    known = []
    for line in (HERE / "known.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, _, reason = line.partition(": ")
            known.append((pattern.strip(), reason.strip()))
    return known


def reason_of(name, known):
    return next((reason for pattern, reason in known if fnmatch.fnmatchcase(name, pattern)), "")


class File:
    """What became of the tests of one file."""

    def __init__(self, name):
        self.name = name
        self.states, self.why, self.times = {}, {}, {}
        self.broken = ""

    def read(self, lines):
        """True where all tests ran; else the test that was running when the process ended has failed."""
        running, done = None, False
        for line in map(json.loads, lines):
            if "begin" in line:
                running = line["begin"]
            elif "end" in line:
                running = None
                self.states[line["end"]] = line["state"]
                self.why[line["end"]] = line["why"]
                self.times[line["end"]] = line["seconds"]
            done = done or "done" in line
        if running is not None:
            self.states[running], self.why[running] = "fail", "the process ended within this test"
        elif not done:
            self.broken = "the file's tests did not begin, or the process ended between two"
        return done or running is None

    @property
    def seconds(self):
        return sum(self.times.values())

    def failed(self):
        return [name for name, state in self.states.items() if state == "fail"]


def environment(platform, library):
    result = dict(os.environ, JAX_PLATFORMS=platform, JAX_SKIP_SLOW_TESTS="1", JAX_ENABLE_COMPILATION_CACHE="false")
    result.setdefault("JAX_NUM_GENERATED_CASES", "2")
    result["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    if platform != "cpu":
        result["PYTHONPATH"] = str(ROOT / "plugin" / "python")
        result["SYSTOLIC_PJRT_PLUGIN"] = library
    else:
        result.pop("PYTHONPATH", None)
    return result


def run(name, folder, platform, library, options):
    """Each file in a process of its own; after one that ends early another goes on with the tests that are left."""
    file = File(name)
    with tempfile.TemporaryDirectory() as temporary:
        results = pathlib.Path(temporary, "results.jsonl")
        for _ in range(10):
            results.write_text("")
            command = [sys.executable, str(HERE / "run_file.py"), str(folder / f"{name}_test.py"), str(results),
                       *options, *(["--skip", *file.states] if file.states else [])]
            ended = subprocess.run(command, env=environment(platform, library), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
            if file.read(results.read_text().splitlines()):
                break
        if file.broken:
            file.broken = (ended.stderr.strip().splitlines() or [file.broken])[-1]
    return file


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else ""


def tell(file, known, folder, options):
    """Prints the file's line and its surprises; their number."""
    counts = collections.Counter(file.states.values())
    failed = file.failed()
    expected = {name: reason_of(f"{file.name}/{name}", known) for name in failed}
    surprises = [name for name in failed if not expected[name]]
    print(f"{file.name}: {counts['pass']} passed, {len(surprises)} failed, {len(failed) - len(surprises)} known,"
          f" {counts['skip']} skipped, {file.seconds:.0f} s", flush=True)
    if file.broken:
        print(f"  FAILED {file.broken}")
    cpu = {}
    if surprises and options.cpu:
        cpu = run(file.name, folder, "cpu", "", ["--only", *surprises]).states
    for name in surprises:
        said = f" (JAX's CPU backend: {cpu.get(name, 'not run')})" if options.cpu else ""
        print(f"  FAILED {file.name}/{name}{said}: {last_line(file.why[name])}")
    unfounded = [name for name, state in file.states.items()
                 if state == "pass" and reason_of(f"{file.name}/{name}", known)]
    for name in unfounded:
        print(f"  PASSES, though known.txt says that it differs: {file.name}/{name}")
    return len(surprises) + len(unfounded) + bool(file.broken)


def tell_times(file, folder, passed_on):
    """Prints and returns the seconds of tests that pass here and on JAX's CPU backend."""
    cpu = run(file.name, folder, "cpu", "", passed_on)
    both = [name for name, state in file.states.items() if state == "pass" and cpu.states.get(name) == "pass"]
    ours, theirs = (sum(each.times[name] for name in both) for each in (file, cpu))
    if both:
        print(f"  {len(both)} tests that pass on both: {ours:.1f} s here, {theirs:.1f} s on JAX's CPU backend"
              f" ({ours / max(theirs, 0.01):.2f} x)", flush=True)
    return ours, theirs


def commit_number():
    """As tools/run/rotation.sh counts."""
    number = os.environ.get("SYSTOLIC_ROTATION")
    if number is None:
        asked = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "rev-list", "--count",
                                "--first-parent", "HEAD"], capture_output=True, text=True)
        number = asked.stdout.strip()
    return int(number) if number else 0


def sampled(files, every):
    """The files, and what run_file.py is told."""
    number = commit_number()
    return files[number % every::every], ["--every", str(every), "--first", str(number // every % every)]


def python_with_this_jax():
    python = compare.python_with_jax()
    if python is None:
        raise sources.Missing("SYSTOLIC_JAX_PYTHON is none")
    asked = subprocess.run([python, "-c", "import jax; print(jax.__version__)"], capture_output=True, text=True)
    version = asked.stdout.strip()
    if version != sources.VERSION:
        raise sources.Missing(f"{python} has {'JAX ' + version if version else 'no JAX'}, the tests are of"
                              f" {sources.VERSION}; SYSTOLIC_JAX_PYTHON names another")
    return python


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--sources")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    return parser.parse_args()


def main():
    options = arguments()
    try:
        folder = sources.folder(options.sources, options.fetch)
        python = python_with_this_jax()
    except sources.Missing as reason:
        print(f"NOT TESTED: {reason}")
        return SKIPPED
    if os.path.abspath(python) != os.path.abspath(sys.executable):
        os.execv(python, [python, *sys.argv])
    files, passed_on = sampled(options.files or (HERE / "files.txt").read_text().split(), options.sample)
    if options.only:
        passed_on += ["--only", *options.only]
    known, surprises = read_known(), 0
    counts, times = collections.Counter(), {}
    for name in files:
        file = run(name, folder, "systolic,cpu", str(options.library.resolve()), passed_on)
        surprises += tell(file, known, folder, options)
        counts.update(file.states.values())
        if options.times:
            times[name] = tell_times(file, folder, passed_on)
    print(f"together {counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped;"
          f" {surprises} that nobody expects")
    if times:
        ours, theirs = (sum(column) for column in zip(*times.values()))
        slow = [name for name, (here, there) in times.items() if here > 3 * max(there, 1)]
        print(f"{ours:.0f} s here, {theirs:.0f} s on JAX's CPU backend; more than 3 x: {', '.join(slow) or 'none'}")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
