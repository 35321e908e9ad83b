"""Writes data/keras_rs.json: what keras-rs's DistributedEmbedding gives on JAX, and its tables after three steps.

    python tests/golden/make_keras_rs.py        (keras-rs 0.4, Keras 3.15, JAX 0.10)

keras_rs_golden_test.cc compares them. Rows that no step looks up are left out of what is compared: keras-rs's optimizers
move a whole table where there is no SparseCore, and ours the rows that were looked up.
"""
import os

os.environ["KERAS_BACKEND"] = "jax"

from golden_values import Numbers, tensor, write  # noqa: E402

import jax  # noqa: E402
import keras  # noqa: E402
import keras_rs  # noqa: E402
import numpy as np  # noqa: E402

jax.config.update("jax_default_matmul_precision", "highest")
draw = Numbers(seed=31)

ROWS, DIM = 7, 3
MANY = np.array([[1, 4, 4], [0, 5, 2], [3, 3, 3], [5, 0, 1]], np.int32)  # not row 6
ONE = np.array([2, 0, 5, 1], np.int32)
WEIGHTS = draw.uniform(4, 3)
TABLE = draw(ROWS, DIM, low=-1, high=1)
LABELS = draw(4, DIM, low=-1, high=1)
OPTIMIZERS = {
    "SGD": lambda: keras.optimizers.SGD(0.1),
    "Adagrad": lambda: keras.optimizers.Adagrad(0.1, initial_accumulator_value=0.1),
    "FTRL": lambda: keras.optimizers.Ftrl(0.1, initial_accumulator_value=0.1),
    "Adam": lambda: keras.optimizers.Adam(0.1),
}


def layer(combiner):
    table = keras_rs.layers.TableConfig("table", ROWS, DIM, initializer="zeros", optimizer="sgd", combiner=combiner)
    made = keras_rs.layers.DistributedEmbedding({
        "many": keras_rs.layers.FeatureConfig("many", table, (4, 3), (4, DIM)),
        "one": keras_rs.layers.FeatureConfig("one", table, (4,), (4, DIM))})
    made.build({"many": MANY.shape, "one": ONE.shape})
    made.weights[0].assign(TABLE)
    return made


def activations():
    for combiner in ("sum", "mean", "sqrtn"):
        for weighted in (False, True):
            weights = {"many": WEIGHTS, "one": np.ones(4, np.float32)} if weighted else None
            given = layer(combiner)({"many": MANY, "one": ONE}, weights)
            yield {"combiner": combiner, "weighted": weighted, "many": tensor(np.asarray(given["many"])),
                   "one": tensor(np.asarray(given["one"]))}


def updates():
    for name, make in OPTIMIZERS.items():
        table = layer("mean")
        optimizer = make()

        def loss(value):
            given, _ = table.stateless_call([value], [], {"many": MANY, "one": ONE})
            return ((given["many"] + given["one"] - LABELS)**2).mean()

        optimizer.build(table.trainable_variables)
        for _ in range(3):
            gradient = jax.grad(loss)(table.trainable_variables[0].value)
            optimizer.apply([gradient], table.trainable_variables)
        yield {"optimizer": name, "table": tensor(np.asarray(table.weights[0])[:6])}


write("keras_rs", {"many": tensor(MANY), "one": tensor(ONE), "weights": tensor(WEIGHTS), "table": tensor(TABLE),
                   "labels": tensor(LABELS), "updates": list(updates()), "cases": list(activations())})
