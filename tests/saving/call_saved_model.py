#!/usr/bin/env python3
"""Checks that TensorFlow runs what export_saved_model and Model::save(FOLDER) write.

    ninja -C build/release export_saved_model
    python tests/saving/call_saved_model.py build/release/bin/export_saved_model MODEL.keras...

Needs tensorflow 2.21. For each model that Keras or Systolic saved, export_saved_model writes two SavedModels and what it predicts
for random inputs; tf.saved_model.load must give the same within 1e-5, for these rows and for one.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


def check(program, model, folder):
    subprocess.run([program, model, str(folder / "saved"), str(folder / "data.npz")], check=True)
    data = np.load(folder / "data.npz")
    inputs = {name[2:]: tf.constant(data[name]) for name in data.files if name.startswith("x_")}
    differences = []
    for name, rows in ((name, rows) for name in ("saved", "saved_whole") for rows in (None, 1)):
        serve = tf.saved_model.load(str(folder / name)).signatures["serving_default"]
        found = serve(**{name: value[:rows] for name, value in inputs.items()})
        differences += [
            np.abs(found[name[2:]].numpy() - data[name][:rows]).max() for name in data.files if name.startswith("y_")]
    print(pathlib.Path(model).name, " ".join(f"{d:.1e}" for d in differences), flush=True)
    return max(differences) <= 1e-5


def main():
    failed = []
    for model in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                if not check(sys.argv[1], model, pathlib.Path(folder)):
                    failed.append(model)
            except Exception as error:  # a model that does not come back is a finding like any other
                print(model, "FAILED:", str(error)[-600:], flush=True)
                failed.append(model)
    print(f"{len(sys.argv) - 2 - len(failed)} of {len(sys.argv) - 2} models are the same", *failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
