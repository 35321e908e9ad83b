#!/usr/bin/env python3
"""Asks TensorBoard's own server, over HTTP and while the run lasts, for what a run of Systolic writes.

    ninja -C build/release write_tensorboard_logs
    python tests/tensorboard/check_with_tensorboard.py build/release/bin/write_tensorboard_logs

Needs tensorboard (2.21) and no TensorFlow, in this Python or in that which SYSTOLIC_TENSORBOARD_PYTHON names; without it ends
with code 77: skipped. The run prints its losses; the server must have the same.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

DEADLINE = 120  # seconds, for a server that starts and reads
PYTHON = os.environ.get("SYSTOLIC_TENSORBOARD_PYTHON", sys.executable)


class Server:
    """TensorBoard on a free port of this machine."""

    def __init__(self, folder):
        command = [PYTHON, "-m", "tensorboard.main", "--logdir", folder, "--port", "0", "--reload_interval", "1",
                   "--load_fast=false"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = ""
        while not (found := re.search(r"http://[^/]+:\d+", said)):
            line = self.process.stderr.readline() or self.process.stdout.readline()
            if not line:
                raise SystemExit(f"TensorBoard does not start:\n{said}")
            said += line
        self.address = "http://localhost:" + found.group(0).rsplit(":", 1)[1]

    def bytes(self, path, body=None, **parameters):
        address = f"{self.address}/data/plugin/{path}?{urllib.parse.urlencode(parameters)}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def json(self, path, body=None, **parameters):
        return json.loads(self.bytes(path, body, **parameters))

    def wait_for(self, what, ask):
        """What `ask` gives, once it is there."""
        end = time.monotonic() + DEADLINE
        while True:
            try:
                if found := ask():
                    return found
            except (urllib.error.HTTPError, KeyError):
                pass
            if time.monotonic() > end:
                raise SystemExit(f"TensorBoard does not show {what}")
            time.sleep(0.5)


def check(name, got, wanted):
    if got != wanted:
        raise SystemExit(f"{name}: got {got}, expected {wanted}")
    print(f"{name}: as it should be")


def close(name, got, wanted):
    if len(got) != len(wanted) or any(abs(a - b) > 1e-5 for a, b in zip(got, wanted)):
        raise SystemExit(f"{name}: got {got}, expected {wanted}")
    print(f"{name}: {len(got)} values as they should be")


def scalars(server, run, tag, count):
    def ask():
        points = server.json("scalars/scalars", run=run, tag=tag)
        return points if len(points) >= count else None
    return server.wait_for(f"{count} points of {run}/{tag}", ask)


def check_scalars(server, epochs):
    for run, column in (("train", 1), ("validation", 2)):
        points = scalars(server, run, "epoch_loss", len(epochs))
        check(f"steps of {run}/epoch_loss", [point[1] for point in points], list(range(len(epochs))))
        close(f"{run}/epoch_loss", [point[2] for point in points], [epoch[column] for epoch in epochs])
    steps = [point[1] for point in scalars(server, "train", "batch_loss", 2 * len(epochs))]
    check("steps of batch_loss", steps, [2 * (i + 1) for i in range(2 * len(epochs))])
    close("own/norm", [point[2] for point in scalars(server, "train", "own/norm", len(epochs))],
          [0.5 * i for i in range(len(epochs))])
    tags = server.json("scalars/tags")
    for tag in ("epoch_accuracy", "epoch_learning_rate", "batch_accuracy", "batch_steps_per_second"):
        check(f"a tag {tag}", tag in tags["train"], True)
    check("evaluations", "evaluation_loss_vs_iterations" in tags["validation"], True)


def check_histograms(server, epochs):
    def ask():
        points = server.json("histograms/histograms", run="train", tag="small/dense/kernel/histogram")
        return points if len(points) >= len(epochs) else None
    points = server.wait_for("histograms of the kernel", ask)
    check("numbers in the kernel's histograms", [sum(bucket[2] for bucket in point[2]) for point in points],
          [48.0] * len(epochs))
    for (_, _, buckets), epoch in zip(points, epochs):
        mean = sum((low + high) / 2 * count for low, high, count in buckets) / 48
        width = buckets[0][1] - buckets[0][0]
        check("the kernel's mean lies within a bucket of the histogram's", abs(mean - epoch[3]) < width, True)
    own = server.json("histograms/histograms", run="train", tag="own/numbers")
    check("own/numbers", [count for _, _, count in own[0][2] if count], [1.0, 2.0, 1.0, 1.0])


def check_others(server):
    images = server.wait_for("pictures", lambda: server.json("images/images", run="train", tag="own/grey", sample=1))
    key = dict(urllib.parse.parse_qsl(images[0]["query"]))
    picture = server.bytes("images/individualImage", **key)
    check("a picture's form", picture[:8], b"\x89PNG\r\n\x1a\n")
    check("a picture's size", struct.unpack(">II", picture[16:24]), (5, 4))
    texts = server.wait_for("texts", lambda: server.json("text/text", run="train", tag="own/note"))
    check("a text", "<h1>epoch 0</h1>" in texts[0]["text"], True)
    graph = server.wait_for(
        "the graph", lambda: server.bytes("graphs/graph", run="train", tag="keras", conceptual="true").decode())
    for layer in ("dense", "dense_1"):
        check(f"{layer} in the graph", f'name: "small/{layer}"' in graph, True)


def check_hparams(server):
    def ask():
        groups = server.json("hparams/session_groups", {
            "experimentName": "", "allowedStatuses": ["STATUS_SUCCESS", "STATUS_RUNNING", "STATUS_UNKNOWN"],
            "colParams": [{"hparam": name} for name in ("learning_rate", "optimizer", "shuffled")],
            "startIndex": 0, "sliceSize": 10})
        return groups.get("sessionGroups")
    group = server.wait_for("hparams", ask)[0]
    check("hparams", group["hparams"], {"learning_rate": 0.02, "optimizer": "adam", "shuffled": True})
    server.wait_for("the end of the run", lambda: ask()[0]["sessions"][0].get("status") == "STATUS_SUCCESS")
    print("the run's end: as it should be")


def main():
    if subprocess.run([PYTHON, "-c", "import tensorboard.main"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("skipped: optional: tensorboard, in this Python or that of SYSTOLIC_TENSORBOARD_PYTHON")
        sys.exit(77)
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        run = subprocess.Popen([str(program), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            epochs = []
            for _ in range(3):
                epochs.append([float(word) for word in run.stdout.readline().split()])
                check_scalars(server, epochs)
                run.stdin.write("\n")
                run.stdin.flush()
            check("the run's exit code", run.wait(60), 0)
            check_histograms(server, epochs)
            check_others(server)
            check_hparams(server)
        finally:
            run.kill()
            server.process.kill()
    print("TensorBoard shows all of it")


main()
