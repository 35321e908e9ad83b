"""Writes data/metrics.json: what Keras's metrics give after each of several updates.

    python tests/golden/make_metrics.py       (TensorFlow 2.21)

Each case names one of the streams in "data": a list of updates (labels, predictions, sample
weight or null; or values alone). tests/golden/metrics_golden_test.cc has the same table of metrics
under the same names.
"""
from golden_values import Numbers, tensor, write

import keras
import numpy as np

draw = Numbers(seed=7)


def weight(*values):
    return np.array(values, np.float32)


def binary_stream():
    for rows, weights in ((6, None), (5, weight(1, 0.5, 2, 0, 3)), (3, None)):
        yield [draw.integers(2, rows, dtype=np.float32), draw.uniform(rows), weights]


def multilabel_stream(weight_each):
    each = weight(1, 2, 0.5, 0, 1, 1, 3, 1, 1).reshape(3, 3)
    for rows, weights in ((4, None), (3, each if weight_each else weight(0.5, 2, 1)), (2, None)):
        yield [draw.integers(2, rows, 3, dtype=np.float32), draw.uniform(rows, 3), weights]


def class_stream(dtype=np.int32):
    for rows, weights in ((5, None), (4, weight(0.5, 2, 0, 1)), (2, None)):
        yield [draw.integers(7, rows, dtype=dtype), draw(rows, 7), weights]


def one_hot_stream():
    for labels, scores, weights in class_stream():
        yield [np.eye(7, dtype=np.float32)[labels], scores, weights]


def sequence_stream():
    for rows, weights in ((2, None), (2, weight(0.5, 2)), (1, weight(1, 2, 0).reshape(1, 3))):
        yield [draw.integers(7, rows, 3), draw(rows, 3, 7), weights]


def score_stream():
    for rows, weights in ((3, None), (4, weight(1, 0.5, 2, 0))):
        yield [draw(rows, 2), draw(rows, 2), weights]


def integer_stream():
    for rows, weights in ((5, None), (4, weight(1, 0.5, 2, 0))):
        yield [draw.integers(3, rows), draw.integers(3, rows), weights]


def value_stream():
    yield [draw(4), None]
    yield [draw(3, 2), weight(1, 0.5, 2)]
    yield [np.float32(1.25), None]
    yield [np.float32(3.5), np.float32(2)]
    yield [draw(2, 2), weight(1, 2, 3, 4).reshape(2, 2)]


def two_columns_stream():
    for labels, scores, weights in class_stream():
        yield [np.eye(2, dtype=np.float32)[labels % 2], scores[:, :2], weights]


STREAMS = {
    "binary": list(binary_stream()),
    "binary logits": [[y, np.round(8 * p - 4, 2), w] for y, p, w in binary_stream()],
    "binary column": [[y[:, None], p[:, None], w] for y, p, w in binary_stream()],
    "multilabel": list(multilabel_stream(weight_each=False)),
    "multilabel, a weight each": list(multilabel_stream(weight_each=True)),
    "classes": list(class_stream()),
    "one-hot": list(one_hot_stream()),
    "sequences": list(sequence_stream()),
    "scores": list(score_stream()),
    "integers": list(integer_stream()),
    "values": list(value_stream()),
    "two columns": list(two_columns_stream()),
}

