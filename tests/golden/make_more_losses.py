"""Writes data/more_losses.json, more_metrics.json, more_optimizers.json, more_schedules.json and
activations.json: what Keras gives on JAX.

    python tests/golden/make_more_losses.py        (Keras 3.15, JAX 0.10)

Each case has the class and its configuration as they are written here; tests/golden/from_config_golden_test.cc
makes the object from it.
"""
import os

os.environ["KERAS_BACKEND"] = "jax"

from golden_values import Numbers, number, tensor, write  # noqa: E402

import jax  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402

jax.config.update("jax_default_matmul_precision", "highest")
draw = Numbers(seed=23)


def softmaxed(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.round(exps / exps.sum(axis=-1, keepdims=True), 3).astype(np.float32)


def one_hot(labels, classes):
    return np.eye(classes, dtype=np.float32)[labels]


CLASSES = np.array([2, 0, 3, 1], np.int32)
SEQUENCES = np.array([[1, 2, 0], [3, 3, 1], [2, 0, 0], [0, 0, 0]], np.int32)
SIGNS = np.array([[1, -1, 1], [-1, -1, 1], [1, 1, 1], [-1, 1, -1]], np.float32)
APART = np.float32(0.005)
UNIT = draw(6, 3)
UNIT = (UNIT / np.linalg.norm(UNIT, axis=1, keepdims=True)).astype(np.float32)

# name: (labels, predictions)
PAIRS = {
    # Apart from where a loss has a corner, and no one derivative: no label is a prediction, no margin 0.
    "scores": (draw(4, 3), draw(4, 3) + APART),
    "scores of sequences": (draw(2, 3, 2), draw(2, 3, 2) + APART),
    "positive": (draw(4, 3, low=0.1, high=3), draw(4, 3, low=0.1, high=3)),
    "signs": (SIGNS, draw(4, 3)),
    "binary": (draw.integers(2, 4, 3, dtype=np.float32), draw.uniform(4, 3)),
    "binary logits": (draw.integers(2, 4, 3, dtype=np.float32), draw(4, 3, low=-4, high=4) + APART),
    "one-hot": (one_hot(CLASSES, 4), softmaxed(draw(4, 4))),
    "one-hot logits": (one_hot(CLASSES, 4), draw(4, 4, low=-3, high=3)),
    "classes": (CLASSES, softmaxed(draw(4, 4))),
    "maps": (draw.integers(2, 2, 3, 3, 1, dtype=np.float32), draw.uniform(2, 3, 3, 1)),
    "embeddings": (np.array([0, 1, 0, 2, 1, 0], np.int32), UNIT),
    "label sequences": (SEQUENCES, draw(4, 7, 4, low=-3, high=3)),
}

LOSSES = [
    ("MeanAbsolutePercentageError", {}, ("scores", "scores of sequences")),
    ("MeanSquaredLogarithmicError", {}, ("positive", "scores")),
    ("CosineSimilarity", {}, ("scores", "scores of sequences")),
    ("CosineSimilarity", {"axis": 1}, ("scores of sequences",)),
    ("LogCosh", {}, ("scores", "scores of sequences")),
    ("Poisson", {}, ("positive",)),
    ("Hinge", {}, ("signs", "binary logits", "scores")),
    ("SquaredHinge", {}, ("signs", "binary logits")),
    ("CategoricalHinge", {}, ("one-hot logits",)),
    ("BinaryFocalCrossentropy", {}, ("binary",)),
    ("BinaryFocalCrossentropy", {"apply_class_balancing": True, "alpha": 0.3, "gamma": 1.5}, ("binary",)),
    ("BinaryFocalCrossentropy", {"from_logits": True, "label_smoothing": 0.2}, ("binary logits",)),
    ("CategoricalFocalCrossentropy", {}, ("one-hot",)),
    ("CategoricalFocalCrossentropy", {"alpha": [0.1, 0.2, 0.3, 0.4], "gamma": 3.0, "label_smoothing": 0.1},
     ("one-hot",)),
    ("CategoricalFocalCrossentropy", {"from_logits": True}, ("one-hot logits",)),
    ("CategoricalGeneralizedCrossEntropy", {}, ("classes",)),
    ("CategoricalGeneralizedCrossEntropy", {"q": 0.8}, ("classes",)),
    ("CTC", {}, ("label sequences",)),
    ("Dice", {}, ("maps", "binary")),
    ("Dice", {"axis": [1, 2, 3]}, ("maps",)),
    ("Tversky", {"alpha": 0.3, "beta": 0.7}, ("maps",)),
    ("Tversky", {"axis": [1, 2]}, ("maps",)),
    ("Circle", {}, ("embeddings",)),
    ("Circle", {"gamma": 4.0, "margin": 0.25, "remove_diagonal": False}, ("embeddings",)),
]


def for_keras(config):
    return {name: tuple(value) if name == "axis" and isinstance(value, list) else
            [float(x) for x in value] if isinstance(value, list) and name == "alpha" else value
            for name, value in config.items()}


def loss_case(kind, config, pair, reduction, weights):
    loss = getattr(keras.losses, kind)(reduction=reduction, **for_keras(config))
    labels, predictions = PAIRS[pair]

    def total(x):
        return keras.ops.sum(loss(labels, x, sample_weight=weights))

    value = loss(labels, predictions, sample_weight=weights)
    result = {"class_name": kind, "config": {**config, "reduction": reduction}, "data": pair,
              "value": tensor(value) if reduction == "none" else number(value)}
    if weights is not None:
        result["sample_weight"] = tensor(weights)
    else:
        result["gradient"] = tensor(jax.grad(total)(predictions))
    return result


def loss_cases():
    for kind, config, pairs in LOSSES:
        for pair in pairs:
            yield loss_case(kind, config, pair, "sum_over_batch_size", None)
            if kind != "Circle":  # whose losses of 0 Keras does not count
                yield loss_case(kind, config, pair, "none", None)
            if kind in ("Dice", "Tversky", "Circle") or "sequences" in pair and kind != "CTC":
                continue
            yield loss_case(kind, config, pair, "sum_over_batch_size", np.array([0.5, 2, 0, 1.5], np.float32))


def weight(*values):
    return np.array(values, np.float32)


def binary_stream():
    for rows, weights in ((6, None), (5, weight(1, 0.5, 2, 0, 3)), (3, None)):
        yield [draw.integers(2, rows, dtype=np.float32), draw.uniform(rows), weights]


def table_stream():
    for rows, weights in ((4, None), (3, weight(0.5, 2, 1))):
        yield [draw.integers(2, rows, 3, dtype=np.float32), draw.uniform(rows, 3), weights]


def score_stream():
    for rows, weights in ((5, None), (4, weight(1, 0.5, 2, 0)), (3, None)):
        yield [draw(rows, 3), draw(rows, 3), weights]


def positive_stream():
    for rows, weights in ((5, None), (4, weight(1, 0.5, 2, 0))):
        yield [draw(rows, 3, low=0.1, high=3), draw(rows, 3, low=0.1, high=3), weights]


def class_stream():
    for rows, weights in ((9, None), (8, weight(1, 2, 0, 3, 1, 1, 2, 1)), (5, None)):
        yield [draw.integers(4, rows), draw.integers(4, rows), weights]


def class_score_stream():
    for labels, said, weights in class_stream():
        yield [labels, draw(len(said), 4), weights]


def one_hot_stream():
    for labels, said, weights in class_stream():
        yield [one_hot(labels, 4), draw(len(said), 4), weights]


def whole_binary_stream():
    for rows, weights in ((6, None), (5, weight(1, 3, 2, 0, 3))):
        yield [draw.integers(2, rows), draw.uniform(rows), weights]


STREAMS = {name: list(stream()) for name, stream in {
    "binary": binary_stream, "table": table_stream, "scores": score_stream, "positive": positive_stream,
    "classes": class_stream, "class scores": class_score_stream, "one-hot": one_hot_stream,
    "binary, whole weights": whole_binary_stream}.items()}

METRICS = [
    *((kind, config, ("binary", "table")) for kind in ("TruePositives", "FalsePositives", "TrueNegatives",
                                                       "FalseNegatives")
      for config in ({}, {"thresholds": 0.3}, {"thresholds": [0.2, 0.7]})),
    *((kind, {argument: least, **more}, ("table",) if more.get("class_id") else ("binary", "table"))
      for kind, argument in (("SensitivityAtSpecificity", "specificity"),
                             ("SpecificityAtSensitivity", "sensitivity"), ("PrecisionAtRecall", "recall"),
                             ("RecallAtPrecision", "precision"))
      for least, more in ((0.5, {}), (0.9, {"num_thresholds": 11}), (0.6, {"class_id": 1}),
                          (0.4, {"num_thresholds": 1}))),
    ("IoU", {"num_classes": 4, "target_class_ids": [0, 2]}, ("classes",)),
    ("IoU", {"num_classes": 4, "target_class_ids": [1], "sparse_y_pred": False}, ("class scores",)),
    ("IoU", {"num_classes": 4, "target_class_ids": [1, 3], "ignore_class": 2}, ("classes",)),
    ("MeanIoU", {"num_classes": 4}, ("classes",)),
    ("MeanIoU", {"num_classes": 3}, ("classes",)),
    ("MeanIoU", {"num_classes": 4, "ignore_class": 0, "sparse_y_pred": False}, ("class scores",)),
    ("OneHotIoU", {"num_classes": 4, "target_class_ids": [0, 1]}, ("one-hot",)),
    ("OneHotMeanIoU", {"num_classes": 4}, ("one-hot",)),
    ("BinaryIoU", {}, ("binary, whole weights",)),
    ("BinaryIoU", {"target_class_ids": [1], "threshold": 0.3}, ("binary, whole weights",)),
    ("R2Score", {}, ("scores",)),
    ("R2Score", {"class_aggregation": "variance_weighted_average"}, ("scores",)),
    ("R2Score", {"class_aggregation": "none"}, ("scores",)),
    ("PearsonCorrelation", {}, ("scores",)),
    ("ConcordanceCorrelation", {}, ("scores",)),
    ("CosineSimilarity", {}, ("scores",)),
    ("LogCoshError", {}, ("scores",)),
    ("MeanAbsolutePercentageError", {}, ("scores",)),
    ("MeanSquaredLogarithmicError", {}, ("positive",)),
    ("Poisson", {}, ("positive",)),
    ("Hinge", {}, ("scores", "table")),
    ("SquaredHinge", {}, ("table",)),
    ("CategoricalHinge", {}, ("one-hot",)),
]


def metric_case(kind, config, stream):
    given = {name: None if value == "none" else value for name, value in config.items()}
    metric = getattr(keras.metrics, kind)(**given)
    results = []
    for labels, predictions, weights in STREAMS[stream]:
        metric.update_state(labels, predictions, sample_weight=weights)
        results.append(tensor(np.asarray(metric.result(), np.float32)))
    return {"class_name": kind, "config": config, "data": stream, "results": results}


START = [draw(2, 3), draw(2), draw(4, 3)]
GRADIENTS = [[draw(*x.shape) for x in START] for _ in range(5)]
OPTIMIZERS = [
    ("Adadelta", {"learning_rate": 1.0}),
    ("Adadelta", {"learning_rate": 0.5, "rho": 0.8, "epsilon": 1e-3, "weight_decay": 0.1}),
    ("Adafactor", {"learning_rate": 0.05}),
    ("Adafactor", {"learning_rate": 0.5, "clip_threshold": 0.5, "beta_2_decay": -0.5, "weight_decay": 0.02}),
    ("Adamax", {"learning_rate": 0.05}),
    ("Adamax", {"learning_rate": 0.1, "beta_1": 0.7, "beta_2": 0.9, "epsilon": 1e-3}),
    ("Ftrl", {"learning_rate": 0.1}),
    ("Ftrl", {"learning_rate": 0.3, "learning_rate_power": -0.4, "initial_accumulator_value": 0.2,
              "l1_regularization_strength": 0.1, "l2_regularization_strength": 0.05,
              "l2_shrinkage_regularization_strength": 0.02, "beta": 0.1}),
    ("Lion", {"learning_rate": 0.05}),
    ("Lion", {"learning_rate": 0.1, "beta_1": 0.6, "beta_2": 0.8, "weight_decay": 0.1}),
    ("Muon", {"learning_rate": 0.05}),
    ("Muon", {"learning_rate": 0.1, "nesterov": False, "ns_steps": 3, "momentum": 0.8, "adam_lr_ratio": 0.5,
              "weight_decay": 0.1, "adam_weight_decay": 0.2}),
    ("Nadam", {"learning_rate": 0.05}),
    ("Nadam", {"learning_rate": 0.1, "beta_1": 0.7, "beta_2": 0.9, "weight_decay": 0.05}),
    ("ScheduleFreeAdamW", {"learning_rate": 0.05}),
    ("ScheduleFreeAdamW", {"learning_rate": 0.1, "beta_1": 0.8, "warmup_steps": 3, "weight_decay": 0.05}),
]

SCHEDULES = [
    ("InverseTimeDecay", {"initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5}),
    ("InverseTimeDecay", {"initial_learning_rate": 0.1, "decay_steps": 4, "decay_rate": 2.0, "staircase": True}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 7}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.2, "first_decay_steps": 6, "t_mul": 1.0, "m_mul": 0.5,
                             "alpha": 0.1}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.2, "first_decay_steps": 6, "t_mul": 1.5, "m_mul": 0.8}),
]
# Apart from the first steps of a round, where a rounding of the quotient decides which round it is.
STEPS = [0, 1, 2, 3, 5, 8, 9, 11, 14, 16, 17, 20, 23, 25, 40, 100]

