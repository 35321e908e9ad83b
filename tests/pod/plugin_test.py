"""plugin_test.py SYSTOLIC MNIST PLUGIN: a PJRT plugin whose devices are those of several processes, as a TPU pod's or a
GPU cluster's are; here it is our own plugin."""
import json
import os
import signal
import subprocess
import sys
import tempfile

systolic, mnist, plugin = sys.argv[1:]
folder = tempfile.mkdtemp()
deadline = 240
on_plugin = dict(os.environ, SYSTOLIC_BACKEND="pjrt:" + plugin, SYSTOLIC_CORES="4")


def training(name, *more):
    return [mnist, "--data", "digits", "--filters", "4", "--batch", "96", "--cores", "4", "--cache",
            os.path.join(folder, "cache"), "--json", os.path.join(folder, name), *more]


def pod(processes, command):
    return [systolic, "pod", "run", "-n", str(processes), "--", *command]


def result(name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def check(holds, what):
    if not holds:
        sys.exit("FAILED: " + what)
    print("ok:", what)


def run(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=deadline, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode} of {command}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def same_losses():
    by_row = ("--smoke", "6", "--shard", "data")
    run(training("one.json", *by_row), os.environ)
    one = result("one.json")
    texts = [run(pod(2, training(name, *by_row)), on_plugin) for name in ("a.json", "b.json")]
    check("*** Num TPU Workers: 2" in texts[0], "two processes are one system")
    check("task:0/device:TPU:0 to task:1/device:TPU:3" in texts[0], "of the devices of both")
    check("[1] Epoch" not in texts[0], "only process 0 shows its progress")
    first, second = result("a.json"), result("b.json")
    worst = max(abs(a - b) for a, b in zip(first["losses"], one["losses"], strict=True))
    check(worst < 1e-5, f"losses are those of the software TPU: {worst:.1e}")
    check(first["losses"] == second["losses"], "and the same bits in another run")
    check(abs(first["test_accuracy"] - one["test_accuracy"]) < 1e-9, "and the same evaluation")
    files = run(pod(2, training("files.json", "--smoke", "6")), on_plugin)
    check("fit: 2 processes share the data by file" in files, "without being told otherwise they share by file")
    run(pod(2, training("peers.json", "--smoke", "6")), os.environ)
    worst = max(abs(a - b) for a, b in zip(result("files.json")["losses"], result("peers.json")["losses"], strict=True))
    check(worst < 1e-5, f"and the losses are those of the software TPU in two processes: {worst:.1e}")


def one_is_lost():
    running = subprocess.Popen(pod(2, training("never.json", "--smoke", "100000")), stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, env=on_plugin)
    text = ""
    for line in running.stdout:
        text += line
        if line.startswith("Epoch 1/"):
            break
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(running.pid)], capture_output=True, text=True,
                            check=False)
    os.kill([int(word) for word in listed.stdout.split()][1], signal.SIGKILL)
    text += running.communicate(timeout=deadline)[0]
    check(running.returncode != 0, f"exit code {running.returncode} after a process was killed")
    check("worker 1 was ended by signal 9" in text, "which is said")


def other_cores():
    """Each process has the cores that its own environment says."""
    unequal = ["sh", "-c", 'SYSTOLIC_CORES=$((4 + SYSTOLIC_PROCESS_ID)) exec "$@"', "sh", *training("never.json")]
    done = subprocess.run(pod(2, unequal), capture_output=True, text=True, timeout=deadline, check=False,
                          env=on_plugin)
    check(done.returncode != 0, "other numbers of cores end the run")
    check("4 cores" in done.stdout + done.stderr, "with the number that was asked for")


same_losses()
one_is_lost()
other_cores()
