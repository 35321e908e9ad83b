#!/usr/bin/env python3
"""Checks that models go from Keras to Systolic and back without a change.

    ninja -C build/release resave_keras
    KERAS_BACKEND=jax python tests/saving/check_with_keras.py build/release/bin/resave_keras [COUNT] [SEED]

Needs keras 3.15, jax and h5py. COUNT random models (30), Sequential and functional, are compiled with random optimizers,
trained for two steps and saved by Keras; resave_keras loads each, predicts, saves it again and trains one step; Keras loads
what was saved. Predictions must agree within 1e-5, the next step's loss and the predictions after it within 1e-4, on both ways. Each third model goes
by .h5 instead of .keras; the others' weights go in several files, too, .weights.json, and back.
"""
import os
import random
import subprocess
import sys

from check_models import check_models

os.environ.setdefault("KERAS_BACKEND", "jax")
import h5py  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402

L = keras.layers
ROWS = 16


def random_optimizer(draw):
    rate = draw.choice([1e-2, 1e-3])
    schedule = keras.optimizers.schedules
    if draw.random() < 0.3:
        rate = draw.choice([
            schedule.ExponentialDecay(rate, 10, 0.9), schedule.PolynomialDecay(rate, 50, power=2.0),
            schedule.PiecewiseConstantDecay([1, 5], [rate, rate / 2, rate / 4]), schedule.CosineDecay(rate, 40)])
    common = dict(clipnorm=draw.choice([None, 1.0]), weight_decay=draw.choice([None, 1e-3]))
    o = keras.optimizers
    return draw.choice([
        lambda: o.SGD(rate, momentum=draw.choice([0.0, 0.9]), nesterov=draw.random() < 0.5, **common),
        lambda: o.Adam(rate, amsgrad=draw.random() < 0.5, **common), lambda: o.AdamW(rate, clipvalue=0.5),
        lambda: o.SGD(rate, use_ema=True, ema_momentum=0.8, ema_overwrite_frequency=draw.choice([None, 3]), **common),
        lambda: o.LossScaleOptimizer(o.Adam(rate, **common), initial_scale=64.0), lambda: o.Adadelta(rate, **common),
        lambda: o.Adamax(rate, **common), lambda: o.Lion(rate, **common), lambda: o.Ftrl(rate, **common),
        lambda: o.RMSprop(rate, momentum=draw.choice([0.0, 0.5]), centered=draw.random() < 0.5, **common),
        lambda: o.Adagrad(rate, **common), lambda: o.Lamb(rate)])()


def random_constraint(draw):
    c = keras.constraints
    return draw.choice([None, "non_neg", c.MaxNorm(0.8), c.UnitNorm(), c.MinMaxNorm(0.2, 0.9, 0.5)])


def random_regularizer(draw):
    r = keras.regularizers
    return draw.choice([None, "l2", r.L1(0.01), r.L1L2(0.01, 0.02), r.OrthogonalRegularizer(0.02, draw.choice(["rows", "columns"]))])


def random_block(draw, x):
    """One more layer for what x is: pictures, sequences or rows."""
    activation = draw.choice(["relu", "tanh", "gelu", "swish", "linear", "elu"])
    if len(x.shape) == 4:
        return draw.choice([
            lambda: L.Conv2D(4, draw.choice([1, 3]), padding="same", activation=activation)(x),
            lambda: L.DepthwiseConv2D(3, padding="same", use_bias=False)(x),
            lambda: L.SeparableConv2D(3, 3, padding="same")(x), lambda: L.BatchNormalization()(x),
            lambda: L.AveragePooling2D(2, padding="same")(x), lambda: L.ZeroPadding2D(((1, 0), (0, 1)))(x),
            lambda: L.Conv2DTranspose(3, 3, padding="same", kernel_constraint=random_constraint(draw))(x),
            lambda: L.GroupNormalization(1)(x), lambda: L.UnitNormalization()(x), lambda: L.UpSampling2D(2)(x),
            lambda: L.TimeDistributed(L.Conv1D(3, 2, activation=activation))(x),
            lambda: L.ConvLSTM1D(3, 2, padding="same", return_sequences=draw.random() < 0.5)(x),
            lambda: L.GlobalMaxPooling2D()(x), lambda: L.Flatten()(x)])()
    if len(x.shape) == 3:
        return draw.choice([
            lambda: L.Conv1D(4, 3, padding="same", activation=activation)(x), lambda: L.LayerNormalization()(x),
            lambda: L.MultiHeadAttention(2, 3)(x, x), lambda: L.MaxPooling1D(2, padding="same")(x),
            lambda: L.Dense(5, activation)(x), lambda: L.GlobalAveragePooling1D()(x),
            lambda: L.LSTM(4, return_sequences=draw.random() < 0.5, recurrent_constraint=random_constraint(draw))(x),
            lambda: L.GRU(3, return_sequences=draw.random() < 0.5, reset_after=draw.random() < 0.5)(x),
            lambda: L.SimpleRNN(3, return_sequences=True)(x), lambda: L.Bidirectional(L.LSTM(3, return_sequences=True))(x),
            lambda: L.RNN([L.LSTMCell(3), L.GRUCell(2)], return_sequences=True)(x), lambda: L.PReLU()(x),
            lambda: L.EinsumDense("abc,cd->abd", (None, 4), bias_axes="d", activation=activation)(x),
            lambda: L.TimeDistributed(L.Dense(4, activation))(x), lambda: L.RMSNormalization()(x)])()
    size = x.shape[-1]
    return draw.choice([
        lambda: L.Dense(6, activation, kernel_regularizer=random_regularizer(draw), kernel_constraint=random_constraint(draw),
                        bias_constraint=draw.choice([None, "non_neg"]))(x),
        lambda: L.Dense(6, activation, trainable=draw.random() < 0.7)(x), lambda: L.BatchNormalization(momentum=0.9)(x),
        lambda: L.Add()([x, L.Dense(size)(x)]), lambda: L.Concatenate()([x, L.Dense(3, activation)(x)]),
        lambda: L.Reshape((size, 1))(x), lambda: L.Rescaling(0.5, 0.1)(x), lambda: L.ReLU(negative_slope=0.1)(x)])()


