#!/usr/bin/env python3
"""killed_at_call_test.py PROGRAM: PROGRAM, killed before each open, write, fsync, rename and unlink of its checkpoints and
started again, comes to the bit to what the run came to that was left alone."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
CALLS = ["open", "write", "fsync", "rename", "unlink"]
MOST_CALLS = 300


def run(folder, what, *fault):
    done = subprocess.run([PROGRAM, folder, what, *map(str, fault)], stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    return done.returncode, done.stderr


def result(folder):
    with open(f"{folder}/result", encoding="utf-8") as file:
        return file.read()


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="systolic-test-")


def names_under(folder):
    return [name for _, _, files in os.walk(folder) for name in files]


class KilledAtCallTest(unittest.TestCase):
    def check(self, what):
        with temporary_folder() as folder:
            self.assertEqual(run(folder, what)[0], 0)
            whole = result(folder)
        kills = 0
        for call in CALLS:
            for number in range(1, MOST_CALLS):
                with self.subTest(what=what, call=call, number=number), temporary_folder() as folder:
                    code, errors = run(folder, what, call, number)
                    self.assertIn(code, (0, -signal.SIGKILL), errors)
                    if code == 0:
                        break
                    kills += 1
                    code, errors = run(folder, what)
                    self.assertEqual(code, 0, errors)
                    self.assertEqual(result(folder), whole)
                    left = [name for name in names_under(folder) if ".tmp-" in name]
                    self.assertEqual(left, [])
            self.assertLess(number, MOST_CALLS - 1)
        self.assertGreater(kills, 20)
        print(f"{what}: {kills} kills")

    def test_steps(self):
        self.check("steps")

    def test_steps_in_background(self):
        self.check("steps_in_background")

    def test_manager(self):
        self.check("manager")

    def test_manager_in_background(self):
        self.check("manager_in_background")

    def test_backup(self):
        self.check("backup")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
