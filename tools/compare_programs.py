#!/usr/bin/env python3
"""Compares the programs that two checkouts make: what is traced, stacked, simplified and planned for the same work.

    tools/compare_programs.py BEFORE AFTER [ROW...]

Runs a few steps of the rows below with the built programs of both (build/release/bin) and SYSTOLIC_DUMP, and compares
the dumped texts line by line. One line a row: the same, or the first difference. Exit code 1 where there is one, 2 where
a program is missing or fails.

Nothing in the texts is normalized: they hold no source locations, no times and no addresses. The number of
a stage is left out of its file's name, since one checkout may dump more stages than the other. Only the four stages above
are compared, not the dumps of single passes. Both sides plan for two threads on this processor's instructions.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STAGES = ("traced.mlir", "stacked.mlir", "simplified.mlir", "plan.txt")
DUMPED = re.compile(r"(?P<program>\d+_.*)\.\d+_(?P<stage>[^.]+\.\w+)")
TRANSFORMER = "transformer_step --steps 1 --warm-up 1"

ROWS = {
    "mnist": "mnist --smoke 2 --filters 8 --data digits",
    "mnist_bf16": "mnist --smoke 4 --filters 8 --data digits --precision bf16 --steps-per-execution 2",
    "mlp": "fit_mlp --steps 2 --warm-up 0",
    "mlp_loop": "fit_mlp --steps 4 --warm-up 0 --steps-per-execution 2",
    "minilm": "cola --model {minilm} --smoke 1 --drawn 100",
    "minilm_f32": f"{TRANSFORMER} --model minilm --batch 8",
    "minilm_bf16": f"{TRANSFORMER} --model minilm --batch 8 --precision bf16",
    "minilm_bf16_x6": f"{TRANSFORMER} --model minilm --batch 8 --bf16-x6",
    "small_bert": "cola --smoke 2 --drawn 100",
    "vit": "vit --smoke 1 --pictures 10",
    "vit_base": f"{TRANSFORMER} --model vit --batch 2",
    "flowers": "flowers --smoke 1 --pictures 10",
    "custom_loop": "custom_loop --smoke 1 --epochs 1 --data digits",
    "custom_loop_one_core": "custom_loop --smoke 1 --epochs 1 --data digits --strategy none",
    "eager": "eager --smoke 2",
}


class CannotCompare(Exception):
    pass


@dataclasses.dataclass
class Difference:
    file: str
    line: int  # from 1; 0: a file that only one side has
    before: str
    after: str

    def __str__(self):
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}\n  before: {self.before[:400]}\n  after:  {self.after[:400]}"


def dump(checkout, command, folder):
    """Runs the command in `folder`; the dumped texts by the name of program and stage, without the stage's number."""
    words = command.format(minilm=checkout / ".deps" / "minilm").split()
    program = checkout / "build" / "release" / "bin" / words[0]
    if not program.exists():
        raise CannotCompare(f"no {program}: ninja -C {checkout}/build/release {words[0]}")
    (folder / "run").mkdir(parents=True)
    settings = {"SYSTOLIC_DUMP": str(folder), "SYSTOLIC_THREADS": "2", "SYSTOLIC_PLANNED_THREADS": "2"}
    done = subprocess.run([program, *words[1:]], cwd=folder / "run", env={**os.environ, **settings}, text=True,
                          capture_output=True, check=False)
    shutil.rmtree(folder / "run")  # drawn data and saved models
    if done.returncode != 0:
        raise CannotCompare(f"{program} {' '.join(words[1:])} ended with {done.returncode}\n{done.stderr[-2000:]}")
    names = ((DUMPED.fullmatch(path.name), path) for path in sorted(folder.iterdir()))
    return {f"{match['program']}.{match['stage']}": path for match, path in names if match and match["stage"] in STAGES}


def first_difference(before, after):
    """The first of the two sides' files that differ, in the order of programs and stages; None where all are the same."""
    order = {stage: place for place, stage in enumerate(STAGES)}
    for name in sorted(before.keys() | after.keys(), key=lambda name: (name.split(".")[0], order[name.split(".", 1)[1]])):
        if name not in before or name not in after:
            only = "before" if name in before else "after"
            return Difference(name, 0, *("there" if side == only else "missing" for side in ("before", "after")))
        texts = [side[name].read_text().splitlines() for side in (before, after)]
        if texts[0] != texts[1]:
            line = next((i for i, (a, b) in enumerate(zip(*texts)) if a != b), min(map(len, texts)))
            return Difference(name, line + 1, *(text[line] if line < len(text) else "(ends here)" for text in texts))
    return None


def compare(row, checkouts, folder):
    """Whether both checkouts make the same programs of the row; says so."""
    if "{minilm}" in ROWS[row] and not all((checkout / ".deps" / "minilm").exists() for checkout in checkouts):
        print(f"{row}: not compared: no .deps/minilm (./run fetch)")
        return True
    sides = ("before", "after")
    before, after = (dump(checkout, ROWS[row], folder / row / side) for checkout, side in zip(checkouts, sides))
    if not before or not after:
        raise CannotCompare(f"{row}: nothing was dumped")
    difference = first_difference(before, after)
    print(f"{row}: {f'differs at {difference}' if difference else f'same, {len(before)} files'}", flush=True)
    return difference is None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path, help="a checkout with a release build")
    parser.add_argument("after", type=pathlib.Path, help="another one")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"all, where none is named: {', '.join(ROWS)}")
    arguments = parser.parse_args()
    if unknown := set(arguments.rows) - ROWS.keys():
        parser.error(f"no row {', '.join(sorted(unknown))}")
    checkouts = [arguments.before.resolve(), arguments.after.resolve()]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="compare_programs."))
    try:
        same = [compare(row, checkouts, folder) for row in arguments.rows or ROWS]
    except CannotCompare as fault:
        print(fault, file=sys.stderr)
        return 2
    if not all(same):
        print(f"the dumps are in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
