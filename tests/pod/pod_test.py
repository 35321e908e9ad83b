"""pod_test.py SYSTOLIC MNIST: MNIST's convnet in one process, in several, and on a remote device."""
import os
import re
import signal
import subprocess
import sys
import time

import mnist_runs
from mnist_runs import DEADLINE, begin, check, largest_difference, result, run, workers_of

systolic, mnist = sys.argv[1:]


def training(name, *more):
    return mnist_runs.training(mnist, name, *more)


def pod(processes, command):
    return mnist_runs.pod(systolic, processes, command)


def same_losses():
    run(training("one.json", "--smoke", "6"))
    one = result("one.json")
    for processes in (2, 3):
        texts = [run(pod(processes, training(name, "--smoke", "6", "--shard", "data"))) for name in ("a.json", "b.json")]
        check(f"*** Num TPU Workers: {processes}" in texts[0], f"{processes} processes are one system")
        check("[1] Epoch" not in texts[0], "only process 0 shows its progress")
        first, second = result("a.json"), result("b.json")
        worst = largest_difference(first, one)
        check(worst < 1e-5, f"losses of {processes} processes are those of one: {worst:.1e}")
        check(first["losses"] == second["losses"], "and the same bits in another run")
        check(abs(first["test_accuracy"] - one["test_accuracy"]) < 1e-9, "and the same evaluation")
    text = run(pod(2, training("c.json", "--smoke", "2")))
    check(text.count("2 processes share the data by file, since it reads ") == 1, "by default they share the files")


def one_is_lost(signal_number, wanted):
    """Process 2 of 3 is killed or stopped in the middle: all end, and say which it was."""
    running, text = begin(pod(3, training("never.json", "--smoke", "100000")))
    workers = workers_of(running.pid)
    os.kill(workers[2], signal_number)
    text += running.communicate(timeout=DEADLINE)[0]
    check(running.returncode != 0, f"exit code {running.returncode} after signal {signal_number}")
    check(wanted in text, f"'{wanted}' is said")
    for worker in workers:
        try:
            os.kill(worker, 0)
            sys.exit(f"FAILED: process {worker} is left")
        except ProcessLookupError:
            pass


def what_is_sent():
    """The monitor of one of two processes says what it sends to the other."""
    running, _ = begin(pod(2, training("never.json", "--smoke", "100000")))
    try:
        [first, _] = workers_of(running.pid)
        found = None
        end = time.monotonic() + DEADLINE
        while not found and time.monotonic() < end:
            shown = subprocess.run([systolic, "monitor", "--once", str(first)], capture_output=True, text=True, check=False)
            found = re.search(r"sent to processes [1-9][0-9.]* [KM]B/s", shown.stdout)
        check(bool(found), "what is sent to the other process is shown")
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=DEADLINE)


def remote_device():
    """The same program on a device that another process serves."""
    local = training("local.json", "--smoke", "6", "--precision", "bf16")
    run(local)
    serving = subprocess.Popen([systolic, "serve", "--port", "0", "--cores", "4"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = serving.stdout.readline().split()[-1]
        run(training("remote.json", "--smoke", "6", "--precision", "bf16") + ["--tpu", address])
        check(result("remote.json")["losses"] == result("local.json")["losses"],
              "a remote device computes the same bits")
        other_cores = [mnist, "--data", "digits", "--smoke", "6", "--tpu", address, "--cores", "3"]
        refused = subprocess.run(other_cores, capture_output=True, text=True, timeout=DEADLINE,
                                 check=False)
        check("InvalidArgument: 3 cores of a device that has 4" in refused.stdout + refused.stderr,
              "another number of cores is refused")
        running, _ = begin(training("never.json", "--smoke", "100000") + ["--tpu", address])
        serving.kill()
        text = running.communicate(timeout=DEADLINE)[0]
        check(running.returncode != 0 and "is lost" in text, "a server that dies is said")
    finally:
        serving.kill()
        serving.wait()


same_losses()
what_is_sent()
remote_device()
one_is_lost(signal.SIGKILL, "worker 2 was ended by signal 9")
one_is_lost(signal.SIGSTOP, "was lost: no sign of life for 10 s")
