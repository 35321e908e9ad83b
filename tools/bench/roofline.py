#!/usr/bin/env python3
"""Lists the ops of training steps that are far from what this processor can do, and why; ./run bench roofline calls it.

Each network of the bench trains while `systolic profile` looks at it for some seconds. Limits are measured first: multiplications
and additions in registers, and memory's bytes a second, of all threads.
"""
import argparse
import json
import subprocess
import tempfile
import time

import bench
import rows as table

BIN = bench.ROOT / "build/release/bin"
ENDLESS = ["--steps", "1000000"]


def training_programs():
    """Name and command of each network that trains."""
    programs = {name: [str(BIN / "network_step"), name] for name in table.NETWORK_SIZES}
    programs |= {name: [str(BIN / "transformer_step"), "--cores", "1", "--model", name]
                 for name in ("minilm", "gpt2", "smollm", "vit_base", "vit_small")}
    programs |= {f"convnet{filters}": [str(BIN / "fit_convnet"), "--filters", str(filters)] for filters in (32, 256)}
    return programs | {"mlp": [str(BIN / "fit_mlp"), "--batch", "32"]}


def measured_limits():
    printed = subprocess.run([str(BIN / "processor_limits")], check=True, capture_output=True, text=True).stdout
    return json.loads(printed)


def has_trained(process, seconds):
    """Whether the program has had time for steps; False where it ended."""
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        return True


def profiled(command, limits, below, seconds):
    """What `systolic profile` prints of the program."""
    with tempfile.TemporaryDirectory() as folder:
        program = subprocess.Popen([*command, *ENDLESS], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            if not has_trained(program, 2 * seconds):
                return "ended: " + program.stderr.read()[-1000:]
            asked = subprocess.run(
                [str(BIN / "systolic"), "profile", str(program.pid), "--seconds", str(seconds), "--folder", folder,
                 "--below", str(below), "--gflops", str(limits["gflops"]), "--gbytes", str(limits["gbytes"])],
                capture_output=True, text=True, timeout=300)
            return asked.stdout.split("\nPerfetto")[0] if asked.returncode == 0 else "failed: " + asked.stderr
        finally:
            program.kill()
            program.wait()


def main():
    programs = training_programs()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=" ".join(programs))
    parser.add_argument("--below", type=float, default=25, help="percent of its limit under which an op is listed")
    parser.add_argument("--seconds", type=float, default=5, help="how long each is looked at")
    args = parser.parse_args()
    unknown = [name for name in args.networks if name not in programs]
    if unknown:
        parser.error(f"no network {', '.join(unknown)}")
    limits = measured_limits()
    print(f"{bench.machine()}: {limits['gflops']} GFLOP/s, {limits['gbytes']} GB/s")
    failed = False
    for name in args.networks or programs:
        text = profiled(programs[name], limits, args.below, args.seconds)
        failed = failed or text.startswith(("ended", "failed"))
        print(f"\n## {name}\n{text}", flush=True)
        time.sleep(1)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
