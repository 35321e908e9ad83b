#!/usr/bin/env python3
"""Checks that models are made, saved and loaded piece by piece: memory grows by a part of the model's size alone.

    ninja -C build/release large_model
    python3 tests/saving/check_memory.py build/release/bin/large_model [MEGABYTES] [LIMIT] [FORM...]

A model of MEGABYTES (1024) in 64 arrays; memory may grow by LIMIT megabytes (a quarter) beyond the model's own.
"""
import pathlib
import subprocess
import sys
import tempfile

FORMS = ["whole.keras", "whole.h5", "w.weights.h5", "w.weights.json", "w.safetensors", "w.npz", "w.ckpt", "whole"]


def main():
    program = sys.argv[1]
    megabytes = float((sys.argv + ["1024"])[2])
    limit = float((sys.argv + ["", str(megabytes / 4)])[3] or megabytes / 4)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ["-", *(sys.argv[4:] or FORMS)]:
            for what in ["build"] if name == "-" else ["save", "load"]:
                done = subprocess.run([program, what, str(pathlib.Path(folder) / name), str(megabytes), str(limit)],
                                      capture_output=True, text=True, check=False)
                print(what, name, "ok" if done.returncode == 0 else f"FAILED: {done.stderr[-300:]}", flush=True)
                if done.returncode != 0:
                    failed.append(f"{what} {name}")
            subprocess.run(["sh", "-c", f"rm -rf {folder}/*"], check=True)
    print(f"{megabytes:.0f} MB within {limit:.0f} more:", *(["failed:", *failed] if failed else ["all"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
