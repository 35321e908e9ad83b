#!/usr/bin/env python3
"""The convnets of keras.applications 3.15 and ours, with weights that Keras drew and saved.

    KERAS_BACKEND=jax python check_with_keras.py build/release/bin/application_outputs [NAME...]

Each family at a size a little above its least, 20 classes, weights from a .weights.h5 and from the older .h5. Prints the
largest difference of the logits, relative to the largest logit; more than 1e-4 is a failure. Without names all but those
of more than 200 million parameters; "all" is all.
"""
import gc
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("KERAS_BACKEND", "jax")
import h5py
import keras
import numpy as np
from keras.src.legacy.saving import legacy_h5_format

SIZES = {"Xception": 75, "InceptionV3": 79, "InceptionResNetV2": 79}
LARGE = {"ConvNeXtLarge", "ConvNeXtXLarge"}
NAMES = ["Xception", "VGG16", "VGG19", "ResNet50", "ResNet101", "ResNet152", "ResNet50V2", "ResNet101V2", "ResNet152V2",
         "InceptionV3", "InceptionResNetV2", "MobileNet", "MobileNetV2", "MobileNetV3Small", "MobileNetV3Large",
         "DenseNet121", "DenseNet169", "DenseNet201", "NASNetMobile", "NASNetLarge",
         *(f"EfficientNetB{i}" for i in range(8)), *(f"EfficientNetV2{i}" for i in ("B0", "B1", "B2", "B3", "S", "M", "L")),
         *(f"ConvNeXt{i}" for i in ("Tiny", "Small", "Base", "Large", "XLarge"))]


def randomized(model, generator):
    """Statistics of normalizations too, which Keras leaves at 0 and 1."""
    for weight in model.weights:
        if "variance" in weight.path or weight.path.endswith("gamma"):
            weight.assign(generator.uniform(0.5, 1.5, weight.shape))
        elif "mean" in weight.path or weight.path.endswith(("beta", "bias")):
            weight.assign(generator.uniform(-0.1, 0.1, weight.shape))
    for layer in model.layers:
        if isinstance(layer, keras.layers.Normalization):
            layer.finalize_state()


def compare(program, name, folder):
    keras.backend.clear_session()
    generator = np.random.default_rng(7)
    size = SIZES.get(name, 40)
    model = getattr(keras.applications, name)(weights=None, input_shape=(size, size + 5, 3), classes=20,
                                              classifier_activation=None)
    randomized(model, generator)
    x = generator.uniform(0, 255, (2, size, size + 5, 3)).astype("float32")
    np.savez(f"{folder}/x.npz", x=x)
    wanted = np.asarray(model.predict(x, verbose=0))
    model.save_weights(f"{folder}/new.weights.h5")
    with h5py.File(f"{folder}/old.h5", "w") as file:
        legacy_h5_format.save_weights_to_hdf5_group(file, model)
    worst = 0
    for weights in ("new.weights.h5", "old.h5"):
        done = subprocess.run([program, name, f"{folder}/{weights}", f"{folder}/x.npz", f"{folder}/y.npz", "20"],
                              check=True, capture_output=True, text=True)
        if int(done.stdout) != model.count_params():
            raise SystemExit(f"{name}: {done.stdout.strip()} parameters, Keras has {model.count_params()}")
        got = np.load(f"{folder}/y.npz")["y"]
        worst = max(worst, float(np.abs(got - wanted).max() / np.abs(wanted).max()))
    return worst


def main():
    program, names = sys.argv[1], sys.argv[2:]
    if not names:
        names = [name for name in NAMES if name not in LARGE]
    elif names == ["all"]:
        names = NAMES
    failed = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            worst = compare(program, name, folder)
        print(f"{name:18} {worst:.1e}", flush=True)
        if not worst < 1e-4:
            failed.append(name)
        gc.collect()
    print(f"{len(names)} architectures, {len(failed)} differ {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
