#!/usr/bin/env python3
"""hostile_test.py TOOL MNIST CLOCK: the tool and a training program where the environment is not what they are used
to: locale, time zone, few open files, no $HOME, closed streams, no terminal, one processor, a clock that goes back."""
import fcntl
import os
import pty
import re
import resource
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

TOOL = MNIST = CLOCK = ""

LOCALES = {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"}


def without_times(text):
    """What a run prints, but for how long it took."""
    text = re.sub(r"\d+:\d\d|[\d,.]+ ?(ms|us|s|min|GB|MB|KB|%)(?![a-z])(/step)?", "T", text)
    return re.sub(r"[\d,]+ (samples|records)/s", "R", text)


class HostileTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = temporary.name
        self.source = f"{self.work}/rows.csv"
        with open(self.source, "w", encoding="utf-8") as file:
            file.write("x,label,text\n" + "".join(f"{i / 8},{i % 3},some words\n" for i in range(5000)))

    def run_in(self, *command, expected=0, env=None, **options):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.work,
                              env=dict(os.environ) if env is None else env, **options)
        self.assertEqual(done.returncode, expected, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def write(self, name, **options):
        """The bytes of the files that `tfrecord write` makes, by their names."""
        self.run_in(TOOL, "tfrecord", "write", self.source, "--output", name, "--name", "rows", "--shards", "40",
                    **options)
        folder = f"{self.work}/{name}/rows/1.0.0"
        files = {}
        for file in sorted(os.listdir(folder)):
            with open(f"{folder}/{file}", "rb") as content:
                files[file] = content.read()
        self.assertEqual(len(files), 42)
        return files

    def train(self, name, **options):
        return self.run_in(MNIST, "--smoke", "3", "--filters", "4", "--cache", name, **options)

    def test_files_are_the_same_everywhere(self):
        plain = self.write("plain")
        home = {key: value for key, value in os.environ.items() if key != "HOME"}
        one_processor = {min(os.sched_getaffinity(0))}
        cases = {
            "locale": {"env": {**os.environ, **LOCALES}},
            "zone": {"env": {**os.environ, "TZ": "Pacific/Kiritimati"}},
            "no_zone": {"env": {**os.environ, "TZ": ":/nowhere"}},
            "no_home": {"env": home},
            "nothing": {"env": {}},
            "few_files": {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))},
            "one_processor": {"preexec_fn": lambda: os.sched_setaffinity(0, one_processor)},
            "clock": {"env": {**os.environ, "LD_PRELOAD": CLOCK}},
            "no_output": {"preexec_fn": lambda: os.close(1)},
            "no_streams": {"preexec_fn": lambda: os.closerange(0, 3)},
        }
        for name, options in cases.items():
            with self.subTest(name):
                self.assertEqual(self.write(name, **options), plain)

    def test_training_is_the_same_everywhere(self):
        plain = without_times(self.train("plain").stdout)
        self.assertRegex(plain, "3/3 .*loss: [0-9.]+")
        home = {key: value for key, value in os.environ.items() if key != "HOME"}
        cases = {
            "locale": {"env": {**os.environ, **LOCALES}},
            "zone": {"env": {**os.environ, "TZ": ":/nowhere"}},
            "no_home": {"env": home},
            "few_files": {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))},
            "clock": {"env": {**os.environ, "LD_PRELOAD": CLOCK}},
        }
        for name, options in cases.items():
            with self.subTest(name):
                done = self.train(name, **options)
                self.assertEqual(without_times(done.stdout).replace(name, "plain"), plain)
                self.assertNotRegex(done.stdout + done.stderr, "\x1b|\r")  # no terminal
                self.assertNotRegex(done.stdout, r"-\d+(:|s|ms)")  # no time below zero

    def test_training_with_closed_streams_writes_what_it_should(self):
        for name, preexec in (("open", None), ("closed", lambda: os.closerange(0, 3))):
            self.run_in(MNIST, "--smoke", "3", "--filters", "4", "--cache", "cache", "--json", f"{name}.json",
                        preexec_fn=preexec)
        for name in ("open", "closed"):
            with open(f"{self.work}/{name}.json", encoding="utf-8") as file:
                self.assertRegex(file.read(), r"\A\{[^\x1b]*\}\n?\Z")

    def test_output_that_takes_no_more_is_said(self):
        self.write("data")
        pattern = f"{self.work}/data/rows/1.0.0/*.tfrecord-*"
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, "tfrecord", "cat", pattern], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("cannot write the records: the output is closed", done.stderr)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, "tfrecord", "info", pattern], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output takes no more", done.stderr)

    def test_time_left_is_by_the_clock_that_measures(self):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 140, 0, 0))
        with open(self.source, "a", encoding="utf-8") as file:
            file.write("".join(f"{i},1,{'words ' * 40}\n" for i in range(400_000)))
        process = subprocess.Popen([TOOL, "tfrecord", "write", self.source, "--output", "data", "--name", "rows"],
                                   stderr=slave, stdout=subprocess.DEVNULL, cwd=self.work,
                                   env={**os.environ, "LD_PRELOAD": CLOCK, "TERM": "xterm"})
        os.close(slave)
        drawn = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            drawn += piece
        os.close(master)
        self.assertEqual(process.wait(), 0)
        lines = re.findall(r"\r([^\r\x1b]+)\x1b\[K", drawn.decode())
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"\A\[#*-*\] \d+ %  [\d,]+ of 405,000 records  [1-9][\d,]* records/s(  \d+ s left)?\Z")
        self.assertIn("100 %  405,000 of 405,000 records", lines[-1])


if __name__ == "__main__":
    TOOL, MNIST, CLOCK = map(os.path.abspath, sys.argv[1:4])
    del sys.argv[1:4]
    unittest.main()
