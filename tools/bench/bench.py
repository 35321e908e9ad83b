#!/usr/bin/env python3
"""Measures the rows of rows.py and prints the medians as a table; ./run bench calls it.

Every ratio is the median of at least nine alternating pairs of one run. Where a row has several peers, each runs once
first, and the fastest is the pairs' other. The last line is the geometric mean of all ratios against peers. Exit code 1
where a claim does not hold.
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import platform
import statistics
import sys

import pairs as measuring
import rows as table

ROOT = pathlib.Path(__file__).resolve().parents[2]
MINILM = ROOT / ".deps" / "minilm"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="names of rows; all, where none is named")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--data", default=str(ROOT / "data" / "mnist"), help="folder of MNIST's IDX files")
    parser.add_argument("--sentences", default=str(ROOT / "build/bench/texts/sentences.txt"),
                        help="lines to tokenize, CoLA's for one; else some are made up")
    parser.add_argument("--seed", type=int, help="draw sizes of networks around those that are named")
    parser.add_argument("--json", help="also write every figure to this file")
    parser.add_argument("--list", action="store_true", help="list the rows and end")
    return parser.parse_args()


def peers_python():
    venv = os.environ.get("SYSTOLIC_PEERS_VENV") or str(ROOT / ".deps" / "peers")
    return pathlib.Path(venv) / "bin" / "python"


def has_amx():
    return "amx_tile" in pathlib.Path("/proc/cpuinfo").read_text()


def machine():
    cpu = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    return f"{len(os.sched_getaffinity(0))} processors, {cpu}"


def reason_not_measured(row, args):
    """Words, or None where the row can be measured here."""
    if any("{minilm}" in word for word in row.ours) and not MINILM.exists():
        return "no MiniLM: ./run fetch"
    if row.needs == "peers" and not peers_python().exists():
        return "no peers: ./run bench --peers"
    if row.needs == "amx" and not has_amx():
        return "no AMX here"
    if row.needs == "no amx" and has_amx():
        return "this processor has AMX: see bf16_amx"
    if row.needs == "mnist" and not pathlib.Path(args.data).is_dir():
        return f"no {args.data}: name MNIST's folder with --data"
    program = pathlib.Path(row.ours[0].format(bin=ROOT / "build/release/bin", python=peers_python()))
    if not program.exists():
        return f"no {program.name} in this version"
    return None


def measure(row, args, runner):
    """Lines of the table for a row: (row, claim, figure, verdict), and the raw figures."""
    reason = reason_not_measured(row, args)
    if reason:
        return [(row.name, claim.text, "not measured", reason) for claim in row.claims], []
    try:
        if row.first:
            runner.run(row.first)
        row = with_best_peer(row, runner)
        how = measuring.measure_pairs if row.is_pair else measuring.measure_alone
        values, raw = how(runner, row, row.runs or args.pairs, measuring.log_to_terminal)
    except measuring.ProgramFailed as fault:
        print(fault, file=sys.stderr)
        return [(row.name, claim.text, "failed", "FAILED") for claim in row.claims], []
    lines = []
    for claim in row.claims:
        median = statistics.median(values[claim.key])
        sign = "≥" if claim.at_least else "≤"
        verdict = f"holds ({sign} {claim.limit:g})" if claim.holds(median) else f"MISSED ({sign} {claim.limit:g})"
        if row.is_pair and not claim.difference:
            ours, other = (statistics.median(result[side][claim.key] for result in raw) for side in (0, 1))
            lines.append((row.name, claim.text, f"{median:.3f} × ({ours:.5g} / {other:.5g})", verdict))
        else:
            lines.append((row.name, claim.text, f"{median:.5g}", verdict))
    return lines, raw


def with_best_peer(row, runner):
    """The row with the fastest of its peers as the other; one that cannot run is left out, and said."""
    if not row.others:
        return row
    key, figures = row.claims[0].key, []
    for command in row.others:
        try:
            result = runner.run(command)
        except measuring.ProgramFailed as fault:
            measuring.log_to_terminal(f"{row.name}: left out: {fault}")
            continue
        measuring.log_to_terminal(f"{row.name}: {result['who']}: {result[key]:.5g}")
        figures.append((result[key], command))
    if not figures:
        raise measuring.ProgramFailed(f"{row.name}: no peer runs")
    return dataclasses.replace(row, other=min(figures)[1])


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def print_table(lines):
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def main():
    args = parse_arguments()
    known = {row.name: row for row in table.rows(args.seed)}
    unknown = [name for name in args.rows if name not in known]
    if unknown or args.list:
        print("rows: " + " ".join(known), file=sys.stderr if unknown else sys.stdout)
        return 2 if unknown else 0
    places = {"bin": ROOT / "build/release/bin", "python": peers_python(), "peers": ROOT / "benchmarks/peers",
              "data": pathlib.Path(args.data).resolve(), "tfrecords": ROOT / "build/bench/tfrecords",
              "pictures": ROOT / "build/bench/pictures", "records": ROOT / "build/bench/records",
              "parquet": ROOT / "build/bench/parquet/texts.parquet",
              "minilm": MINILM, "texts": ROOT / "build/bench/texts", "sentences": pathlib.Path(args.sentences).resolve()}
    runner = measuring.Runner(places, ROOT / "build/bench")
    lines, everything, ratios = [("row", "what", "median", "claim")], {}, []
    for name in args.rows or known:
        row_lines, everything[name] = measure(known[name], args, runner)
        lines += row_lines
        if known[name].others and everything[name]:
            key = known[name].claims[0].key
            ratios.append(statistics.median(ours[key] / other[key] for ours, other in everything[name]))
    print(f"{machine()}; {args.pairs} pairs")
    print_table(lines)
    if ratios:
        print(f"geometric mean of {len(ratios)} rows against the best peer: {geometric_mean(ratios):.3f} ×")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(everything, indent=1))
    return 1 if any(line[3].startswith(("MISSED", "FAILED")) for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
