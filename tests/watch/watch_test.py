#!/usr/bin/env python3
"""watch_test.py TOOL PROGRAM: a run that trains on is asked from outside: for a profile, its status, its page's timeline, and
its metrics, which promtool and a Prometheus check and scrape where they are installed.

PROGRAM is one that trains an MLP for as long as --steps says (benchmarks/fit_mlp.cc).
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import urllib.parse
import urllib.request

TOOL, PROGRAM = "", ""
DEADLINE = 120  # seconds, for what takes a moment


def run(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    """A record of a TFRecord file."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc32c(length)) + data + struct.pack("<I", masked_crc32c(data))


def field(number, data):
    """A field of a message of protocol buffers: a text, a message, or a small number."""
    if isinstance(data, int):
        return bytes([number << 3, data])
    return bytes([number << 3 | 2, len(data)]) + data


def scalar_event(step, tag, value, simple):
    """event.proto with one scalar, as TensorFlow 1 wrote it (simple_value), or as it does now (a tensor)."""
    number = struct.pack("<f", value)
    of_value = b"\x15" + number if simple else field(8, field(1, 1) + field(5, number))
    return field(2, step) + field(5, field(1, field(1, tag.encode()) + of_value))


class LogsTest(unittest.TestCase):
    """The page that compares the runs of a logs folder."""

    def test_runs(self):
        with tempfile.TemporaryDirectory() as temporary:
            for name, scale, simple in (("first/train", 1, True), ("second/train", 2, False)):
                folder = pathlib.Path(temporary) / name
                folder.mkdir(parents=True)
                events = b"".join(record(scalar_event(step, "epoch_loss", scale / (1 + step), simple)) for step in range(3))
                damaged = record(b"never read")[:-2]
                (folder / "events.out.tfevents.1.host.v2").write_bytes(events + damaged)
            tool = subprocess.Popen([TOOL, "monitor", "--logs", temporary, "--web", "127.0.0.1:0"], stdout=subprocess.PIPE,
                                    text=True)
            try:
                url = re.search(r"http://\S+", tool.stdout.readline()).group(0)
                with urllib.request.urlopen(url + "runs", timeout=60) as answer:
                    runs = json.load(answer)["runs"]
            finally:
                tool.send_signal(signal.SIGINT)
                self.assertEqual(tool.wait(), 0)
                tool.stdout.close()
        self.assertEqual(runs, [
            {"name": "first/train", "scalars": {"epoch_loss": [[0, 1], [1, 0.5], [2, struct.unpack("<f", struct.pack("<f", 1 / 3))[0]]]}},
            {"name": "second/train", "scalars": {"epoch_loss": [[0, 2], [1, 1], [2, struct.unpack("<f", struct.pack("<f", 2 / 3))[0]]]}}])
        result = run(TOOL, "monitor", "--logs", temporary)
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is no logs folder", result.stderr)


