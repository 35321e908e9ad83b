"""hosts_test.py MNIST: two hosts, which are network namespaces here, train together; then their link is cut."""
import os
import subprocess
import sys
import tempfile

mnist = sys.argv[1]
folder = tempfile.mkdtemp()
deadline = 240
hosts = [f"systolic{os.getpid()}a", f"systolic{os.getpid()}b"]
addresses = ["10.77.0.1", "10.77.0.2"]


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def check(holds, what):
    if not holds:
        sys.exit("FAILED: " + what)
    print("ok:", what)


def make_hosts():
    for host in hosts:
        ip("netns", "add", host)
    ip("-n", hosts[0], "link", "add", "v0", "type", "veth", "peer", "name", "v1", "netns", hosts[1])
    for i, host in enumerate(hosts):
        ip("-n", host, "addr", "add", f"{addresses[i]}/24", "dev", f"v{i}")
        ip("-n", host, "link", "set", f"v{i}", "up")
        ip("-n", host, "link", "set", "lo", "up")


def start(index, name, steps):
    variables = {"SYSTOLIC_PROCESS_ID": str(index), "SYSTOLIC_NUM_PROCESSES": "2",
                 "SYSTOLIC_COORDINATOR_ADDRESS": addresses[0] + ":8482", "SYSTOLIC_JOIN_SECONDS": "60"}
    command = [mnist, "--data", "digits", "--filters", "4", "--batch", "96", "--cores", "4", "--smoke",
               str(steps), "--cache", os.path.join(folder, f"cache{index}"), "--json",
               os.path.join(folder, name)]
    return subprocess.Popen(["ip", "netns", "exec", hosts[index], *command], env={**os.environ, **variables},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def train_together():
    running = [start(i, f"{i}.json", 4) for i in (0, 1)]
    texts = [one.communicate(timeout=deadline)[0] for one in running]
    check([one.returncode for one in running] == [0, 0], "two hosts train together" + "".join(
        "" if one.returncode == 0 else "\n" + text for one, text in zip(running, texts, strict=True)))


def cut_the_link():
    running = [start(i, "never.json", 100000) for i in (0, 1)]
    for line in running[0].stdout:
        if line.startswith("Epoch 1/"):
            break
    ip("-n", hosts[0], "link", "set", "v0", "down")
    texts = [one.communicate(timeout=deadline)[0] for one in running]
    check(all(one.returncode not in (0, None) for one in running), "both end once the link is cut")
    check("worker 1" in texts[0] and "was lost: no sign of life for 10 s" in texts[0],
          "host 0 names the other")
    check("worker 0, which coordinates the run, was lost" in texts[1], "host 1 names the other")


try:
    make_hosts()
except (OSError, subprocess.CalledProcessError) as error:
    print("SKIPPED: no network namespaces can be made here:", getattr(error, "stderr", error))
    sys.exit(77)
try:
    train_together()
    cut_the_link()
finally:
    for each in hosts:
        subprocess.run(["ip", "netns", "del", each], check=False)
