"""Writes preprocessing.json: what Keras's lookups, hashes and texts give.

    python systolic/nn/layers/preprocessing/golden/make_preprocessing.py     (Keras 3.15, TensorFlow 2.21)
"""
import json
import os
import pathlib

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

L = keras.layers
TEXTS = ["The quick brown fox jumps over the lazy dog.", "A dog; a fox! A FOX?", "  don't\tpanic \n", "",
         "Über-große Füchse, naïve dogs: 100% (really)", "the the the"]
WORDS = [["dog", "cat", "cat"], ["fish", "", "cat"], ["[UNK]", "bird", "dog"], ["Ünï", "a much longer word than others", "x"]]
NUMBERS = [[12, 36, 36], [-7, 1138, 42], [0, -1, 5], [2**40, 36, 99]]


def array(values):
    values = np.asarray(values)
    if values.dtype.kind in "SOU":
        flat = [x.decode() if isinstance(x, bytes) else x for x in values.ravel().tolist()]
        return {"dtype": "string", "shape": list(values.shape), "values": flat}
    return {"dtype": {"f": "f32", "i": "i64"}[values.dtype.kind], "shape": list(values.shape),
            "values": values.ravel().tolist()}


def tensor_of(values):
    return tf.constant(values)


def case(kind, config, inputs, adapt=None, name=None):
    layer = getattr(L, kind)(**config)
    if adapt is not None:
        layer.adapt(np.array(adapt))
    several = kind == "HashedCrossing"
    xs = [tensor_of(x) for x in (inputs if several else [inputs])]
    y = layer(xs if several else xs[0])
    row_splits = None
    if isinstance(y, tf.RaggedTensor):
        row_splits, y = array(y.row_splits.numpy()), y.values
    one = {"kind": kind, "config": config, "inputs": [array(x.numpy()) for x in xs], "output": array(y.numpy())}
    if row_splits is not None:
        one["row_splits"] = row_splits
    if adapt is not None:
        one["adapt"] = array(np.array(adapt))
    if hasattr(layer, "get_vocabulary"):
        one["vocabulary"] = [str(token) for token in layer.get_vocabulary()]
    return one


def string_lookups():
    kind = "StringLookup"
    words = ["dog", "cat", "Ünï"]
    yield case(kind, {"vocabulary": words}, WORDS)
    yield case(kind, {"vocabulary": words}, "cat")
    yield case(kind, {"vocabulary": words, "mask_token": ""}, WORDS)
    yield case(kind, {"vocabulary": ["", "[UNK]"] + words, "mask_token": ""}, WORDS)
    yield case(kind, {"vocabulary": words, "num_oov_indices": 4}, WORDS)
    yield case(kind, {"vocabulary": words, "num_oov_indices": 5, "salt": [133, 137]}, WORDS)
    yield case(kind, {"vocabulary": words, "num_oov_indices": 0}, [["dog", "Ünï"], ["cat", "cat"]])
    yield case(kind, {"vocabulary": words, "mask_token": "", "invert": True}, [[0, 1, 2], [3, 4, 9]])
    yield case(kind, {"vocabulary": words, "invert": True}, [[0, 1], [3, -1]])
    for mode in ("one_hot", "multi_hot", "count"):
        yield case(kind, {"vocabulary": words, "mask_token": "", "num_oov_indices": 2, "output_mode": mode}, WORDS)
        yield case(kind, {"vocabulary": words, "output_mode": mode}, ["cat", "nobody"])
        yield case(kind, {"vocabulary": words, "output_mode": mode}, [["cat"], ["nobody"]])
        yield case(kind, {"vocabulary": words, "output_mode": mode, "max_tokens": 7, "pad_to_max_tokens": True}, WORDS)
    yield case(kind, {"vocabulary": words, "output_mode": "tf_idf", "idf_weights": [0.5, 0.25, 2.0]}, WORDS)
    yield case(kind, {"vocabulary": ["[UNK]"] + words, "output_mode": "tf_idf",
                      "idf_weights": [0.75, 0.5, 0.25, 2.0]}, WORDS)
    many = [["b", "a", "a"], ["c", "b", "a"], ["d", "e", "[UNK]"]]
    yield case(kind, {}, many, adapt=many)
    yield case(kind, {"max_tokens": 4, "mask_token": "a"}, many, adapt=many)
    yield case(kind, {"output_mode": "tf_idf"}, many, adapt=many)
    yield case(kind, {"output_mode": "tf_idf", "max_tokens": 9, "pad_to_max_tokens": True}, many, adapt=many)
    yield case(kind, {"output_mode": "tf_idf"}, ["a", "b"], adapt=["a", "b", "b", "c"])


def integer_lookups():
    kind = "IntegerLookup"
    tokens = [36, 12, 1138, 42]
    yield case(kind, {"vocabulary": tokens}, NUMBERS)
    yield case(kind, {"vocabulary": tokens, "mask_token": 0}, NUMBERS)
    yield case(kind, {"vocabulary": tokens, "num_oov_indices": 3}, NUMBERS)
    yield case(kind, {"vocabulary": tokens, "num_oov_indices": 3, "oov_method": "farmhash"}, NUMBERS)
    yield case(kind, {"vocabulary": tokens, "num_oov_indices": 3, "oov_method": "farmhash", "salt": [7, 9]}, NUMBERS)
    yield case(kind, {"vocabulary": tokens, "mask_token": 0, "invert": True}, [[0, 1, 2], [3, 4, 5]])
    for mode in ("one_hot", "multi_hot", "count"):
        yield case(kind, {"vocabulary": tokens, "mask_token": 0, "output_mode": mode}, NUMBERS)
    yield case(kind, {"vocabulary": tokens, "output_mode": "tf_idf", "idf_weights": [0.5, 0.25, 2.0, 1.5]}, NUMBERS)
    yield case(kind, {"max_tokens": 4}, NUMBERS, adapt=NUMBERS)
    yield case(kind, {"output_mode": "tf_idf"}, NUMBERS, adapt=NUMBERS)


