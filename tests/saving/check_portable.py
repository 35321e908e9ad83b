#!/usr/bin/env python3
"""Checks that JAX runs the portable programs that export_model writes.

    ninja -C build/release export_saved_model
    python tests/saving/check_portable.py build/release/bin/export_saved_model MODEL.keras...

Needs jax 0.10. For each model that Keras or Systolic saved, export_saved_model writes the program and what the model predicts
for random inputs; jax.export's call must give the same within 1e-5, for these rows and for one.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from call_portable import exported_of, stored_weights


def check(program, model, folder):
    subprocess.run([program, model, str(folder / "saved"), str(folder / "data.npz")], check=True, stderr=subprocess.DEVNULL)
    data, exported = np.load(folder / "data.npz"), folder / "saved_program"
    description = json.loads((exported / "model.json").read_text())
    weights = stored_weights(exported, description)
    call = exported_of(exported, description, weights).call
    differences = []
    for rows in (None, 1):
        found = call(*[data["x_" + one["name"]][:rows] for one in description["inputs"]], *weights)
        differences += [float(np.abs(np.asarray(got) - data["y_" + one["name"]][:rows]).max())
                        for got, one in zip(found, description["outputs"])]
    print(pathlib.Path(model).name, description["portable_batch_size"], " ".join(f"{d:.1e}" for d in differences), flush=True)
    return max(differences) <= 1e-5


def main():
    failed = []
    for model in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            if not check(sys.argv[1], model, pathlib.Path(folder)):
                failed.append(model)
    sys.exit(f"FAILED: {failed}" if failed else 0)


if __name__ == "__main__":
    main()
