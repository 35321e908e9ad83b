#!/usr/bin/env python3
"""Makes logits.json: what keras.applications answers, with weights that applications_test.cc can make too.

    KERAS_BACKEND=jax python make_logits.py logits.json        # needs keras 3.15 and jax

ConvNeXt's convolutions by groups take TensorFlow's backend seconds, JAX's half an hour on a processor: its line and NASNet's
were made with KERAS_BACKEND=tensorflow.

Each weight is filled with numbers of a counter hashed with its path ("conv1/kernel"), so that layers that are exchanged,
left out or wired otherwise change the answer. "gain" is the variance that a kernel multiplies its input's by: 2, which
keeps ReLU's, and 1 where 2 would blow up a rounding error, as swish and some hundred layers do.
"""
import json
import os
import re
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np

CASES = [
    ("Xception", {"input_shape": (71, 75, 3)}),
    ("VGG16", {"input_shape": (32, 48, 3)}),
    ("ResNet50", {"input_shape": (49, 32, 3)}),
    ("ResNet50V2", {"input_shape": (33, 40, 3)}),
    ("InceptionV3", {"input_shape": (75, 80, 3)}),
    ("MobileNet", {"input_shape": (35, 32, 3), "alpha": 0.25, "depth_multiplier": 2}),
    ("MobileNetV2", {"input_shape": (33, 46, 3), "alpha": 0.35}),
    ("MobileNetV2", {"input_shape": (32, 32, 1), "alpha": 1.3, "include_top": False}),
    ("MobileNetV3Small", {"input_shape": (37, 32, 3)}),
    ("MobileNetV3Large", {"input_shape": (40, 33, 3), "alpha": 0.75, "include_preprocessing": False}, 1),
    ("MobileNetV3Small", {"input_shape": (32, 32, 3), "minimalistic": True, "alpha": 1.25}),
    ("DenseNet121", {"input_shape": (32, 40, 3)}),
    ("NASNetMobile", {"input_shape": (35, 64, 3)}, 1),
    ("EfficientNetB0", {"input_shape": (33, 44, 3)}),
    ("EfficientNetV2B1", {"input_shape": (40, 33, 3)}, 1),
    ("EfficientNetV2B0", {"input_shape": (32, 32, 1), "include_top": False, "pooling": "max"}),
    ("ConvNeXtTiny", {"input_shape": (32, 40, 3)}, 1),
    ("ResNet50", {"input_shape": (32, 32, 3), "include_top": False, "pooling": "avg"}),
]


def hashed(count, seed):
    """`count` numbers from -1 to 1: splitmix64 of seed + 1, seed + 2, ..."""
    with np.errstate(over="ignore"):
        z = (np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(40)).astype(np.float64) / 2**23 - 1


def seed_of(path):
    """FNV-1a of the text."""
    value = 0xCBF29CE484222325
    for byte in path.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value % 2**40


def path_of(weight):
    """The layer and the weight, without the scopes that NASNet builds its layers in, but with the models that ConvNeXt has
    inside. Keras numbers weights without a name in the order of their creation."""
    parts = re.sub("_layer_scale/variable.*", "_layer_scale/gamma", weight.path).split("/")
    inside = parts[0].startswith("convnext") and len(parts) == 3
    return "/".join(parts if inside else parts[-2:])


def filled(path, shape, gain):
    numbers = hashed(int(np.prod(shape, dtype=np.int64)), seed_of(path)).reshape(shape)
    name = path.rsplit("/", 1)[1]
    if "kernel" in name:
        depthwise = "depthwise" in path or "dw" in path
        return numbers * np.sqrt(3 * gain / np.prod(shape[:2] if depthwise else shape[:-1]))
    if "variance" in name:
        return 1 + numbers / 2
    return (1 if name == "gamma" else 0) + numbers / 10


def main():
    answers = []
    for name, options, *rest in CASES:
        gain = rest[0] if rest else 2
        keras.backend.clear_session()
        model = getattr(keras.applications, name)(weights=None, classes=7, classifier_activation=None, **options)
        for weight in model.weights:
            if "count" not in weight.path:
                weight.assign(filled(path_of(weight), weight.shape, gain).astype("float32"))
        for layer in model.layers:
            if isinstance(layer, keras.layers.Normalization):
                layer.finalize_state()
        shape = (2, *options["input_shape"])
        pixels = ((hashed(int(np.prod(shape)), 1) + 1) * 127.5).reshape(shape).astype("float32")
        outputs = np.asarray(model.predict(pixels, verbose=0), dtype="float64").ravel()
        answers.append({"name": name, "options": options, "gain": gain, "model": model.name, "parameters": int(model.count_params()),
                        "layers": len(model.layers), "size": outputs.size, "outputs": [float(f"{one:.8g}") for one in outputs[:14]]})
        print(name, options, model.count_params(), outputs[:4])
    with open(sys.argv[1], "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(one) for one in answers) + "\n]\n")


if __name__ == "__main__":
    main()
