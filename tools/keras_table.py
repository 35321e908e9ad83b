#!/usr/bin/env python3
"""Writes the tables of docs/keras.md that say, for each public name of Keras, whether it is here.

    tools/keras_table.py            writes them
    tools/keras_table.py --check    exit code 1 where they are not as they would be written

Keras's names are those of tests/golden/data/keras_names.json; ours are read from the headers. What is in
no list of reasons below is "not yet".
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "keras.md"
START, END = "<!-- tables of tools/keras_table.py -->", "<!-- end of the tables -->"

NEEDS_PYTHON = "runs a program of Python, or of another framework"
FOLDER = {
    "losses": "systolic/nn/losses", "metrics": "systolic/nn/metrics", "optimizers": "systolic/nn/optimizers",
    "optimizers.schedules": "systolic/nn/optimizers/schedules", "initializers": "systolic/nn/initializers",
}
# Names that stand for something of ours with another name, or for something that will not come.
REASONS = {
    "layers": {
        NEEDS_PYTHON: ["FlaxLayer", "JaxLayer", "TFSMLayer", "TorchModuleWrapper"],
        "a struct with a `call`": ["Lambda"],
        "`ActivationLayer`: `Activation` is the type of the field": ["Activation"],
        "`IdentityLayer`: `Identity` is the initializer": ["Identity"],
        "`Input`": ["InputLayer"],
        "in a dataset's `map`: [image.h](../systolic/image/image.h)": [
            "AutoContrast", "CutMix", "Equalization", "MixUp", "RandAugment", "RandomBrightness", "RandomContrast",
            "RandomCrop", "RandomHue", "RandomSaturation", "Resizing", "Solarization"],
    },
    "losses": {},
    "metrics": {
        "the loss of that name is a metric, too": [
            "BinaryCrossentropy", "CategoricalCrossentropy", "KLDivergence", "MeanAbsoluteError", "MeanSquaredError",
            "SparseCategoricalCrossentropy", "CategoricalHinge", "CosineSimilarity", "Hinge",
            "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "Poisson", "SquaredHinge"],
        "`Metric::from_function`": ["MeanMetricWrapper"],
    },
    "optimizers": {"`mixed_bfloat16` needs no scale of the loss; `mixed_float16` has none yet": ["LossScaleOptimizer"]},
    "optimizers.schedules": {},
    "initializers": {"the same as the name without `Initializer`": ["IdentityInitializer", "OrthogonalInitializer"]},
    "regularizers": {
        "`Regularizer`, whose fields are `l1` and `l2`": ["L1", "L1L2", "L2"],
        "`Regularizer`, whose fields are `orthogonal_rows` and `orthogonal_columns`": ["OrthogonalRegularizer"],
    },
    "constraints": {},
    "activations": {"takes numbers: `[](const Tensor& x) { return where(x > 0.5, x, 0.0); }`": ["threshold"]},
}


def aliases():
    text = (ROOT / "systolic/nn/layers/aliases.h").read_text()
    return re.findall(r"using (\w+) =", text)


def names_of_choice(header):
    """Those of its SYSTOLIC_NAMES(throw "... must be one of: ...")."""
    return re.search(r"SYSTOLIC_NAMES\(\s*throw \"[\w ]+: ([\w ]+)\"", header)[1].split()


def ours(module):
    """The names that are here."""
    if module == "layers":
        text = (ROOT / "systolic/nn/layers/all.h").read_text()
        listed = re.sub(r"//.*", "", text[text.index("using AllLayers"):text.index(">;")])
        return set(re.findall(r"\w+", listed)) | set(aliases())
    if module == "activations":
        text = (ROOT / "systolic/nn/activation.h").read_text()
        return set(names_of_choice(text))
    found = set()
    for header in (ROOT / FOLDER[module]).rglob("*.h") if module in FOLDER else ():
        text = header.read_text()
        found |= set(re.findall(r"^(?:struct (?=\w+ \{)|using (?=\w+ =)|SYSTOLIC_RATE_AT_RATE\()(\w+)", text,
                                re.MULTILINE))
    if module == "initializers":
        names = (ROOT / "systolic/nn/initializers/initializer.h").read_text()
        short = names_of_choice(names)
        found |= {"".join(part.capitalize() for part in name.split("_")) for name in short}
    return found


def rows_of(module, names):
    here = ours(module)
    present = [name for name in names if name in here]
    left = [name for name in names if name not in here]
    yield present, "here"
    for reason, those in REASONS[module].items():
        told = [name for name in left if name in those]
        left = [name for name in left if name not in those]
        if told:
            yield told, reason
    if left:
        yield left, "not yet"


def tables():
    listing = json.loads((ROOT / "tests/golden/data/keras_names.json").read_text())
    lines = [f"The names of {listing['made_by'].replace('keras', 'Keras')}:", "", "| | | |", "|---|---|---|"]
    for module, names in listing.items():
        if module == "made_by":
            continue
        for told, reason in rows_of(module, names):
            shown = " ".join(f"`{name}`" for name in told)
            if told:
                lines.append(f"| `{module}` | {reason} | {shown} |")
    return "\n".join(lines)


def main():
    text = PAGE.read_text()
    before, rest = text.split(START)
    written = before + START + "\n" + tables() + "\n" + END + rest.split(END)[1]
    if "--check" in sys.argv:
        if written != text:
            print("docs/keras.md is not what tools/keras_table.py writes: run it", file=sys.stderr)
        return int(written != text)
    PAGE.write_text(written)
    return 0


sys.exit(main())
