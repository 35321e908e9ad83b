"""What the tests of runs of several processes share: MNIST's convnet as a command, and checks that are said."""
import json
import os
import subprocess
import sys
import tempfile

FOLDER = tempfile.mkdtemp()
DEADLINE = 240


def training(mnist, name, *more):
    """The command whose losses come to the file `name`."""
    return [mnist, "--data", "digits", "--filters", "4", "--batch", "96", "--cores", "4", "--cache",
            os.path.join(FOLDER, "cache"), "--json", os.path.join(FOLDER, name), *more]


def pod(systolic, processes, command):
    return [systolic, "pod", "run", "-n", str(processes), "--", *command]


def result(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def largest_difference(a, b):
    return max(abs(x - y) for x, y in zip(a["losses"], b["losses"], strict=True))


def check(holds, what):
    if not holds:
        sys.exit("FAILED: " + what)
    print("ok:", what)


def run(command, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode} of {command}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def begin(command, environment=None):
    """The run, once it trains, and what it has said."""
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    text = ""
    for line in running.stdout:
        text += line
        if line.startswith("Epoch 1/"):
            break
    return running, text


def workers_of(parent):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]
