"""What the recipes beside this file share: arrays as compact JSON, fixed inputs, the files' place."""
import json
import os
import pathlib

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np  # noqa: E402

DATA = pathlib.Path(__file__).parent / "data"


def number(value):
    """As many digits as tell an f32 from its neighbours: nine at most."""
    value = float(str(np.float32(value)))
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value if value != int(value) else int(value)


def tensor(values):
    """{"shape": ..., "values": ...}, f32 unless "dtype" says otherwise."""
    array = np.asarray(values)
    if array.dtype == np.float32:
        return {"shape": list(array.shape), "values": [number(x) for x in array.ravel()]}
    return {"dtype": array.dtype.name, "shape": list(array.shape),
            "values": array.ravel().tolist()}


class Numbers:
    """Arrays that are the same in every run: two decimals, none twice in one array."""

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)

    def __call__(self, *shape, low=-2.0, high=2.0):
        count = int(np.prod(shape))
        # Slots of equal width, one value in each: no two are equal, so that a maximum is unique.
        width = max((high - low) / max(count, 1), 0.01)
        places = self.random.permutation(count)
        return np.round(low + (places + 0.5) * width, 2).astype(np.float32).reshape(shape)

    def integers(self, below, *shape, dtype=np.int32):
        return self.random.randint(0, below, size=shape).astype(dtype)

    def uniform(self, *shape):
        return np.round(self.random.uniform(0.02, 0.98, size=shape), 2).astype(np.float32)


def write(name, content):
    """data/NAME.json: one case a line, so that a change shows in the right place."""
    import importlib

    import keras

    backend = keras.backend.backend()
    made_by = f"keras {keras.__version__}, {backend} {importlib.import_module(backend).__version__}"
    lines = [f'{{"made_by": {json.dumps(made_by)}']
    for key, value in content.items():
        if key == "cases":
            cases = ",\n".join(json.dumps(case, separators=(",", ":")) for case in value)
            lines.append(f'"cases": [\n{cases}\n]')
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}")
    DATA.mkdir(exist_ok=True)
    (DATA / f"{name}.json").write_text(",\n".join(lines) + "}\n")
