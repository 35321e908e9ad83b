#!/usr/bin/env python3
"""processes.py all_reduce|exchange [OPTION...] [-- PROGRAM...]: what several processes of one machine exchange, and how long it takes.

all_reduce  100 MB between two processes, ours and JAX's Gloo in turns: the ratio of the medians.
exchange    a training program on two hosts, which are network namespaces with a link of --rate between them: bytes that a
            process sends in a step against the ring's 2 (n-1)/n of the gradients, and how much of the time that the
            exchange takes by itself is hidden in the step. In the program's words {steps} and {json} stand for its steps
            and its report. Takes root.

                processes.py exchange --gradient-bytes 4800000 -- mnist --data digits --smoke {steps} --json {json}

Both want a machine without other work.
"""
import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADDRESSES = ("10.78.0.1", "10.78.0.2")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("all_reduce", "exchange"))
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--python", default=str(ROOT / ".deps/jax/bin/python"), help="that has JAX")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--bytes", type=int, default=100_000_000)
    parser.add_argument("--rate", default="1gbit", help="of the link between the hosts, as tc takes it")
    parser.add_argument("--gradient-bytes", type=int, required=False, help="of the program's gradients, for the ring's share")
    parser.add_argument("--steps", type=int, default=20)
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:end])
    args.program = words[end + 1:]
    return args


def last_line(text):
    return json.loads(text.strip().splitlines()[-1])


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def output_of(processes):
    texts = [process.communicate(timeout=600) for process in processes]
    for process, (out, errors) in zip(processes, texts, strict=True):
        if process.returncode != 0:
            sys.exit(f"exit code {process.returncode}:\n{out}{errors}")
    return texts[0][0]


def started(command, variables=None):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **(variables or {})})


def ours(args):
    command = [f"{args.bin}/systolic", "pod", "run", "-n", "2", "--", f"{args.bin}/all_reduce", str(args.bytes)]
    return last_line(output_of([started(command)]))["ms_per_step"]


def jax(args):
    coordinator = f"127.0.0.1:{free_port()}"
    program = str(ROOT / "benchmarks/peers/jax_all_reduce.py")
    return last_line(output_of([started([args.python, program, "--bytes", str(args.bytes), "--process", str(index),
                                         "--coordinator", coordinator]) for index in (0, 1)]))["ms_per_step"]


def all_reduce(args):
    pairs = [(ours(args), jax(args)) for _ in range(args.pairs)]
    ratios = [one / other for one, other in pairs]
    print(f"{args.bytes} bytes, 2 processes: {statistics.median(a for a, _ in pairs):.0f} ms, JAX's Gloo "
          f"{statistics.median(b for _, b in pairs):.0f} ms: {statistics.median(ratios):.2f} x "
          f"({min(ratios):.2f} to {max(ratios):.2f}; {args.pairs} pairs)")


class TwoHosts:
    """Network namespaces with a link between them; gone at the end."""

    def __init__(self):
        self.names = [f"systolic{os.getpid()}{letter}" for letter in "ab"]

    def __enter__(self):
        for name in self.names:
            run("ip", "netns", "add", name)
        run("ip", "-n", self.names[0], "link", "add", "v0", "type", "veth", "peer", "name", "v1", "netns", self.names[1])
        for i, name in enumerate(self.names):
            run("ip", "-n", name, "addr", "add", f"{ADDRESSES[i]}/24", "dev", f"v{i}")
            run("ip", "-n", name, "link", "set", f"v{i}", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False)

    def limit(self, rate):
        for i, name in enumerate(self.names):
            run("tc", "-n", name, "qdisc", "replace", "dev", f"v{i}", "root", "tbf", "rate", rate, "burst", "512kb", "latency",
                "100ms")

    def sent(self):
        counter = "/sys/class/net/v1/statistics/tx_bytes"
        return int(run("ip", "netns", "exec", self.names[1], "cat", counter))

    def train(self, command):
        """What process 0 prints; bytes that process 1 sends."""
        before = self.sent()
        text = output_of([started(["ip", "netns", "exec", name, *command[i]],
                                  {"SYSTOLIC_PROCESS_ID": str(i), "SYSTOLIC_NUM_PROCESSES": "2",
                                   "SYSTOLIC_COORDINATOR_ADDRESS": ADDRESSES[0] + ":8482"})
                          for i, name in enumerate(self.names)])
        return text, self.sent() - before


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def filled(program, steps, report):
    return [word.replace("{steps}", str(steps)).replace("{json}", report) for word in program]


def trained(hosts, args, steps, folder):
    """Milliseconds of a step, bytes that a process sends in all."""
    reports = [os.path.join(folder, f"{index}.json") for index in (0, 1)]
    _, sent = hosts.train([filled(args.program, steps, report) for report in reports])
    with open(reports[0], encoding="utf-8") as file:
        return json.load(file)["ms_per_step"], sent


def exchange(args):
    if not args.program or not args.gradient_bytes:
        sys.exit("exchange: name --gradient-bytes and the program, after --")
    with TwoHosts() as hosts, tempfile.TemporaryDirectory() as folder:
        free, few = trained(hosts, args, args.steps, folder)
        _, many = trained(hosts, args, 2 * args.steps, folder)
        hosts.limit(args.rate)
        limited, _ = trained(hosts, args, args.steps, folder)
        alone = last_line(hosts.train([[f"{args.bin}/all_reduce", str(args.gradient_bytes)]] * 2)[0])["ms_per_step"]
    a_step, ring = (many - few) / args.steps, args.gradient_bytes  # 2 (n-1)/n = 1 for two
    seen = max(limited - free, 0)
    print(f"{args.rate}: a process sends {a_step:.0f} bytes a step, {a_step / ring:.3f} x the ring's {ring}")
    print(f"a step takes {free:.1f} ms with a free link, {limited:.1f} ms; the exchange by itself {alone:.1f} ms: "
          f"{100 * (1 - min(seen / alone, 1)):.0f} % of it are hidden")


def main():
    args = arguments()
    {"all_reduce": all_reduce, "exchange": exchange}[args.what](args)


if __name__ == "__main__":
    main()
