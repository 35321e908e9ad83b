"""plugin_test.py SYSTOLIC MNIST PLUGIN: a PJRT plugin whose devices are those of several processes, as a TPU pod's or a
GPU cluster's are; here it is our own plugin."""
import os
import signal
import subprocess
import sys

import mnist_runs
from mnist_runs import DEADLINE, begin, check, largest_difference, result, run, workers_of

systolic, mnist, plugin = sys.argv[1:]
on_plugin = dict(os.environ, SYSTOLIC_BACKEND="pjrt:" + plugin, SYSTOLIC_CORES="4")


def training(name, *more):
    return mnist_runs.training(mnist, name, *more)


def pod(command):
    return mnist_runs.pod(systolic, 2, command)


def same_losses():
    by_row = ("--smoke", "6", "--shard", "data")
    run(training("one.json", *by_row))
    one = result("one.json")
    texts = [run(pod(training(name, *by_row)), on_plugin) for name in ("a.json", "b.json")]
    check("*** Num TPU Workers: 2" in texts[0], "two processes are one system")
    check("task:0/device:TPU:0 to task:1/device:TPU:3" in texts[0], "of the devices of both")
    check("[1] Epoch" not in texts[0], "only process 0 shows its progress")
    first, second = result("a.json"), result("b.json")
    worst = largest_difference(first, one)
    check(worst < 1e-5, f"losses are those of the software TPU: {worst:.1e}")
    check(first["losses"] == second["losses"], "and the same bits in another run")
    check(abs(first["test_accuracy"] - one["test_accuracy"]) < 1e-9, "and the same evaluation")
    files = run(pod(training("files.json", "--smoke", "6")), on_plugin)
    check("fit: 2 processes share the data by file" in files, "without being told otherwise they share by file")
    run(pod(training("peers.json", "--smoke", "6")))
    worst = largest_difference(result("files.json"), result("peers.json"))
    check(worst < 1e-5, f"and the losses are those of the software TPU in two processes: {worst:.1e}")


def one_is_lost():
    running, text = begin(pod(training("never.json", "--smoke", "100000")), on_plugin)
    os.kill(workers_of(running.pid)[1], signal.SIGKILL)
    text += running.communicate(timeout=DEADLINE)[0]
    check(running.returncode != 0, f"exit code {running.returncode} after a process was killed")
    check("worker 1 was ended by signal 9" in text, "which is said")


def other_cores():
    """Each process has the cores that its own environment says."""
    unequal = ["sh", "-c", 'SYSTOLIC_CORES=$((4 + SYSTOLIC_PROCESS_ID)) exec "$@"', "sh", *training("never.json")]
    done = subprocess.run(pod(unequal), capture_output=True, text=True, timeout=DEADLINE, check=False,
                          env=on_plugin)
    check(done.returncode != 0, "other numbers of cores end the run")
    check("4 cores" in done.stdout + done.stderr, "with the number that was asked for")


same_losses()
one_is_lost()
other_cores()
