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
    "constraints": "systolic/nn/constraints", "callbacks": "systolic/train/callbacks",
}
# Names that stand for something of ours with another name, or for something that will not come.
REASONS = {
    "layers": {
        NEEDS_PYTHON: ["FlaxLayer", "JaxLayer", "TFSMLayer", "TorchModuleWrapper"],
        "a struct with a `call`": ["Lambda"],
        "`ActivationLayer`: `Activation` is the type of the field": ["Activation"],
        "`IdentityLayer`: `Identity` is the initializer": ["Identity"],
        "`Input`": ["InputLayer"],
        "no layer moves boxes along with pictures": ["MaxNumBoundingBoxes"],
    },
    "losses": {},
    "metrics": {
        "the loss of that name is a metric, too": [
            "BinaryCrossentropy", "CategoricalCrossentropy", "KLDivergence", "MeanAbsoluteError", "MeanSquaredError",
            "SparseCategoricalCrossentropy", "CategoricalHinge", "CosineSimilarity", "Hinge",
            "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "Poisson", "SquaredHinge"],
        "`Metric::from_function`": ["MeanMetricWrapper"],
    },
    "optimizers": {},
    "optimizers.schedules": {},
    "initializers": {"the same as the name without `Initializer`": ["IdentityInitializer", "OrthogonalInitializer", "STFTInitializer"]},
    "regularizers": {
        "`Regularizer`, whose fields are `l1` and `l2`": ["L1", "L1L2", "L2"],
        "`Regularizer`, whose fields are `orthogonal_rows` and `orthogonal_columns`": ["OrthogonalRegularizer"],
    },
    "constraints": {},
    "activations": {"takes numbers: `[](const Tensor& x) { return where(x > 0.5, x, 0.0); }`": ["threshold"]},
    "callbacks": {
        "the base that yours derive from, and the list that `fit` makes": ["Callback", "CallbackList"],
        "what `fit` returns": ["History"],
        "what `fit` prints": ["ProgbarLogger"],
        "checkpoints of JAX's own library; `CheckpointManager` keeps several, `BackupAndRestore` goes on": ["OrbaxCheckpoint"],
    },
    "ops": {
        "`CTC{}`: the loss, whose gradient is its own; texts of its outputs are found on the host": ["ctc_loss", "ctc_decode"],
        "`x[{...}]`": ["get_item"],
        "`switch_case`: `switch` is C++'s": ["switch"],
        "`GradientTape`": ["jvp"],
        "`stop_gradient` in a formula: `f(x) + stop_gradient(g(x) - f(x))` has the value of g and the gradient of f": [
            "custom_gradient"],
        "`map`, and ops that broadcast": ["vectorize"],
        "`reshape`; `cast` for values of another type": ["view"],
        "how many elements it gives is known only when a program runs; `unique` and `top_k` are told": ["nonzero"],
        "decompositions that StableHLO has no op for; `solve`, `inv`, `det` and `cholesky` are here": [
            "eig", "eigh", "lstsq", "lu_factor", "matrix_rank", "pinv", "qr", "svd"],
    },
    "ops.image": {},
    "random": {
        "keys: `fold_in`, `set_seed`": ["SeedGenerator"],
    },
    "utils": {
        "here": ["normalize", "pad_sequences", "split_dataset", "to_categorical", "image_dataset_from_directory",
                 "text_dataset_from_directory", "audio_dataset_from_directory", "timeseries_dataset_from_array",
                 "FeatureSpace", "plot_model", "model_to_dot"],
        "`set_seed`": ["set_random_seed"],
        "`Config`": ["Config"],
        "`register_layer<YourLayer>()`": [
            "register_keras_serializable", "CustomObjectScope", "custom_object_scope", "get_custom_objects",
            "get_registered_name", "get_registered_object"],
        "`get_config`, `layer_from_config`": ["serialize_keras_object", "deserialize_keras_object"],
        "`data::from_generator`, and `ProgressSink` for a loop of one's own": ["PyDataset", "Sequence", "Progbar"],
        "`.verbose` of `fit`": [
            "disable_interactive_logging", "enable_interactive_logging", "is_interactive_logging_enabled"],
        "batches are pairs or triples of arrays": ["pack_x_y_sample_weight", "unpack_x_y_sample_weight"],
        "there is no global state to clear": ["clear_session"],
        "types tell a `Symbol` from a `Tensor`; `DType` is one already": [
            "is_keras_tensor", "get_source_inputs", "standardize_dtype"],
        "pictures as arrays, from files and into them: [image.h](../systolic/image/image.h)": [
            "array_to_img", "img_to_array", "load_img", "save_img"],
        "`datasets::load` fetches what it knows, by hash": ["get_file"],
    },
}


def aliases():
    text = (ROOT / "systolic/nn/layers/aliases.h").read_text()
    return re.findall(r"using (\w+) =", text)


def names_of_choice(header):
    """Those of its list for SYSTOLIC_NAMES_OF."""
    return re.findall(r"^  named\(\"(\w+)\", ", header, re.MULTILINE)


def ours(module):
    """The names that are here."""
    if module == "layers":
        text = (ROOT / "systolic/nn/layers/all.h").read_text()
        listed = re.sub(r"//.*", "", text[text.index("using AllLayers"):text.index(">;")])
        return set(re.findall(r"\w+", listed)) | set(aliases())
    if module == "ops.image":
        texts = [(ROOT / "systolic/ops" / name).read_text() for name in ("patches.h", "image.h")]
        return {name for text in texts for name in names_of_ops(text[text.index("namespace image {"):])}
    if module == "random":
        return names_of_ops((ROOT / "systolic/ops/random.h").read_text())
    if module == "ops":
        return {name for header in (ROOT / "systolic/ops").glob("*.h") if header.stem != "random"
                for name in names_of_ops(header.read_text())}
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


def names_of_ops(text):
    """Functions, and what stands after `using v0::`."""
    declared = re.findall(r"^(?:inline )?[\w:<>]+ (\w+)\(", text, re.MULTILINE)
    return set(declared) | set(re.findall(r"using v0::(\w+);", text))


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
