"""Runs programs in alternating pairs, with a probe of the machine around each pair."""
import json
import pathlib
import statistics
import subprocess
import sys

PROBE_TOLERANCE = 0.10


class ProgramFailed(Exception):
    pass


class Runner:
    """Fills the placeholders of a row's commands and runs them."""

    def __init__(self, places, folder):
        self.places = places
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, command, *more):
        """The JSON object that the program printed last, or wrote to {json}."""
        written = self.folder / "result.json"
        written.unlink(missing_ok=True)
        words = [word.format(json=written, **self.places) for word in [*command, *more]]
        done = subprocess.run(words, cwd=self.folder, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise ProgramFailed(f"{' '.join(words)} ended with {done.returncode}\n{done.stderr[-2000:]}")
        if written.exists():
            return json.loads(written.read_text())
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise ProgramFailed(f"{' '.join(words)} printed no JSON line")
        return json.loads(lines[-1])

    def probe(self):
        """Multiply-adds a second of the whole machine, in 10^9."""
        return self.run(["{bin}/probe"])["gflops"]


def is_steady(probes, reference):
    return all(abs(probe / reference - 1) <= PROBE_TOLERANCE for probe in probes)


def measure_pairs(runner, row, pairs, log):
    """Values of at least `pairs` steady pairs for each claim: ({key: [value]}, [(ours, other)])."""
    reference = statistics.median(runner.probe() for _ in range(5))
    values, raw = {claim.key: [] for claim in row.claims}, []
    attempts = 0
    while len(raw) < pairs:
        attempts += 1
        if attempts > 4 * pairs:
            raise ProgramFailed(f"{row.name}: the machine is too unsteady ({len(raw)} steady pairs of {attempts - 1})")
        before = runner.probe()
        first, second = (row.ours, row.other) if attempts % 2 else (row.other, row.ours)
        results = [runner.run(first), runner.run(second)]
        ours, other = results if attempts % 2 else reversed(results)
        after = runner.probe()
        if not is_steady([before, after], reference):
            log(f"{row.name}: the probe moved by more than 10 %; this pair is measured again")
            reference = statistics.median([reference, before, after])
            continue
        raw.append((ours, other))
        add_values(row, values, ours, other, log, f"pair {len(raw)} of {pairs}")
    return values, raw


def measure_alone(runner, row, runs, log):
    """Values of a program without a peer: ({key: [value]}, [(result, None)])."""
    values, raw = {claim.key: [] for claim in row.claims}, []
    for index in range(runs):
        more = ["--seed", str(row.seeds[index])] if row.seeds else []
        raw.append((runner.run(row.ours, *more), None))
        add_values(row, values, *raw[-1], log, f"run {index + 1} of {runs}")
    return values, raw


def add_values(row, values, ours, other, log, when):
    for claim in row.claims:
        values[claim.key].append(claim.value(ours, other))
        log(f"{row.name}: {when}: {claim.key} {values[claim.key][-1]:.5g}" + parts(claim, ours, other))


def parts(claim, ours, other):
    """What a ratio was made of."""
    if other is None or claim.difference:
        return ""
    return f" = {ours[claim.key]:.5g} / {other[claim.key]:.5g}"


def log_to_terminal(text):
    print("» " + text, file=sys.stderr, flush=True)
