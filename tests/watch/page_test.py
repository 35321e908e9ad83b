#!/usr/bin/env python3
"""page_test.py TOOL RUN LONG_RUN PROGRAM: the monitor's page in a headless Chromium: what it shows, in any width and in the dark, and what
eight hours of history cost.

RUN trains three epochs of four steps, prints the losses after each and waits (tests/tensorboard/write_tensorboard_logs.cc).
LONG_RUN shows eight hours that are simulated (show_long_run.cc). PROGRAM trains an MLP for as long as --steps says
(benchmarks/fit_mlp.cc). Without Chromium the test ends with code 77: skipped.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import browser

TOOL, RUN, LONG_RUN, PROGRAM = "", "", "", ""
MOST_HEAP = 50 << 20       # bytes
MOST_DRAWING = 1000        # milliseconds
TEXT_CONTRAST, LINE_CONTRAST = 4.5, 3  # WCAG 2.1, 1.4.3 and 1.4.11

TABLE = """[...document.querySelectorAll("#{}")].flatMap((body) => [...body.rows].map((row) =>
    [...row.cells].map((cell) => cell.textContent)))"""
NUMBERS = """Object.fromEntries([...document.querySelectorAll("#numbers b")].map((one) => [one.dataset.name, one.textContent]))"""
FIGURES = """[...document.querySelectorAll("#{} figure")].map((one) => ({{name: one.dataset.name,
    told: one.querySelector("figcaption").lastChild.textContent,
    lines: [...one.querySelectorAll("polyline")].map((line) => line.getAttribute("points").split(" ").filter(Boolean).length)}}))"""
# What a color is in numbers, drawn over the page's own ground.
COLORS = """(() => {{
  const ground = document.createElement("div");
  ground.style.background = "Canvas";
  document.body.append(ground);
  const probe = document.createElement("div");
  ground.append(probe);
  const shown = (color) => {{ probe.style.color = color; return getComputedStyle(probe).color; }};
  const result = {{ground: getComputedStyle(ground).backgroundColor, colors: {}.map(shown)}};
  ground.remove();
  return result;
}})()"""


def get(url, path):
    with urllib.request.urlopen(url + path, timeout=60) as answer:
        return json.load(answer)


def wait_for(what, ask):
    end = time.monotonic() + browser.PATIENCE
    while True:
        if found := ask():
            return found
        if time.monotonic() > end:
            raise AssertionError(f"the page does not show {what}")
        time.sleep(0.1)


# Numbers as the page's reader expects them.
def percent(x):
    if x is None:
        return "–"
    return f"{x:.4f}" if 0 < x < 0.00995 else f"{x:.2f}" if abs(x) < 9.995 else f"{x:.1f}"


def byte_count(x):
    if x is None:
        return "–"
    unit = 0
    while x >= 1024 and unit < 4:
        x, unit = x / 1024, unit + 1
    return f"{x:.0f} B" if unit == 0 else f"{x:.2f} {['KB', 'MB', 'GB', 'TB'][unit - 1]}"


def rows_of_cores(status):
    return [[str(core["number"]), *(percent(core[name]) for name in (
        "mxu_percent", "padded_mxu_percent", "busy_percent", "input_wait_percent", "idle_percent")),
        "–" if core["collective_bytes_per_second"] is None else byte_count(round(core["collective_bytes_per_second"])) + "/s",
        byte_count(core["memory_bytes"]), byte_count(core["peak_memory_bytes"]), byte_count(core["memory_limit_bytes"])]
        for core in status["cores"]]


def luminance(color):
    parts = [float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


class Run:
    """A program that prints what it does and waits for a line."""

    def __init__(self, *command, **environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})

    def line(self):
        return self.process.stdout.readline()

    def address(self):
        """Of the page that it says it has."""
        said = ""
        while not (found := re.search(r"shown at (http://\S+)", said)):
            line = self.process.stderr.readline()
            if not line:
                raise AssertionError(f"the program ended:\n{said}")
            said += line
        return found.group(1)

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.communicate()


class PageTest(unittest.TestCase):
    def check_no_errors(self, window):
        window.value("1")  # what was thrown meanwhile has come
        self.assertEqual(window.errors, [])

    def test_it_shows_the_runs_numbers(self):
        with tempfile.TemporaryDirectory() as logs, browser.Browser() as window:
            run = Run(RUN, logs, SYSTOLIC_MONITOR="127.0.0.1:0", SYSTOLIC_CRASH="off")
            try:
                url = run.address()
                told = []  # [epoch, loss, val_loss, mean of the kernel]
                for epoch in range(3):
                    told.append([float(word) for word in run.line().split()])
                    if epoch == 0:
                        window.open(url)
                    self.check_run(window, url, told)
                    run.go_on()
                self.assertEqual(run.process.wait(browser.PATIENCE), 0)
                self.check_compared(window, logs, told)
            finally:
                run.end()
            shown = [error for error in window.errors if "ERR_" not in str(error)]  # the server ends with the run
            self.assertEqual(shown, [])

    # The run stands still: what changes are the percentages of the last ten seconds.
    def check_run(self, window, url, told):
        steps = 4 * len(told)
        numbers = wait_for(f"step {steps}", lambda: (found := window.value(NUMBERS)) and found.get("step") == str(steps) and found)
        self.assertEqual(numbers["epoch"], f"{len(told)}/3")
        self.assertEqual(int(numbers["compiled"]), get(url, "status")["compilations"])
        self.assertIn("small", window.value("byId('title').textContent"))

        def cores():
            status = get(url, "status")
            return window.value(TABLE.format("cores")) == rows_of_cores(status) and status["cores"]
        self.assertEqual(len(wait_for("the cores' numbers", cores)), 8)

        def epochs():
            found = {one["name"]: one for one in window.value(FIGURES.format("epochs"))}
            return "loss" in found and found["loss"]["lines"] == [len(told)] * 2 and found
        figures = wait_for(f"{len(told)} epochs", epochs)
        self.assertEqual(set(figures), {"loss", "accuracy"})
        logs = dict(window.value(TABLE.format("logs")))
        for shown in ([logs["loss"], logs["val_loss"]], figures["loss"]["told"].split(" · ")):
            self.assertAlmostEqual(float(shown[0]), told[-1][1], delta=6e-5)  # four digits are shown
            self.assertAlmostEqual(float(shown[1]), told[-1][2], delta=6e-5)

    # The runs of the logs folder, on a page of their own.
    def check_compared(self, window, logs, told):
        serving = Run(TOOL, "monitor", "--logs", logs, "--web", "127.0.0.1:0")
        try:
            window.open(re.search(r"http://\S+", serving.line()).group(0))

            def compared():
                found = {one["name"]: one for one in window.value(FIGURES.format("scalars"))}
                return found.get("epoch_loss")
            losses = wait_for("the runs' losses", compared)
            self.assertEqual(losses["lines"], [3, 3])
            low, high = (float(text) for text in losses["told"].split(" to "))
            self.assertAlmostEqual(low, min(min(one[1:3]) for one in told), delta=6e-5)
            self.assertAlmostEqual(high, max(max(one[1:3]) for one in told), delta=6e-5)
            names = window.value("""[...document.querySelectorAll("#legend span")].map((one) => one.textContent)""")
            self.assertEqual(names, ["train", "validation"])
        finally:
            serving.process.send_signal(signal.SIGINT)
            serving.process.communicate()

    def test_the_timeline(self):
        run = Run(PROGRAM, "--steps", "1000000000", SYSTOLIC_MONITOR="127.0.0.1:0", SYSTOLIC_CRASH="off")
        try:
            with browser.Browser() as window:
                window.open(run.address())
                wait_for("a step", lambda: (window.value(NUMBERS) or {}).get("step", "0") != "0")
                window.value("byId('record').click()")
                wait_for("a recording", lambda: re.match(r"\d+ ms, [1-9]\d* whole steps", window.value("byId('recorded').textContent")))
                kinds = window.value("[...new Set(hits.map((hit) => timeline.works[hit[3][2]].kind))]")
                self.assertLessEqual({"step", "program", "op"}, set(kinds))
                before = window.value("shown")
                window.value("""byId("lanes").dispatchEvent(new WheelEvent("wheel", {deltaY: -100, cancelable: true}))""")
                self.assertLess(window.value("shown[1] - shown[0]"), before[1] - before[0])
                window.value("""(() => { const hit = hits.find((one) => timeline.works[one[3][2]].kind === "op");
                    const lanes = byId("lanes"), place = lanes.getBoundingClientRect();
                    lanes.dispatchEvent(new MouseEvent("click", {clientX: place.x + hit[0] + hit[2] / 2, clientY: place.y + hit[1] + 2}));
                    })()""")
                self.assertRegex(window.value("byId('recorded').textContent"), r"\d ms")
                self.check_no_errors(window)
        finally:
            run.end()

    def test_eight_hours_stay_light(self):
        run = Run(LONG_RUN)
        try:
            url = run.line().strip()
            with browser.Browser() as window:
                window.open(url)
                wait_for("the first second", lambda: window.value(NUMBERS).get("step") == "0")
                run.go_on()
                self.assertEqual(run.line().strip(), "done")
                status = get(url, "status")
                steps = f"{status['steps']:,}"

                def all_points():
                    run.go_on()  # one more second for who has missed some
                    return window.value(NUMBERS).get("step") == steps and window.value(
                        "points.length") == len(get(url, "status")["points"])
                wait_for("all points", all_points)
                self.check_long_run(window, status)
                heap = window.heap_bytes()
                drawing = min(window.value("""(() => { const begin = performance.now(); draw();
                    document.body.getBoundingClientRect(); return performance.now() - begin; })()""") for _ in range(5))
                print(f"eight hours: {heap / 2**20:.1f} MB of scripts' memory, drawn in {drawing:.0f} ms", file=sys.stderr)
                self.assertLessEqual(heap, MOST_HEAP)
                self.assertLessEqual(drawing, MOST_DRAWING)
                self.check_looks(window)
                self.check_no_errors(window)
        finally:
            run.end()

    def check_long_run(self, window, status):
        self.assertGreaterEqual(len(status["points"]), 256)
        figures = {one["name"]: one for one in window.value(FIGURES.format("curves"))}
        self.assertEqual(figures["loss"]["lines"], [len(status["points"])])
        for name in ("MXU %", "idle %", "memory"):
            self.assertEqual(figures[name]["lines"], [len(status["points"])] * 8)
        low = min(point["loss"] for point in status["points"])
        high = max(point["loss"] for point in status["points"])
        self.assertEqual(figures["loss"]["told"], f"{low:.4f} to {high:.4f}")
        self.assertEqual(window.value(TABLE.format("cores")), rows_of_cores(status))
        self.assertEqual(len(window.value(FIGURES.format("epochs"))), 13)  # the loss, and 23 more with their val_ twins

    # Narrow and wide, light and dark.
    def check_looks(self, window):
        grounds = []
        for scheme in ("light", "dark"):
            window.scheme(scheme)
            for width in (400, 1280):
                window.size(width)
                self.assertLessEqual(window.value("document.documentElement.scrollWidth"), width)
                if folder := os.environ.get("SYSTOLIC_PICTURES"):
                    window.picture(f"{folder}/page_{width}_{scheme}.png")
            texts = ["CanvasText", "var(--good)", "var(--bad)", "var(--doubt)"]
            lines = [f"var(--c{i})" for i in range(8)]
            found = window.value(COLORS.format(json.dumps(texts + lines)))
            grounds.append(luminance(found["ground"]))
            for name, color in zip(texts + lines, found["colors"]):
                least = TEXT_CONTRAST if name in texts else LINE_CONTRAST
                self.assertGreaterEqual(contrast(color, found["ground"]), least, f"{name} in {scheme}")
        self.assertGreater(grounds[0], 0.8)
        self.assertLess(grounds[1], 0.2)


if __name__ == "__main__":
    if not browser.chromium():
        print("skipped: optional: Chromium (Debian's package chromium)")
        sys.exit(77)
    TOOL, RUN, LONG_RUN, PROGRAM = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