ACTIVATIONS = ["hard_shrink", "soft_shrink", "tanh_shrink", "squareplus", "sparse_plus", "sparse_sigmoid",
               "sparsemax", "glu"]
ACTIVATED = [draw(3, 4), draw(2, 2, 6, low=-4, high=4)]


def optimizer_case(kind, config):
    optimizer = getattr(keras.optimizers, kind)(**config)
    variables = [keras.Variable(value, name=f"weight_{i}") for i, value in enumerate(START)]
    steps = []
    for gradients in GRADIENTS:
        optimizer.apply([keras.ops.convert_to_tensor(g) for g in gradients], variables)
        steps.append([tensor(np.asarray(variable)) for variable in variables])
    return {"class_name": kind, "config": config, "steps": steps}


def schedule_case(kind, config):
    schedule = getattr(keras.optimizers.schedules, kind)(**config)
    return {"class_name": kind, "config": config, "rates": [number(schedule(np.float32(step))) for step in STEPS]}


def activation_case(name, x):
    function = getattr(keras.activations, name)
    y = function(x)
    cotangent = draw(*y.shape, low=-1, high=1)
    gradient = jax.grad(lambda x: keras.ops.sum(function(x) * cotangent))(x)
    return {"activation": name, "input": tensor(x), "output": tensor(np.asarray(y)),
            "cotangent": tensor(cotangent), "gradient": tensor(np.asarray(gradient))}


if __name__ == "__main__":
    write("more_losses", {"data": {name: [tensor(x) for x in pair] for name, pair in PAIRS.items()},
                          "cases": list(loss_cases())})
    write("more_metrics", {
        "data": {name: [[None if x is None else tensor(x) for x in update] for update in stream]
                 for name, stream in STREAMS.items()},
        "cases": [metric_case(kind, config, stream) for kind, config, streams in METRICS for stream in streams]})
    write("more_optimizers", {"start": [tensor(x) for x in START],
                              "gradients": [[tensor(x) for x in step] for step in GRADIENTS],
                              "cases": [optimizer_case(*row) for row in OPTIMIZERS]})
    write("more_schedules", {"steps": STEPS, "cases": [schedule_case(*row) for row in SCHEDULES]})
    write("activations", {"cases": [activation_case(name, x) for name in ACTIVATIONS for x in ACTIVATED]})
