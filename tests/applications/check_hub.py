#!/usr/bin/env python3
"""hub::KerasLayer on SavedModels of feature vectors that TensorFlow wrote.

    KERAS_BACKEND=tensorflow python check_hub.py build/release/bin/hub_outputs [NAME...]

Needs TensorFlow 2.21 and its Keras. Each convnet of keras.applications without its classifier, with random weights, is
exported by Keras (model.export) and read; the architecture must be found and the features be within 1e-4 of the largest.
"""
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras
import numpy as np
from check_with_keras import SIZES, randomized

NAMES = ["Xception", "VGG16", "ResNet50", "ResNet50V2", "InceptionV3", "MobileNet", "MobileNetV2", "MobileNetV3Small",
         "MobileNetV3Large", "DenseNet121", "NASNetMobile", "EfficientNetB0", "EfficientNetB3", "EfficientNetV2B0",
         "ConvNeXtTiny"]


def compare(program, name, folder):
    keras.backend.clear_session()
    generator = np.random.default_rng(7)
    size = SIZES.get(name, 40)
    model = getattr(keras.applications, name)(weights=None, include_top=False, pooling="avg", input_shape=(size, size, 3))
    randomized(model, generator)
    x = generator.uniform(0, 255, (2, size, size, 3)).astype("float32")
    np.savez(f"{folder}/x.npz", x=x)
    wanted = np.asarray(model.predict(x, verbose=0))
    model.export(f"{folder}/exported", verbose=False)
    done = subprocess.run([program, f"{folder}/exported", f"{folder}/x.npz", f"{folder}/y.npz"], capture_output=True,
                          text=True)
    if done.returncode != 0 or done.stdout.strip() != name:
        return f"{done.stdout.strip()} {done.stderr.strip()}", np.inf
    return "", float(np.abs(np.load(f"{folder}/y.npz")["y"] - wanted).max() / np.abs(wanted).max())


def main():
    program, names = sys.argv[1], sys.argv[2:] or NAMES
    failed = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            said, worst = compare(program, name, folder)
        print(f"{name:18} {worst:.1e} {said}", flush=True)
        if not worst < 1e-4:
            failed.append(name)
    print(f"{len(names)} architectures, {len(failed)} differ {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
