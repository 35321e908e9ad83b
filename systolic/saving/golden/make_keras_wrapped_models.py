"""Writes .keras files of models whose layers lie in others: several cells, masks, wrappers; and what they predict.

    python systolic/saving/golden/make_keras_wrapped_models.py     (Keras 3.15)
"""
import json
import os
import pathlib

os.environ.setdefault("KERAS_BACKEND", "jax")

import keras  # noqa: E402
import numpy as np  # noqa: E402

L = keras.layers
HERE = pathlib.Path(__file__).parent


def cells():
    x = keras.Input((4, 3))
    both = L.Bidirectional(L.RNN([L.GRUCell(2), L.GRUCell(3)]))(x)
    one = L.RNN(L.StackedRNNCells([L.LSTMCell(2), L.SimpleRNNCell(3), L.LSTMCell(2)]))(x)
    return keras.Model(x, L.Concatenate()([both, one]))


def masks():
    """Masks that Keras writes as ops; two layers of a class of which one is masked, so that their order counts on the ops."""
    ids, x = keras.Input((5,), dtype="int32", name="ids"), keras.Input((5, 2), name="x")
    known = L.Add()([L.Embedding(7, 3, mask_zero=True)(ids), L.Dense(3)(x)])
    real = L.Masking(0.5)(L.Dense(2, "relu", name="before_mask")(x))
    joined = L.Concatenate(axis=1)([L.Embedding(7, 3, mask_zero=True)(ids), L.TimeDistributed(L.Dense(3))(real)])
    return keras.Model([ids, x], [L.LSTM(2)(known), L.GRU(2)(real), L.GlobalAveragePooling1D()(joined)])


def wrappers():
    x = keras.Input((4, 6))
    y = L.SpectralNormalization(L.Dense(6))(x)
    y = L.GroupQueryAttention(2, 4, 2, use_gate=True)(y, x)
    y = L.Pipeline([L.Rescaling(0.5), L.BatchNormalization(beta_initializer="random_normal"), L.Rescaling(2.0, 1.0), L.BatchNormalization(gamma_initializer="random_normal")])(y)
    model = keras.Model(x, L.Dense(2)(y))
    model.compile(keras.optimizers.Adam(0.01), "mse")  # and not trained
    return model


def main():
    numbers = np.random.RandomState(3)
    answers = {}
    for seed, (name, make) in enumerate({"cells": cells, "masks": masks, "wrappers": wrappers}.items()):
        keras.utils.set_random_seed(seed)
        model = make()
        model.save(HERE / f"wrapped_{name}.keras")
        inputs = [numbers.randint(0, 4, (2, *x.shape[1:])) if x.dtype == "int32" else numbers.randint(-9, 9, (2, *x.shape[1:])) / 4
                  for x in model.inputs]
        given = [x.astype(i.dtype) for x, i in zip(inputs, model.inputs)]
        outputs = model(given if len(given) > 1 else given[0], training=False)  # a Pipeline trains where nothing is said
        answers[name] = {"inputs": inputs, "outputs": outputs if isinstance(outputs, list) else [outputs]}

    def arrays(those):
        return [{"shape": list(np.shape(x)), "values": [float(f"{float(v):.7g}") for v in np.ravel(x)]} for x in those]

    lines = [f'"made_by": "keras {keras.__version__}"']
    lines += [f'"{name}": ' + json.dumps({part: arrays(those) for part, those in of.items()}) for name, of in answers.items()]
    (HERE / "wrapped_models.json").write_text("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main()
