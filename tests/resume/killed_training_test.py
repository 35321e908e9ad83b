#!/usr/bin/env python3
"""killed_training_test.py PROGRAM [ROUNDS]: PROGRAM, killed at random moments and started again until it ends, takes
the steps of the run that was left alone, to the bit: weights, moments and losses."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
ROUNDS = 4  # kills of each pipeline
KILLED = -9


def run(pipeline, folder, *die_at, after=None):
    """Its output, or None where it was killed: by itself, or by us after this many seconds."""
    process = subprocess.Popen([PROGRAM, pipeline, ".", *map(str, die_at)], cwd=folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
    if process.returncode == KILLED:
        return None
    assert process.returncode == 0, f"{pipeline}, {die_at}: exit code {process.returncode}\n{errors}"
    return output


def pairs(text):
    """Step and value of each line: a step that was taken twice must have the same value."""
    values = {}
    for line in text.splitlines():
        step, value = line.split()
        assert values.setdefault(step, value) == value, f"step {step} differs: {values[step]} and {value}"
    return values


def steps(folder):
    with open(f"{folder}/steps", encoding="ascii") as file:
        return pairs(file.read())


class KilledTrainingTest(unittest.TestCase):
    def check(self, pipeline, kills):
        with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as cut:
            losses = pairs(run(pipeline, whole))
            shutil.copy(f"{whole}/start", f"{cut}/state")  # the seeds that it drew
            killed = 0
            for arguments, after in kills:
                output = run(pipeline, cut, *arguments, after=after)
                if output is not None:
                    break
                killed += 1
            else:
                output = run(pipeline, cut)
            self.assertEqual(steps(cut), steps(whole))
            rest = pairs(output)
            self.assertEqual(rest, {step: losses[step] for step in rest})
            return killed


def test_of(pipeline):
    def test(self):
        draw = random.Random(pipeline)
        # Eighty things or some hundred happen in a run: steps, parts of saves, calls of functions.
        killed = self.check(pipeline, [([draw.randrange(1, most)], None) for most in [60] + [500] * (ROUNDS - 1)])
        self.assertGreater(killed, 0)
        # Wherever the program is by the clock; mostly in a save, or starting.
        self.check(pipeline, [([], draw.uniform(0.05, 1)) for _ in range(ROUNDS)])
    return test


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        ROUNDS = int(sys.argv[2])
    for name in subprocess.run([PROGRAM], check=True, capture_output=True, text=True).stdout.split():
        setattr(KilledTrainingTest, f"test_{name}", test_of(name))
    unittest.main(argv=sys.argv[:1])
