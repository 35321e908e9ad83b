#!/usr/bin/env python3
"""Gives Keras the preprocessing layers that save_layer wrote.

    build/release/bin/saving_test --gtest_filter='LayerFiles.OfOursComeBack'
    KERAS_BACKEND=tensorflow python tests/saving/check_layer_files.py [FOLDER]

Needs Keras 3.15 and TensorFlow 2.21. FOLDER is where the test wrote them: /tmp/layer_files. Each must answer as the layer that
Keras adapted, whose answers are in systolic/saving/golden/learned_layers.json.
"""
import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras
import numpy as np

GOLDEN = pathlib.Path(__file__).resolve().parent.parent.parent / "systolic/saving/golden"
sys.path.insert(0, str(GOLDEN))
import make_keras_layers as recipe  # noqa: E402

INPUTS = {"words": recipe.NEW_TEXTS, "bag": recipe.NEW_TEXTS, "given": recipe.NEW_CITIES, "rare": recipe.NEW_DAYS}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/layer_files")
    answers = json.loads((GOLDEN / "learned_layers.json").read_text())
    failed = 0
    for name, x in INPUTS.items():
        layer = keras.saving.load_model(folder / f"{name}.keras").layers[-1]
        wanted = np.reshape(answers[name]["values"], answers[name]["shape"])
        got = np.asarray(layer(x))
        same = got.shape == wanted.shape and np.abs(got - wanted).max() < 1e-5
        print(name, "equal" if same else f"differs: {got} instead of {wanted}")
        failed += not same
    return failed


if __name__ == "__main__":
    sys.exit(main())