# name: (class, arguments, streams)
METRICS = {
    "mean": ("Mean", {}, ("values",)),
    "sum": ("Sum", {}, ("values",)),
    "accuracy": ("Accuracy", {}, ("integers",)),
    "binary accuracy": ("BinaryAccuracy", {}, ("binary", "binary column", "multilabel")),
    "binary accuracy at 0.3": ("BinaryAccuracy", {"threshold": 0.3}, ("binary", "multilabel")),
    "categorical accuracy": ("CategoricalAccuracy", {}, ("one-hot",)),
    "sparse categorical accuracy": ("SparseCategoricalAccuracy", {}, ("classes", "sequences")),
    "top 5": ("TopKCategoricalAccuracy", {}, ("one-hot",)),
    "top 2": ("TopKCategoricalAccuracy", {"k": 2}, ("one-hot",)),
    "sparse top 5": ("SparseTopKCategoricalAccuracy", {}, ("classes", "sequences")),
    "sparse top 3": ("SparseTopKCategoricalAccuracy", {"k": 3}, ("classes", "sequences")),
    "auc": ("AUC", {}, ("binary", "binary column", "multilabel",
                        "multilabel, a weight each")),
    "auc of 7 thresholds": ("AUC", {"num_thresholds": 7}, ("binary", "multilabel")),
    "auc of logits": ("AUC", {"from_logits": True}, ("binary logits",)),
    "auc of precision and recall": ("AUC", {"curve": "PR"}, ("binary", "multilabel")),
    "auc from below": ("AUC", {"num_thresholds": 9, "summation_method": "minoring"}, ("binary",)),
    "auc from above": ("AUC", {"num_thresholds": 9, "summation_method": "majoring"}, ("binary",)),
    "precision-recall auc from above": ("AUC", {"curve": "PR", "num_thresholds": 9,
                                                "summation_method": "majoring"}, ("binary",)),
    "precision": ("Precision", {}, ("binary", "binary column", "multilabel",
                                    "multilabel, a weight each")),
    "precision at 0.7": ("Precision", {"thresholds": 0.7}, ("binary",)),
    "precision at three": ("Precision", {"thresholds": [0.2, 0.5, 0.9]}, ("binary", "multilabel")),
    "precision of the top 2": ("Precision", {"top_k": 2}, ("multilabel",)),
    "precision of class 1": ("Precision", {"class_id": 1}, ("multilabel",)),
    "recall": ("Recall", {}, ("binary", "binary column", "multilabel",
                              "multilabel, a weight each")),
    "recall at 0.7": ("Recall", {"thresholds": 0.7}, ("binary",)),
    "recall at three": ("Recall", {"thresholds": [0.2, 0.5, 0.9]}, ("binary", "multilabel")),
    "recall of the top 2": ("Recall", {"top_k": 2}, ("multilabel",)),
    "recall of class 1": ("Recall", {"class_id": 1}, ("multilabel",)),
    "mse": ("MeanSquaredError", {}, ("scores",)),
    "mae": ("MeanAbsoluteError", {}, ("scores",)),
    "rmse": ("RootMeanSquaredError", {}, ("scores",)),
    "f1": ("F1Score", {}, ("one-hot", "multilabel", "two columns")),
    "f1, micro": ("F1Score", {"average": "micro"}, ("one-hot", "multilabel")),
    "f1, macro": ("F1Score", {"average": "macro"}, ("one-hot", "multilabel")),
    "f1, weighted": ("F1Score", {"average": "weighted"}, ("one-hot", "multilabel")),
    "f1 at 0.4": ("F1Score", {"threshold": 0.4}, ("multilabel",)),
    "f of beta 2": ("FBetaScore", {"beta": 2.0}, ("one-hot",)),
    "f of beta 0.5 at 0.4": ("FBetaScore", {"beta": 0.5, "threshold": 0.4, "average": "macro"},
                             ("multilabel",)),
}


def case(name, stream):
    kind, arguments, _ = METRICS[name]
    metric = getattr(keras.metrics, kind)(**arguments)
    results = []
    for *arrays, weights in STREAMS[stream]:
        metric.update_state(*arrays, sample_weight=weights)
        results.append(tensor(np.asarray(metric.result(), np.float32)))
    return {"metric": name, "data": stream, "results": results}


if __name__ == "__main__":
    data = {name: [[None if x is None else tensor(x) for x in update] for update in stream]
            for name, stream in STREAMS.items()}
    write("metrics", {"data": data, "cases": [case(name, stream) for name, (_, _, streams)
                                              in METRICS.items() for stream in streams]})