def begin(**environment):
    """A run without end, whose page is at the address that follows it."""
    process = subprocess.Popen([PROGRAM, "--steps", "1000000000"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                               env={**os.environ, "SYSTOLIC_MONITOR": "127.0.0.1:0", **environment})
    said = ""
    while not (found := re.search(r"shown at (http://\S+)", said)):
        line = process.stderr.readline()
        if not line:
            raise SystemExit(f"the program ended:\n{said}")
        said += line
    return process, found.group(1)


def resident_bytes(process):
    """Memory of a process, as the system counts it."""
    return int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


class EndTest(unittest.TestCase):
    """What the monitor says of runs that end badly, and what the run says where nothing can be shown."""

    def test_a_run_that_is_killed(self):
        with tempfile.TemporaryDirectory() as crashes:
            process, _ = begin(SYSTOLIC_CRASH=crashes)
            watching = subprocess.Popen([TOOL, "monitor", str(process.pid)], stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "SYSTOLIC_CRASH": crashes})
            self.assertRegex(watching.stdout.readline(), rf"process {process.pid} .* steps/s, loss ")
            process.kill()
            process.communicate()
            said = watching.stdout.read()
            self.assertIn("crashed or was killed", said)
            self.assertEqual(watching.wait(DEADLINE), 1)
            watching.stdout.close()
            [left] = pathlib.Path(crashes).iterdir()
            self.assertIn(f"What is known of it: systolic doctor {left}\n", said)
            told = run(TOOL, "doctor", left)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertIn("it was ended from outside (SIGKILL", told.stdout)

    def test_a_run_that_is_killed_in_its_first_second(self):
        with tempfile.TemporaryDirectory() as crashes:
            process = subprocess.Popen([PROGRAM, "--steps", "1000000000"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       env={**os.environ, "SYSTOLIC_CRASH": crashes})
            try:
                WatchTest.wait_for(lambda: any(re.search(r"^step 0 .* loss \d", left.read_text(), re.MULTILINE)
                                               for left in pathlib.Path(crashes).iterdir()))
            finally:
                process.kill()
                process.wait()
            [left] = pathlib.Path(crashes).iterdir()
            told = run(TOOL, "doctor", left, env={**os.environ, "SYSTOLIC_CRASH": crashes})
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertRegex(told.stdout, r"progress +[\d,]+ steps? done, in epoch 1")
            self.assertRegex(told.stdout, r"losses +[\d.]+ in step ")
            self.assertRegex(told.stdout, r"device +software_tpu \S+, 8 cores\n")
            # What it said last is in its file, and no longer in memory.
            result = run(TOOL, "monitor", "--once", process.pid, env={**os.environ, "SYSTOLIC_CRASH": crashes})
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"process {process.pid} has died", result.stderr)
            self.assertIn(f"systolic doctor {left}", result.stderr)

    def test_an_environment_that_is_wrong_is_one_warning(self):
        result = run(PROGRAM, "--steps", "20", env={**os.environ, "SYSTOLIC_MONITOR": "foo"})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("SYSTOLIC_MONITOR is wrong: the monitor's address is 'foo'"), 1, result.stderr)

    def test_a_run_that_is_stopped(self):
        process, url = begin(SYSTOLIC_CRASH="off")
        try:
            WatchTest.wait_for(lambda: run(TOOL, "monitor", "--once", process.pid).returncode == 0)
            process.send_signal(signal.SIGSTOP)
            result = run(TOOL, "monitor", "--once", process.pid)
            self.assertIn(f"stopped: kill -CONT {process.pid}", result.stdout)
            result = run(TOOL, "monitor", "--once", url)
            self.assertEqual(result.returncode, 1)
            self.assertIn("listens, but does not answer", result.stderr)
        finally:
            process.kill()
            process.communicate()

    def test_a_status_that_is_cut(self):
        process, _ = begin(SYSTOLIC_CRASH="off")
        try:
            WatchTest.wait_for(lambda: run(TOOL, "monitor", "--once", process.pid).returncode == 0)
            process.send_signal(signal.SIGSTOP)
            status = pathlib.Path(f"/dev/shm/systolic-{os.getuid()}/{process.pid}")
            for size in (100, 10):
                os.truncate(status, size)
                result = run(TOOL, "monitor", "--once", process.pid)
                self.assertNotIn("epoch", result.stdout)
                self.assertRegex(result.stdout + result.stderr, rf"is cut(: | to ){size} ")
        finally:
            process.kill()
            process.communicate()

    def test_a_port_in_use_is_one_warning(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            result = run(PROGRAM, "--steps", "20", env={**os.environ, "SYSTOLIC_MONITOR": address})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count(f"The run is shown on no page: the page of the monitor cannot be served at "
                                             f"{address}"), 1, result.stderr)


class WatchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.process, cls.url = begin()
        cls.wait_for(lambda: json.loads(cls.get("status"))["steps"] > 10)

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGKILL)
        cls.process.wait()
        cls.process.stderr.close()
        cls.folder.cleanup()

    @classmethod
    def get(cls, path):
        with urllib.request.urlopen(cls.url + path, timeout=60) as answer:
            return answer.read().decode()

    @staticmethod
    def wait_for(condition):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            try:
                if condition():
                    return
            except OSError:
                pass
            time.sleep(0.2)
        raise AssertionError("it takes too long")

    def test_profile(self):
        folder = pathlib.Path(self.folder.name) / "logs"
        result = run(TOOL, "profile", self.process.pid, "--seconds", "0.5", "--folder", folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"process \d+, on software_tpu .* steps of ")
        for layer in ("dense", "dense_1"):
            self.assertRegex(result.stdout, rf" %  +(compute|memory) +{layer} at fit_mlp.cc:\d+\n")
        again = run(TOOL, "profile", folder)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue(result.stdout.startswith(again.stdout), again.stdout)
        [trace] = folder.glob("plugins/profile/*/*.trace.json")
        events = [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X"]
        kinds = {event["cat"] for event in events}
        self.assertLessEqual({"step", "program", "op", "input"}, kinds)
        for event in events:
            self.assertGreaterEqual(event["ts"], 0)
            self.assertGreaterEqual(event["dur"], 0)

    def test_page(self):
        timeline = json.loads(self.get("timeline"))
        kinds = {timeline["works"][span[2]]["kind"] for track in timeline["tracks"] for span in track["spans"]}
        self.assertLessEqual({"step", "program", "op"}, kinds)
        self.assertIn("page.timeline.js", self.get(""))

    def test_status_of_an_address(self):
        for address in (self.url, urllib.parse.urlparse(self.url).netloc):
            result = run(TOOL, "monitor", "--once", address)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"process {self.process.pid}", result.stdout)
        result = run(TOOL, "monitor", "--once", "127.0.0.1:1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no run is shown at 127.0.0.1:1", result.stderr)

    def test_metrics(self):
        text = self.get("metrics")
        for name in ("systolic_step_total", 'systolic_mxu_percent{core="0"}', 'systolic_idle_percent{core="0"}',
                     'systolic_hbm_bytes{core="0"}'):
            self.assertIn(f"\n{name} ", text)
        if promtool := shutil.which("promtool"):
            result = run(promtool, "check", "metrics", input=text)
            self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))

    def test_the_dashboard_asks_for_what_there_is(self):
        there = set(re.findall(r"^(systolic_\w+)", self.get("metrics"), re.MULTILINE)) | {"systolic_epoch_metric"}
        dashboard = pathlib.Path(__file__).parents[2] / "docs" / "grafana.json"
        asked = set(re.findall(r"systolic_\w+", dashboard.read_text()))
        self.assertEqual(asked - there, set())

    def steps(self):
        return json.loads(self.get("status"))["steps"]

    # 100 pages at once, of which one reads a byte a second, until it is dropped, and 50 read nothing.
    def test_many_pages_take_little(self):
        before, steps = resident_bytes(self.process.pid), self.steps()
        place = urllib.parse.urlparse(self.url)
        pages = [socket.create_connection((place.hostname, place.port), timeout=60) for _ in range(100)]
        try:
            for page in pages:
                page.sendall(f"GET /events HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
            most = 0
            for _ in range(10):
                pages[0].recv(1)
                for page in pages[50:]:
                    self.assertGreater(len(page.recv(1 << 20)), 0)
                most = max(most, resident_bytes(self.process.pid))
                time.sleep(1)
        finally:
            for page in pages:
                page.close()
        print(f"100 pages: {(most - before) / 2**20:.1f} MB more", file=sys.stderr)
        self.assertLess(most - before, 64 << 20)
        self.wait_for(lambda: self.steps() > steps)

    def test_a_monitor_that_is_killed_changes_nothing(self):
        for options in ((), ("--web", "127.0.0.1:0")):
            watching = subprocess.Popen([TOOL, "monitor", str(self.process.pid), *options], stdout=subprocess.PIPE, text=True)
            self.assertTrue(watching.stdout.readline())
            if options:
                asking = subprocess.Popen([TOOL, "profile", str(self.process.pid), "--seconds", "60", "--folder", self.folder.name],
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(0.5)
                asking.kill()
                asking.wait()
            watching.kill()
            watching.communicate()
            steps = self.steps()
            self.wait_for(lambda: self.steps() > steps)
            result = run(TOOL, "monitor", "--once", self.process.pid)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_terminal_of_any_size(self):
        terminal, inner = pty.openpty()

        def frame(watching, rows, columns):
            """What is on the screen after the terminal has another size."""
            fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            shown = b""
            end = time.monotonic() + DEADLINE
            while shown.count(b"\x1b[H") < 4 and time.monotonic() < end:  # two whole ones, of which the first may be older
                self.assertIsNone(watching.poll())
                if select.select([terminal], [], [], 1)[0]:
                    shown += os.read(terminal, 1 << 16)
            return shown.decode(errors="replace").replace("\r\r\n", "\r\n").split("\x1b[H")[-2]

        for no_color in ("", "1"):
            watching = subprocess.Popen([TOOL, "monitor", str(self.process.pid)], stdin=inner, stdout=inner, stderr=inner,
                                        env={**os.environ, "TERM": "xterm", "NO_COLOR": no_color})
            for rows, columns in ((40, 100), (24, 80), (10, 30), (5, 12), (50, 200)):
                text = frame(watching, rows, columns)
                self.assertEqual("\x1b[32m" in text, no_color == "")
                lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).rstrip("\r\n").split("\r\n")
                self.assertLessEqual(len(lines), rows)
                self.assertLessEqual(max(map(len, lines)), columns)
                if rows >= 10:
                    self.assertIn(" steps/s", "\n".join(lines))
            watching.send_signal(signal.SIGINT)
            self.assertEqual(watching.wait(DEADLINE), 0)
            left = b""
            while select.select([terminal], [], [], 0.5)[0]:
                left += os.read(terminal, 1 << 16)
            self.assertIn(b"\x1b[?25h\x1b[?1049l", left)  # the terminal is as it was
        os.close(terminal)
        os.close(inner)

    def test_a_page_for_a_run_that_has_none(self):
        serving = subprocess.Popen([TOOL, "monitor", "--web", "127.0.0.1:0", str(self.process.pid)], stdout=subprocess.PIPE, text=True)
        try:
            url = re.search(r"http://\S+", serving.stdout.readline()).group(0)

            def served():
                with urllib.request.urlopen(url + "status", timeout=60) as answer:
                    return json.load(answer)["process"] == self.process.pid
            self.wait_for(served)
            with urllib.request.urlopen(url + "timeline", timeout=60) as answer:
                self.assertIn("tracks", json.load(answer))
        finally:
            serving.send_signal(signal.SIGINT)
            serving.communicate()

    @unittest.skipUnless(shutil.which("prometheus"), "optional: Debian's package prometheus")
    def test_prometheus_scrapes_it(self):
        folder = pathlib.Path(self.folder.name)
        target = urllib.parse.urlparse(self.url).netloc
        config = folder / "prometheus.yml"
        config.write_text("scrape_configs:\n  - job_name: training\n    scrape_interval: 1s\n"
                          f'    static_configs: [{{targets: ["{target}"]}}]\n')
        port = 19090
        server = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/tsdb",
                                   f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
        try:
            def scraped():
                address = f"http://127.0.0.1:{port}/api/v1/query?query=systolic_step_total"
                with urllib.request.urlopen(address, timeout=10) as answer:
                    found = json.load(answer)["data"]["result"]
                return found and float(found[0]["value"][1]) > 10

            self.wait_for(scraped)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    TOOL, PROGRAM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
