#!/usr/bin/env python3
"""Checkpoints as TensorFlow writes them, which load_weights must read.

    KERAS_BACKEND=tensorflow python make_checkpoints.py        # tensorflow 2.21, tf_keras 2.21 and keras 3.15 installed

    keras2        save_weights of tf_keras: a functional model with attention, recurrent layers, a shared one and a model
                  inside, two steps of Adam
    old_optimizer save_weights of a Sequential of tf_keras with the RMSprop of old, which keeps its slots with the variables
    keras3        tf.train.Checkpoint(model=...) of a Sequential of Keras 3 with a Sequential inside, two steps of SGD
    exported      the variables of that model's export()
    named         its variables by their names alone, as TensorFlow 1 wrote checkpoints

and expected.npz: for each model NAME the inputs NAME_x and labels NAME_y, what it predicts, NAME_predictions, and the loss
of the next step, NAME_loss.
"""
import os
import pathlib
import shutil
import tempfile

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
import tf_keras  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
ROWS = 4


def compiled(kit, model, optimizer):
    model.compile(optimizer, kit.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def attention(kit):
    layers = kit.layers
    x = kit.Input((3, 4), name="x")
    y = layers.MultiHeadAttention(2, 3, name="attention")(x, x)
    y = layers.BatchNormalization(name="norm")(y)
    y = layers.Bidirectional(layers.LSTM(2, return_sequences=True), name="both")(y)
    y = layers.SeparableConv1D(3, 2, padding="same", name="separable")(y)
    y = layers.GRU(3, name="gru")(y)
    shared = layers.Dense(3, "tanh", name="shared")
    y = layers.Add(name="sum")([shared(y), shared(shared(y))])
    inner = kit.Sequential([layers.Dense(4, "relu", name="first"), layers.Dense(3, name="second")], name="inner")
    return compiled(kit, kit.Model(x, inner(y)), kit.optimizers.Adam(1e-2)), (3, 4)


def chain(kit):
    layers = kit.layers
    model = kit.Sequential([
        kit.Input((5,)), layers.Dense(4, "tanh", name="first"), layers.LayerNormalization(name="norm"),
        kit.Sequential([layers.Dense(3, name="inner")], name="block"), layers.Dense(3, name="last")])
    return model, (5,)


def trained(name, model, shape, expected, keep):
    """Two steps, then `keep(model)`, then the next one."""
    numbers = np.random.default_rng(1)
    x = numbers.normal(size=(ROWS, *shape)).astype("float32")
    y = numbers.integers(0, 3, ROWS).astype("int32")
    model.fit(x, y, batch_size=ROWS, epochs=2, verbose=0, shuffle=False)
    keep(model)
    expected |= {f"{name}_x": x, f"{name}_y": y, f"{name}_predictions": model.predict(x, verbose=0)}
    history = model.fit(x, y, batch_size=ROWS, epochs=1, verbose=0, shuffle=False)
    expected[f"{name}_loss"] = np.float32(history.history["loss"][0])


def keep_keras3(model):
    tf.train.Checkpoint(model=model, optimizer=model.optimizer).write(str(FOLDER / "keras3"))
    with tempfile.TemporaryDirectory() as folder:
        model.export(folder, verbose=False)
        for file in pathlib.Path(folder, "variables").iterdir():
            shutil.copy(file, FOLDER / file.name.replace("variables", "exported"))
    values = {variable.path: variable.numpy() for variable in model.weights}
    tf.raw_ops.SaveV2(prefix=str(FOLDER / "named"), tensor_names=list(values), shape_and_slices=[""] * len(values),
                      tensors=list(values.values()))
    bundle = tf.train.load_checkpoint(str(FOLDER / "named"))
    assert set(bundle.get_variable_to_shape_map()) == set(values)


def main():
    expected = {}
    tf_keras.utils.set_random_seed(7)
    model, shape = attention(tf_keras)
    trained("keras2", model, shape, expected, lambda model: model.save_weights(FOLDER / "keras2"))
    model, shape = chain(tf_keras)
    compiled(tf_keras, model, tf_keras.optimizers.legacy.RMSprop(1e-2, momentum=0.5))
    trained("old_optimizer", model, shape, expected, lambda model: model.save_weights(FOLDER / "old_optimizer"))
    model, shape = chain(keras)
    compiled(keras, model, keras.optimizers.SGD(0.05, momentum=0.9))
    trained("keras3", model, shape, expected, keep_keras3)
    np.savez(FOLDER / "expected.npz", **expected)
    (FOLDER / "checkpoint").unlink()


if __name__ == "__main__":
    main()
