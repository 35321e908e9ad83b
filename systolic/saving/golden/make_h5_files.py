#!/usr/bin/env python3
"""The older .h5 as Keras 3.15 and tf_keras 2.21 write it: load_model and load_weights must read both.

    KERAS_BACKEND=jax python make_h5_files.py keras3       # keras 3.15, jax and h5py installed
    python make_h5_files.py keras2                         # tf_keras 2.21 and tensorflow 2.21 installed

keras3 writes the models of make_keras_files.py once more, so that expected.npz is what they compute: NAME.h5, and the
weights of frozen.keras as frozen.weights.h5 and, in several files, as frozen_shards. keras2 writes keras2_pictures.h5, keras2_chain.h5, the weights of the
first, keras2_pictures_weights.h5, and expected_keras2.npz with names as those of expected.npz.
"""
import os
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent


def write_keras3():
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras
    for name in ("conv_model", "shared", "frozen"):
        model = keras.models.load_model(FOLDER / f"{name}.keras")
        model.save(FOLDER / f"{name}.h5")
        if name == "frozen":
            model.save_weights(FOLDER / f"{name}.weights.h5")
            (FOLDER / "frozen_shards").mkdir(exist_ok=True)
            model.save_weights(FOLDER / "frozen_shards" / f"{name}.weights.json", max_shard_size=100 / 1024**3)


def pictures(keras):
    layers = keras.layers
    x = keras.Input((8, 8, 2), name="picture")
    y = layers.Conv2D(4, 3, activation="relu", name="first")(x)
    y = layers.BatchNormalization(axis=[3])(y)
    z = layers.DepthwiseConv2D(3, padding="same")(y)
    y = layers.Add()([y, z])
    y = layers.ReLU(max_value=6.0)(y)
    y = layers.Concatenate()([y, z])
    y = layers.GlobalAveragePooling2D()(y)
    y = layers.Dense(3, kernel_regularizer="l2", name="classes")(y)
    model = keras.Model(x, y, name="pictures")
    model.compile(keras.optimizers.Adam(1e-2), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])
    return model, (8, 8, 2)


def chain(keras):
    layers = keras.layers
    model = keras.Sequential([
        layers.Dense(6, "tanh", input_shape=(5,), kernel_initializer="he_normal"), layers.LeakyReLU(alpha=0.2),
        layers.Dropout(0.0), layers.Dense(3, activation="softmax")])
    model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model, (5,)


def write_keras2():
    import tf_keras
    expected = {}
    for make in (pictures, chain):
        name = f"keras2_{make.__name__}"
        tf_keras.utils.set_random_seed(7)
        model, shape = make(tf_keras)
        random = np.random.default_rng(3)
        x = random.normal(size=(12, *shape)).astype("float32")
        y = random.integers(0, 3, 12).astype("int64")
        model.fit(x, y, batch_size=12, epochs=2, verbose=0, shuffle=False)
        model.save(FOLDER / f"{name}.h5")
        if make is pictures:
            model.save_weights(FOLDER / f"{name}_weights.h5")
        expected[f"{name}_x0"], expected[f"{name}_y"] = x, y
        expected[f"{name}_predictions"] = model.predict(x, verbose=0)
        history = model.fit(x, y, batch_size=12, epochs=1, verbose=0, shuffle=False)
        expected[f"{name}_loss"] = np.float64(history.history["loss"][0])
        expected[f"{name}_after"] = model.predict(x, verbose=0)
    np.savez(FOLDER / "expected_keras2.npz", **expected)


if __name__ == "__main__":
    {"keras3": write_keras3, "keras2": write_keras2}[sys.argv[1]]()
