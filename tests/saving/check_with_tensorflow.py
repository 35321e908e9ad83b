#!/usr/bin/env python3
"""Checks that TensorFlow's checkpoints go from Keras to Systolic and back without a change.

    ninja -C build/release resave_checkpoint
    KERAS_BACKEND=tensorflow python tests/saving/check_with_tensorflow.py build/release/bin/resave_checkpoint [COUNT] [SEED]

Needs tensorflow 2.21, tf_keras 2.21 and keras 3.15. COUNT random chains of layers (20), by turns of tf_keras and Keras 3, are
compiled with random optimizers and trained for two steps, then written as a checkpoint; a .keras of Keras 3 says the layers.
resave_checkpoint loads both, predicts, writes the checkpoint again and trains one step; TensorFlow restores what
was written into a new model and goes on. Predictions must agree within 1e-5, the next step's loss within 1e-4, on both ways.
"""
import os
import random
import subprocess
import sys

from check_models import check_models

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
import tf_keras  # noqa: E402

ROWS = 8


def random_layers(kit, draw):
    """Layers that both versions of Keras have, on sequences."""
    layers = kit.layers
    chain = []
    for _ in range(draw.randint(1, 4)):
        chain.append(draw.choice([
            lambda: layers.Conv1D(4, 3, padding="same"), lambda: layers.SeparableConv1D(3, 2, padding="same"),
            lambda: layers.BatchNormalization(), lambda: layers.LayerNormalization(), lambda: layers.ReLU(),
            lambda: layers.Dense(4, "tanh"), lambda: layers.LSTM(3, return_sequences=True),
            lambda: layers.Bidirectional(layers.LSTM(2, return_sequences=True))])())
    return chain + [layers.Flatten(), kit.Sequential([layers.Dense(5, "relu"), layers.Dense(4)]), layers.Dense(3)]


def random_optimizer(kit, draw):
    of = kit.optimizers
    choices = [lambda: of.SGD(0.05, momentum=draw.choice([0.0, 0.9])), lambda: of.Adam(0.01, amsgrad=draw.random() < 0.5),
               lambda: of.RMSprop(0.01, momentum=draw.choice([0.0, 0.5]), centered=draw.random() < 0.5),
               lambda: of.Adagrad(0.05), lambda: of.AdamW(0.01)]
    return draw.choice(choices)()


def make_model(kit, seed):
    draw = random.Random(seed)
    kit.utils.set_random_seed(seed)
    model = kit.Sequential([kit.Input((4, 3)), *random_layers(kit, draw)])
    model.compile(random_optimizer(kit, draw), kit.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def step(model, x, y):
    return float(model.fit(x, y, batch_size=ROWS, epochs=1, verbose=0, shuffle=False).history["loss"][0])


def restored(kit, seed, prefix, x, y):
    """A new model with what the checkpoint says; its optimizer's slots are made by a step of no consequence."""
    model = make_model(kit, seed)
    step(model, x, y)
    if kit is tf_keras:
        model.load_weights(prefix)
    else:
        tf.train.Checkpoint(model).read(prefix).assert_existing_objects_matched()
    return model


def check(program, seed, folder):
    kit = tf_keras if seed % 2 == 0 else keras
    model = make_model(kit, seed)
    numbers = np.random.default_rng(seed)
    x, y = numbers.normal(size=(ROWS, 4, 3)).astype("float32"), numbers.integers(0, 3, ROWS).astype("int32")
    model.fit(x, y, batch_size=ROWS, epochs=2, verbose=0, shuffle=False)
    layers, theirs, ours, data, result = (
        str(folder / name) for name in ("model.keras", "theirs", "ours.ckpt", "data.npz", "result.npz"))
    of_keras3 = make_model(keras, seed)
    step(of_keras3, x, y)
    of_keras3.save(layers)
    if kit is tf_keras:
        model.save_weights(theirs)
    else:
        tf.train.Checkpoint(model=model, optimizer=model.optimizer).write(theirs)
    np.savez(data, x=x, y=y)
    subprocess.run([program, layers, theirs, data, ours, result], check=True)
    found = np.load(result)
    back = restored(kit, seed, ours, x, y)
    wanted = model.predict(x, verbose=0)
    differences = [np.abs(found["predictions"] - wanted).max(), np.abs(back.predict(x, verbose=0) - wanted).max()]
    wanted_loss = step(model, x, y)
    differences += [abs(float(found["loss"]) - wanted_loss), abs(step(back, x, y) - wanted_loss),
                    np.abs(back.predict(x, verbose=0) - model.predict(x, verbose=0)).max()]
    print(seed, kit.__name__, type(model.optimizer).__name__, " ".join(f"{d:.1e}" for d in differences), flush=True)
    return all(d <= limit for d, limit in zip(differences, [1e-5, 1e-5, 1e-4, 1e-4, 1e-4]))


if __name__ == "__main__":
    sys.exit(check_models(check, 20))