def hashes():
    kind = "Hashing"
    long = ["x" * n for n in (0, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 200)]
    for config in ({}, {"salt": [133, 137]}, {"salt": 133}):
        yield case(kind, {"num_bins": 1000003, **config}, long)
        yield case(kind, {"num_bins": 7, **config}, NUMBERS)
        yield case(kind, {"num_bins": 4, "mask_value": "", **config}, WORDS)
    yield case(kind, {"num_bins": 5, "mask_value": 0}, NUMBERS)
    for mode in ("one_hot", "multi_hot", "count"):
        yield case(kind, {"num_bins": 5, "output_mode": mode}, WORDS)
        yield case(kind, {"num_bins": 5, "output_mode": mode}, [["a"], ["b"]])
    kind = "HashedCrossing"
    yield case(kind, {"num_bins": 5}, [["A", "B", "A", "B", "A"], [101, 101, 101, 102, 102]])
    yield case(kind, {"num_bins": 1000003}, [["A", "B"], [-5, 2**40], ["", "a longer text than eight"]])
    yield case(kind, {"num_bins": 5, "output_mode": "one_hot"}, [[["A"], ["B"]], [[1], [2]]])
    yield case(kind, {"num_bins": 50}, ["A", 7])


def texts():
    kind = "TextVectorization"
    words = ["the", "fox", "dog", "a", "dont", "füchse", "the lazy", "the the"]
    yield case(kind, {"vocabulary": words}, TEXTS)
    yield case(kind, {"vocabulary": words}, [[text] for text in TEXTS])
    yield case(kind, {"vocabulary": words}, TEXTS[0])
    for length in (1, 3, 20):
        yield case(kind, {"vocabulary": words, "output_sequence_length": length}, TEXTS)
    for standardize in (None, "lower", "strip_punctuation"):
        yield case(kind, {"standardize": standardize}, TEXTS, adapt=TEXTS)
    yield case(kind, {"split": "character"}, TEXTS, adapt=TEXTS)
    yield case(kind, {"split": None}, [["a b", "c"], ["c", "A B"]], adapt=[["a b", "c"], ["c", "A B"]])
    yield case(kind, {"split": None, "vocabulary": ["c"]}, ["a b", "c"])
    yield case(kind, {"vocabulary": words, "ngrams": 2}, TEXTS)
    yield case(kind, {"ngrams": 3}, TEXTS, adapt=TEXTS)
    for mode in ("multi_hot", "count", "tf_idf"):
        yield case(kind, {"output_mode": mode}, TEXTS, adapt=TEXTS)
        yield case(kind, {"output_mode": mode, "max_tokens": 6}, TEXTS, adapt=TEXTS)
        yield case(kind, {"output_mode": mode, "max_tokens": 90, "pad_to_max_tokens": True, "ngrams": 2}, TEXTS,
                   adapt=TEXTS)
        yield case(kind, {"output_mode": mode}, TEXTS[1], adapt=TEXTS)
    yield case(kind, {"max_tokens": 5}, TEXTS, adapt=TEXTS)
    yield case(kind, {"vocabulary": words, "ragged": True}, TEXTS)


def normalizations():
    random = np.random.RandomState(0)
    data = np.round(random.normal(3, 2, (4, 3, 2)), 2).astype(np.float32)
    for config in ({}, {"axis": None}, {"axis": 1}, {"axis": [1, 2]}, {"invert": True}, {"axis": [-1, 1]}):
        layer = L.Normalization(**config)
        layer.adapt(data)
        y = layer(data[:2]).numpy()
        yield {"kind": "Normalization", "config": config, "inputs": [array(data[:2])], "adapt": array(data),
               "output": array(y)}
    for config in ({"mean": 3.0, "variance": 4.0}, {"mean": [1.0, 2.0], "variance": [4.0, 0.0]},
                   {"axis": [1, 2], "mean": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
                    "variance": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]},
                   {"axis": [1, 2], "mean": [1.0, 2.0], "variance": [3.0, 4.0], "invert": True}):
        y = L.Normalization(**config)(data[:2]).numpy()
        yield {"kind": "Normalization", "config": config, "inputs": [array(data[:2])], "output": array(y)}


def main():
    cases = [*string_lookups(), *integer_lookups(), *hashes(), *texts(), *normalizations()]
    lines = ",\n".join(json.dumps(one, separators=(",", ":"), ensure_ascii=False) for one in cases)
    made_by = f"keras {keras.__version__}, tensorflow {tf.__version__}"
    path = pathlib.Path(__file__).parent / "preprocessing.json"
    path.write_text(f'{{"made_by": "{made_by}",\n"cases": [\n{lines}\n]}}\n')
    print(len(cases), path.stat().st_size)


main()
