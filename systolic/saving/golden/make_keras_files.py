#!/usr/bin/env python3
"""Models that Keras 3.15 saved, and what it computes with them: load_model must do the same.

    KERAS_BACKEND=jax python make_keras_files.py     # with keras 3.15, jax and h5py installed

Writes NAME.keras for each model and expected.npz: NAME_x (NAME_x0, NAME_x1 for two inputs), NAME_y, NAME_predictions, and
after one more step of training on x and y NAME_loss and NAME_after. Nothing here draws at random in a step.
"""
import os
import pathlib

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np

L = keras.layers
FOLDER = pathlib.Path(__file__).resolve().parent


def conv_model():
    x = keras.Input((8, 8, 2), name="picture")
    y = L.Conv2D(4, 3, activation="relu", name="first")(x)
    y = L.BatchNormalization()(y)
    z = L.SeparableConv2D(4, 3, padding="same", depth_multiplier=2)(y)
    z = L.DepthwiseConv2D(3, padding="same")(z)
    y = L.Add()([y, z])
    y = L.ReLU(max_value=6)(y)
    y = L.MaxPooling2D()(L.ZeroPadding2D(1)(y))
    y = L.GlobalAveragePooling2D()(y)
    y = L.Dropout(0.0)(y)
    y = L.Dense(3, kernel_regularizer="l2", name="classes")(y)
    model = keras.Model(x, y, name="pictures")
    model.compile(
        optimizer=keras.optimizers.Adam(1e-2, clipnorm=1.0, amsgrad=True),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"])
    return model, [(8, 8, 2)], 3


def chain():
    model = keras.Sequential([
        keras.Input((5,)),
        L.Dense(6, "tanh", bias_initializer=keras.initializers.RandomNormal(stddev=0.1)),
        L.LayerNormalization(), L.LeakyReLU(negative_slope=0.2), L.Reshape((3, 2)), L.Permute((2, 1)),
        L.Conv1D(4, 2, padding="same", activation="gelu"), L.AveragePooling1D(2), L.Flatten(),
        L.Dense(3, use_bias=False), L.Softmax()], name="chain")
    model.compile(keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True, weight_decay=1e-3), "sparse_categorical_crossentropy",
                  metrics=["accuracy", keras.metrics.SparseTopKCategoricalAccuracy(k=2)])
    return model, [(5,)], 3


def shared():
    """Two inputs, a layer used twice, a model inside, order of layers that differs from that of their making."""
    a, b = keras.Input((4,), name="left"), keras.Input((4,), name="right")
    inner_x = keras.Input((6,))
    inner = keras.Model(inner_x, L.Dense(6, "relu")(L.Dense(5)(inner_x)), name="inner")
    head = L.Dense(3, name="head")
    tower = L.Dense(6, "swish", name="tower")
    late = L.Dense(6, name="late")(b)
    u, v = tower(a), tower(b)
    u = inner(u)
    joined = L.Concatenate()([u, L.Multiply()([v, late])])
    model = keras.Model([a, b], head(L.Average()([joined, joined])), name="towers")
    schedule = keras.optimizers.schedules.CosineDecay(0.01, 100, warmup_target=0.02, warmup_steps=5)
    model.compile(keras.optimizers.AdamW(schedule, weight_decay=0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model, [(4,), (4,)], 3


def attention():
    x = keras.Input((6,), dtype="int32", name="ids")
    y = L.Embedding(10, 8)(x)
    z = L.MultiHeadAttention(2, 4, dropout=0.0)(y, y, use_causal_mask=True)
    y = L.LayerNormalization(epsilon=1e-5)(L.Add()([y, z]))
    y = L.GlobalAveragePooling1D()(y)
    model = keras.Model(x, L.Dense(3)(y), name="attends")
    model.compile(keras.optimizers.RMSprop(1e-3, momentum=0.5, centered=True),
                  keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model, [(6,)], 3


def frozen():
    model = keras.Sequential([keras.Input((4,)), L.Dense(5, "relu", trainable=False), L.Rescaling(2.0, 0.5), L.Dense(3)])
    model.compile(keras.optimizers.Adagrad(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model, [(4,)], 3


def write_pictures():
    """pictures.keras: a model of RGB pictures, for tests/tool/predict_test.py."""
    keras.utils.set_random_seed(7)
    keras.Sequential([keras.Input((4, 6, 3)), L.Rescaling(1 / 255), L.Flatten(), L.Dense(2, name="classes")]).save(
        FOLDER / "pictures.keras")


def main():
    write_pictures()
    expected = {}
    for make in (conv_model, chain, shared, attention, frozen):
        name = make.__name__
        keras.utils.set_random_seed(7)
        model, shapes, classes = make()
        random = np.random.default_rng(3)
        xs = [random.integers(0, 10, (12, *s)).astype("int32") if name == "attention" else
              random.normal(size=(12, *s)).astype("float32") for s in shapes]
        y = random.integers(0, classes, 12).astype("int64")
        x = xs if len(xs) > 1 else xs[0]
        model.fit(x, y, batch_size=12, epochs=2, verbose=0, shuffle=False)
        model.save(FOLDER / f"{name}.keras")
        for i, one in enumerate(xs):
            expected[f"{name}_x{i}"] = one
        expected[f"{name}_y"] = y
        expected[f"{name}_predictions"] = model.predict(x, verbose=0)
        history = model.fit(x, y, batch_size=12, epochs=1, verbose=0, shuffle=False)
        expected[f"{name}_loss"] = np.float64(history.history["loss"][0])
        expected[f"{name}_after"] = model.predict(x, verbose=0)
        print(name, history.history)
    np.savez(FOLDER / "expected.npz", **expected)


if __name__ == "__main__":
    main()
