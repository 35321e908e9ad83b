"""Writes feature_space.json: what keras.utils.FeatureSpace makes of a small table.

    python systolic/nn/layers/preprocessing/feature_space/golden/make_feature_space.py  (Keras 3.15, TensorFlow 2.21)
"""
import json
import os
import pathlib

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

Space = keras.utils.FeatureSpace
random = np.random.RandomState(5)
ROWS = 150
TABLE = {
    "age": np.round(random.uniform(1, 90, ROWS), 2).astype(np.float32),
    "height": np.round(random.normal(170, 12, ROWS), 1).astype(np.float32),
    "weekday": random.randint(0, 7, ROWS).astype(np.int32),
    "city": random.choice(["Bern", "Oslo", "Rome", "Lima"], ROWS, p=[0.4, 0.3, 0.2, 0.1]),
}
NEW = {
    "age": np.array([3.5, 44, 100], np.float32), "height": np.array([150, 170.5, 181], np.float32),
    "weekday": np.array([6, 9, 0], np.int32), "city": np.array(["Rome", "Paris", "Bern"]),
}


def rules():
    """Made anew for each space: what is learnt stays in the features."""
    return {
        "named": ({"age": "float_normalized", "height": "float", "weekday": "integer_categorical",
                   "city": "string_categorical"}, {}),
        "discretized": ({"age": Space.float_discretized(num_bins=4), "height": "float_discretized"},
                        {"num_discretization_bins": 6}),
        "rescaled": ({"height": Space.float_rescaled(scale=0.01, offset=-1.0)}, {}),
        "hashed": ({"weekday": "integer_hashed", "city": Space.string_hashed(num_bins=5)}, {"hashing_dim": 7}),
        "few tokens": ({"city": Space.string_categorical(max_tokens=3, num_oov_indices=2),
                        "weekday": Space.integer_categorical(max_tokens=4)}, {}),
        "crosses": ({"city": "string_categorical", "weekday": "integer_categorical"},
                    {"crosses": [("city", "weekday")], "crossing_dim": 9}),
        "numbers": ({"city": Space.string_categorical(output_mode="int"), "age": "float"},
                    {"output_mode": "dict"}),
    }


def array(values):
    values = np.asarray(values)
    return {"shape": list(values.shape), "values": [float(f"{float(x):.7g}") for x in values.ravel()]}


def column(values):
    if values.dtype.kind == "U":
        return {"texts": values.tolist()}
    return {"kind": "integers" if values.dtype.kind == "i" else "floats", **array(values)}


def outputs(space):
    result = space({name: NEW[name] for name in space.features})
    if isinstance(result, dict):
        return {name: array(one) for name, one in result.items()}
    return array(result)


def main():
    cases = {}
    # As rows, which FeatureSpace takes in batches of 32, and in batches of another size.
    for form, batch in (("rows", None), ("batches", 40)):
        for name, (features, options) in rules().items():
            space = Space(features, **options)
            data = tf.data.Dataset.from_tensor_slices({key: TABLE[key] for key in features})
            space.adapt(data if batch is None else data.batch(batch))
            cases[f"{name}, {form}"] = outputs(space)
    path = pathlib.Path(__file__).parent / "feature_space.json"
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items())
    table = json.dumps({name: column(values) for name, values in TABLE.items()})
    new = json.dumps({name: column(values) for name, values in NEW.items()})
    path.write_text(f'{{"made_by": "keras {keras.__version__}, tensorflow {tf.__version__}",\n"table": {table},\n'
                    f'"new": {new},\n"cases": {{\n{lines}\n}}}}\n')
    print(len(cases), path.stat().st_size)


main()
