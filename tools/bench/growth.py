#!/usr/bin/env python3
"""Measures how time and memory of a training step grow, and draws it; ./run bench growth calls it.

Each curve changes one size of a program and leaves the others. Dashed is what theory says of the largest sizes: how time would
grow if it followed the work. The exponent is that of the last doubling: 1 is straight.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import statistics
import subprocess

import bench
import plot

BIN = bench.ROOT / "build/release/bin"
MEGABYTE = 1e6


@dataclasses.dataclass(frozen=True)
class Curve:
    name: str       # of the file
    title: str
    command: tuple  # "{}" is the size
    x_name: str
    sizes: tuple
    exponent: float          # of the work in the size
    key: str = "ms_per_step"
    unit: str = "ms a step"
    memory: bool = True      # drawn as well


def network(name, *words):
    return ("network_step", name, *words, "--steps", "5", "--warm-up", "2")


def minilm(*words):
    return ("transformer_step", "--model", "minilm", "--steps", "3", "--warm-up", "1", *words)


CURVES = [
    Curve("batch", "MLP 784-512-512-10: batch", network("mlp_wide", "--width", "512", "--batch", "{}"), "batch",
          (256, 512, 1024, 2048, 4096, 8192), 1),
    Curve("width", "MLP, batch 512: width", network("mlp_wide", "--batch", "512", "--width", "{}"), "units of a layer",
          (256, 512, 1024, 2048, 4096), 2),
    Curve("depth", "MLP, batch 256, 256 units: depth", network("mlp_deep", "--size", "{}"), "hidden layers",
          (4, 8, 16, 32, 64, 128), 1),
    Curve("steps", "LSTM, batch 64, 256 units: steps", network("lstm", "--size", "{}"), "steps of the sequence",
          (16, 32, 64, 128, 256), 1),
    Curve("sequence", "MiniLM, batch 8: tokens", minilm("--batch", "8", "--length", "{}"), "tokens of a text",
          (32, 64, 128, 256, 512), 1),
    Curve("cores", "MNIST convnet, 32 filters, batch 200: cores",
          ("fit_convnet", "--filters", "32", "--steps", "10", "--warm-up", "3", "--cores", "{}"), "cores of the software TPU",
          (1, 2, 4, 8), 0),
    Curve("compile", "compiling the step of a deep MLP", network("mlp_deep", "--batch", "8", "--width", "8", "--size", "{}"),
          "hidden layers, 53 ops each", (32, 64, 128, 256, 512, 1024, 2048), 1, key="compile_ms", unit="ms to compile",
          memory=False),
]


def run(command, size):
    words = [str(BIN / command[0]), *(word.format(size) for word in command[1:])]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=bench.ROOT)
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])


def measured(curve, repeats):
    """[(size, median figure, memory in MB)]"""
    points = []
    for size in curve.sizes:
        results = [run(curve.command, size) for _ in range(repeats)]
        points.append((size, statistics.median(result[curve.key] for result in results),
                       min(result["peak_memory_bytes"] for result in results) / MEGABYTE))
    return points


def last_exponent(points, column):
    (x0, y0), (x1, y1) = ((point[0], point[column]) for point in points[-2:])
    return math.log(y1 / y0) / math.log(x1 / x0)


def drawn(curve, points):
    last, figure = points[-1][:2]
    curves = {curve.unit: [(x, y) for x, y, _ in points]}
    if curve.memory:
        curves["MB at most"] = [(x, memory) for x, _, memory in points]
    curves["ideal"] = [(x, figure * (x / last)**curve.exponent) for x, _, _ in points]
    return plot.svg(curve.title, curve.x_name, curves)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    names = [curve.name for curve in CURVES]
    parser.add_argument("curves", nargs="*", metavar="CURVE", help=" ".join(names))
    parser.add_argument("--repeats", type=int, default=3, help="runs of each size, whose median counts")
    parser.add_argument("--folder", default=str(bench.ROOT / "docs/growth"), help="where the pictures are written")
    args = parser.parse_args()
    unknown = [name for name in args.curves if name not in names]
    if unknown:
        parser.error(f"no curve {', '.join(unknown)}; there are {' '.join(names)}")
    folder = pathlib.Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    print(bench.machine())
    for curve in CURVES:
        if args.curves and curve.name not in args.curves:
            continue
        points = measured(curve, args.repeats)
        (folder / f"{curve.name}.svg").write_text(drawn(curve, points))
        figures = ", ".join(f"{size}: {figure:.4g}" for size, figure, _ in points)
        print(f"{curve.title}: {figures} {curve.unit}; exponent {last_exponent(points, 1):.2f}, by the work"
              f" {curve.exponent:g}; memory {last_exponent(points, 2):.2f}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
