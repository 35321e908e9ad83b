#!/usr/bin/env python3
"""ended_fit_test.py PROGRAM [steps] [ROUNDS]: PROGRAM, ended by the system's signals and limits at random moments and
started again until it is done, comes to what the run came to that was left alone: weights, learning rate, callbacks,
files. It keeps its checkpoints as BackupAndRestore does, or in steps."""
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = []
ROUNDS = 6
NOBODY = 65534


def start(folder, **options):
    return subprocess.Popen([PROGRAM[0], folder, *PROGRAM[1:]], stderr=subprocess.PIPE, text=True,
                            **{"stdout": subprocess.DEVNULL, **options})


def result(folder):
    with open(f"{folder}/result", encoding="utf-8") as file:
        return file.read()


def run(folder, **options):
    """Runs to the end; what it says."""
    process = start(folder, **options)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, f"exit code {process.returncode}\n{errors}"
    return errors


class EndedFitTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            run(folder)
            cls.whole = result(folder)

    def check(self, numbers, exit_codes, times=1, **options):
        """Ended by each of these signals, sent so many times, with the exit code, where it was not done before."""
        draw = random.Random(str(numbers))
        with tempfile.TemporaryDirectory() as folder:
            ended = 0
            for number, exit_code in zip(numbers, exit_codes):
                process = start(folder, **options)
                try:
                    process.communicate(timeout=draw.uniform(0.1, 0.6))
                except subprocess.TimeoutExpired:
                    for _ in range(times):
                        process.send_signal(number)
                    _, errors = process.communicate(timeout=60)
                    if process.returncode == -number:  # before fit began: nothing was there to save
                        continue
                    self.assertIn(process.returncode, (exit_code, 0), errors)
                    ended += process.returncode == exit_code
                if os.path.exists(f"{folder}/result"):
                    break
            run(folder)
            self.assertEqual(result(folder), self.whole)
            return ended

    def test_killed(self):
        self.check([signal.SIGKILL] * ROUNDS, [-signal.SIGKILL] * ROUNDS)

    def test_asked_to_end(self):
        numbers = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
                   signal.SIGXCPU, signal.SIGPWR]
        for number in numbers:
            self.check([number] * 3, [128 + number] * 3)

    def test_asked_to_end_by_a_launcher_that_repeats_itself(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            self.check([number] * 3, [128 + number] * 3, times=3)

    def test_output_that_nobody_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            process = start(folder, stdout=subprocess.PIPE)
            process.stdout.readline()
            process.stdout.close()
            errors = process.stderr.read()
            process.stderr.close()
            self.assertEqual(process.wait(timeout=120), 0, errors)
            self.assertEqual(result(folder), self.whole)

    def test_no_thread_can_be_started(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)

            def limit():
                resource.setrlimit(resource.RLIMIT_NPROC, (2, 2))
                if os.getuid() == 0:  # whom no limit binds
                    os.setgid(NOBODY)
                    os.setuid(NOBODY)

            run(folder, preexec_fn=limit)
            self.assertEqual(result(folder), self.whole)

    def test_few_files_may_be_open(self):
        with tempfile.TemporaryDirectory() as folder:
            run(folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)))
            self.assertEqual(result(folder), self.whole)

    def test_a_file_that_may_not_grow(self):
        with tempfile.TemporaryDirectory() as folder:
            process = start(folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 1, errors)  # an error, no signal
            self.assertIn("ulimit -f unlimited", errors)
            run(folder)
            self.assertEqual(result(folder), self.whole)

    def test_processor_time_that_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            process = start(folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 30)))
            _, errors = process.communicate(timeout=120)
            self.assertIn(process.returncode, (0, 128 + signal.SIGXCPU), errors)
            run(folder)
            self.assertEqual(result(folder), self.whole)


if __name__ == "__main__":
    PROGRAM = [os.path.abspath(sys.argv[1])] + [word for word in sys.argv[2:] if word == "steps"]
    if sys.argv[-1].isdigit():
        ROUNDS = int(sys.argv[-1])
    unittest.main(argv=sys.argv[:1])