def random_model(draw):
    shapes = draw.choice([[(6, 6, 2)], [(6, 3)], [(7,)], [(7,), (4,)], [(6, 6, 1), (5,)]])
    inputs = [keras.Input(shape) for shape in shapes]
    rows, shared = [], L.Dense(5, "tanh")
    for x in inputs:
        for _ in range(draw.randint(1, 4)):
            x = random_block(draw, x)
        if len(x.shape) > 2:
            x = L.Flatten()(x)
        rows.append(L.Dense(6)(x))
    x = rows[0] if len(rows) == 1 else draw.choice([L.Add, L.Maximum, L.Average])()(rows)
    if draw.random() < 0.4:
        x = L.Concatenate()([shared(x), shared(rows[-1])])
    if draw.random() < 0.4:
        inner = keras.Sequential([keras.Input((x.shape[-1],)), L.Dense(4, "relu"), L.Dense(5)])
        x = inner(x)
    return keras.Model(inputs, L.Dense(3)(x)), shapes


def step(model, x, y):
    return float(model.fit(x, y, batch_size=ROWS, epochs=1, verbose=0, shuffle=False).history["loss"][0])


def stored_optimizer(file):
    """The arrays of an .h5's optimizer, in their order."""
    with h5py.File(file) as opened:
        group = opened["optimizer_weights"]
        return [np.asarray(group[name]) for name in group.attrs["weight_names"]]


def forget(model):
    for weight in model.weights:
        weight.assign(np.zeros(weight.shape))


def difference_after(model, file, x, y, wanted_loss, optimizer):
    """How far the next step's loss is from the wanted one where Keras goes on from the file. Keras 3.15 cannot go on from
    any .h5 (it builds the optimizer for no variables): there the optimizer's arrays are compared."""
    if file.endswith(".keras"):
        return abs(step(model, x, y) - wanted_loss)
    # What a LossScaleOptimizer has of its own first, steps and rate, is 0 in Keras, and nobody reads it.
    unread = 2 if isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer) else 0
    pairs = list(zip(stored_optimizer(file), optimizer, strict=True))[unread:]
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def check(program, seed, folder):
    draw = random.Random(seed)
    keras.utils.set_random_seed(seed)
    model, shapes = random_model(draw)
    optimizer = random_optimizer(draw)
    if seed % 3 == 2 and (isinstance(optimizer, keras.optimizers.Lamb) or optimizer.use_ema):
        optimizer = keras.optimizers.Adam()  # Keras 3.15 reads no Lamb from .h5, and loses averages in JAX
    model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    numbers = np.random.default_rng(seed)
    xs = [numbers.normal(size=(ROWS, *shape)).astype("float32") for shape in shapes]
    y = numbers.integers(0, 3, ROWS).astype("int32")
    x = xs if len(xs) > 1 else xs[0]
    model.fit(x, y, batch_size=ROWS, epochs=2, verbose=0, shuffle=False)
    form = ".h5" if seed % 3 == 2 else ".keras"
    theirs, data, ours, result = (str(folder / name) for name in (f"a{form}", "data.npz", f"b{form}", "result.npz"))
    model.save(theirs)
    if form == ".keras":
        largest = max(4 * int(np.prod(weight.shape)) for weight in model.weights)
        model.save_weights(f"{theirs}.weights.json", max_shard_size=(largest + 1) / 1024**3)
    np.savez(data, y=y, **{f"x{i}": one for i, one in enumerate(xs)})
    subprocess.run([program, theirs, data, ours, result], check=True)
    found = np.load(result)
    back = keras.models.load_model(ours)
    if form == ".keras":
        forget(back)
        back.load_weights(f"{ours}.weights.json")
    wanted = model.predict(x, verbose=0)
    optimizer = stored_optimizer(theirs) if form == ".h5" else []
    differences = [np.abs(found["predictions"] - wanted).max(), np.abs(back.predict(x, verbose=0) - wanted).max()]
    if form == ".keras":
        model = keras.models.load_model(theirs)  # what was trained may have lost arrays in JAX
    wanted_loss = step(model, x, y)
    after = model.predict(x, verbose=0)
    differences += [abs(float(found["loss"]) - wanted_loss), difference_after(back, ours, x, y, wanted_loss, optimizer),
                    np.abs(found["after"] - after).max()]
    limits = [1e-5, 1e-5, 1e-4, 1e-4, 1e-4]
    print(seed, type(model.optimizer).__name__, " ".join(f"{d:.1e}" for d in differences), flush=True)
    return all(d <= limit for d, limit in zip(differences, limits))


if __name__ == "__main__":
    sys.exit(check_models(check, 30))
