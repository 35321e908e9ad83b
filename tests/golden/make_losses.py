"""Writes data/losses.json: what Keras's losses give, and their gradients by the predictions.

    python tests/golden/make_losses.py        (TensorFlow 2.21)

Each case names one of the pairs of labels and predictions in "data" and a sample weight or none.
tests/golden/losses_golden_test.cc has the same table of losses under the same names.
"""
from golden_values import Numbers, number, tensor, write

import keras
import numpy as np
import tensorflow as tf

draw = Numbers(seed=5)


def softmaxed(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.round(exps / exps.sum(axis=-1, keepdims=True), 3).astype(np.float32)


def one_hot(labels, classes):
    return np.eye(classes, dtype=np.float32)[labels]


CLASSES = np.array([2, 0, 3, 1], np.int32)
GRID = np.array([[1, 0, 2], [2, 2, 0]], np.int32)
IGNORED = np.array([2, -1, 3, 1], np.int32)
SCORES = draw(4, 4, low=-3, high=3)
GRID_SCORES = draw(2, 3, 3)

# name: (labels, predictions)
PAIRS = {
    "scores": (draw(4, 3), draw(4, 3)),
    "scores of sequences": (draw(2, 3, 2), draw(2, 3, 2)),
    "a score each": (draw(4), draw(4)),
    "scores with an axis more": (draw(4), draw(4, 1)),
    "binary": (draw.integers(2, 4, 3, dtype=np.float32), draw.uniform(4, 3)),
    "binary, sure": (np.array([[1, 0], [0, 1]], np.float32), np.array([[0, 0], [1, 1]], np.float32)),
    "binary logits": (draw.integers(2, 4, 3, dtype=np.float32), draw(4, 3, low=-5, high=5)),
    "binary integers, one each": (draw.integers(2, 4), draw.uniform(4, 1)),
    "classes": (CLASSES, softmaxed(SCORES)),
    "class logits": (CLASSES, SCORES),
    "class logits, column of labels": (CLASSES.reshape(4, 1), SCORES),
    "class logits of sequences": (GRID, GRID_SCORES),
    "class logits, some ignored": (IGNORED, SCORES),
    "one-hot": (one_hot(CLASSES, 4), softmaxed(SCORES)),
    "one-hot, not normalized": (one_hot(CLASSES, 4), draw.uniform(4, 4)),
    "one-hot logits": (one_hot(CLASSES, 4), SCORES),
    "one-hot logits of sequences": (one_hot(GRID, 3), GRID_SCORES),
    "one-hot logits, classes second": (np.swapaxes(one_hot(GRID, 3), 1, 2), GRID_SCORES),
    "distributions": (softmaxed(draw(3, 4)), softmaxed(draw(3, 4))),
    "distributions with zeros": (np.array([[0, 1], [0.5, 0.5]], np.float32),
                                 np.array([[0.5, 0.5], [0, 1]], np.float32)),
}

# name: (class, arguments, pairs)
LOSSES = {
    "mse": ("MeanSquaredError", {}, ("scores", "scores of sequences", "a score each",
                                     "scores with an axis more")),
    "mae": ("MeanAbsoluteError", {}, ("scores", "scores of sequences", "a score each")),
    "huber": ("Huber", {}, ("scores", "scores of sequences")),
    "huber, delta 0.5": ("Huber", {"delta": 0.5}, ("scores",)),
    "kl": ("KLDivergence", {}, ("distributions", "distributions with zeros")),
    "binary": ("BinaryCrossentropy", {}, ("binary", "binary, sure", "binary integers, one each")),
    "binary, logits": ("BinaryCrossentropy", {"from_logits": True}, ("binary logits",)),
    "binary, smoothed": ("BinaryCrossentropy", {"label_smoothing": 0.2}, ("binary",)),
    "binary, logits, smoothed": ("BinaryCrossentropy",
                                 {"from_logits": True, "label_smoothing": 0.3}, ("binary logits",)),
    "binary, axis 0": ("BinaryCrossentropy", {"axis": 0}, ("binary",)),
    "categorical": ("CategoricalCrossentropy", {}, ("one-hot", "one-hot, not normalized")),
    "categorical, logits": ("CategoricalCrossentropy", {"from_logits": True},
                            ("one-hot logits", "one-hot logits of sequences")),
    "categorical, smoothed": ("CategoricalCrossentropy", {"label_smoothing": 0.1}, ("one-hot",)),
    "categorical, logits, smoothed": ("CategoricalCrossentropy",
                                      {"from_logits": True, "label_smoothing": 0.2},
                                      ("one-hot logits",)),
    "categorical, logits, axis 1": ("CategoricalCrossentropy", {"from_logits": True, "axis": 1},
                                    ("one-hot logits, classes second",)),
    "sparse": ("SparseCategoricalCrossentropy", {}, ("classes",)),
    "sparse, logits": ("SparseCategoricalCrossentropy", {"from_logits": True},
                       ("class logits", "class logits, column of labels",
                        "class logits of sequences")),
    "sparse, logits, ignoring": ("SparseCategoricalCrossentropy",
                                 {"from_logits": True, "ignore_class": -1},
                                 ("class logits, some ignored",)),
    "sparse, ignoring 3": ("SparseCategoricalCrossentropy", {"ignore_class": 3}, ("classes",)),
}

REDUCTIONS = ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none")


def weights_for(pair):
    """None, then one for each loss. (Keras does not take one for each example of several losses.)"""
    yield None
    if "sequences" in pair or "second" in pair:
        yield np.array([[1, 0.5, 2], [0, 3, 1]], np.float32)
    else:
        yield np.array([0.5, 2, 0, 1.5], np.float32)[:PAIRS[pair][0].shape[0]]


def case(name, pair, reduction, weight):
    kind, arguments, _ = LOSSES[name]
    loss = getattr(keras.losses, kind)(reduction=reduction, **arguments)
    labels, predictions = (tf.constant(x) for x in PAIRS[pair])
    with tf.GradientTape() as tape:
        tape.watch(predictions)
        value = loss(labels, predictions, sample_weight=weight)
        total = tf.reduce_sum(value)
    result = {"loss": name, "data": pair}
    if reduction != "sum_over_batch_size":
        result["reduction"] = reduction
    if weight is not None:
        result["sample_weight"] = tensor(weight)
    result["value"] = tensor(value) if reduction == "none" else number(value)
    if weight is None and reduction == "sum_over_batch_size":
        result["gradient"] = tensor(tape.gradient(total, predictions))
    return result


def cases():
    for name, (_, _, pairs) in LOSSES.items():
        for pair in pairs:
            for weight in weights_for(pair) if "axis 0" not in name else [None]:
                # Reductions are one function for all losses: all of them for a few.
                several = name in ("mse", "sparse, logits", "binary")
                for reduction in REDUCTIONS if several else ("sum_over_batch_size", "none"):
                    yield case(name, pair, reduction, weight)


if __name__ == "__main__":
    pairs = {name: [tensor(x) for x in pair] for name, pair in PAIRS.items()}
    write("losses", {"data": pairs, "cases": list(cases())})
