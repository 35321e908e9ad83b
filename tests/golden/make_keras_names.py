"""Writes data/keras_names.json: the public names of keras.layers, losses, metrics and so on.

    python tests/golden/make_keras_names.py            (Keras 3.15)
    python tests/golden/make_keras_names.py --check    exit code 1 where the installed Keras has other names; 77 where there is
                                                       none, or one of another version

Functions that only look up or write objects (get, serialize, deserialize) are left out, and so are base classes.
"""
import inspect
import json
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")

try:
    import keras  # noqa: E402
    from golden_values import DATA  # noqa: E402
except ImportError as error:
    print(f"not checked: {error}")
    sys.exit(77)

MODULES = ("layers", "losses", "metrics", "optimizers", "optimizers.schedules", "initializers", "regularizers",
           "constraints", "activations", "callbacks", "ops", "ops.image", "random", "utils")
WHOLE = {"ops", "ops.image", "random", "utils"}  # classes and functions
LEFT_OUT = {"get", "serialize", "deserialize", "Layer", "Wrapper", "InputSpec", "Loss", "Metric", "Optimizer",
            "OptimizerMap", "LearningRateSchedule", "Initializer", "Regularizer", "Constraint"}


def names_of(module, whole):
    """The names of classes, but for those that are a function's as well; where there are none, or of a whole module, of
    functions, too."""
    found = {name: value for name, value in inspect.getmembers(module)
             if not name.startswith("_") and not inspect.ismodule(value) and name not in LEFT_OUT}
    classes = [name for name, value in found.items() if inspect.isclass(value) and name[0].isupper()]
    return sorted((not whole and classes) or (name for name in found if name != "deserialize"))


def module_of(path):
    module = keras
    for part in path.split("."):
        module = getattr(module, part)
    return module


def listed():
    listing = {path: names_of(module_of(path), path in WHOLE) for path in MODULES}
    lines = [f'{json.dumps(path)}: {json.dumps(names)}' for path, names in listing.items()]
    made_by = json.dumps(f"keras {keras.__version__}")
    return f'{{"made_by": {made_by},\n' + ",\n".join(lines) + "}\n"


def minor_version(listing):
    return listing["made_by"].rsplit(".", 1)[0]


def main():
    file = DATA / "keras_names.json"
    if "--check" not in sys.argv:
        file.write_text(listed())
        return 0
    known, found = json.loads(file.read_text()), json.loads(listed())
    if minor_version(known) != minor_version(found):
        print(f"not checked: {found['made_by']} is installed, the names are of {known['made_by']}")
        return 77
    for module in MODULES:
        other = set(known[module]) ^ set(found[module])
        if other:
            print(f"keras.{module} of {found['made_by']}: not as listed: {' '.join(sorted(other))}", file=sys.stderr)
    return int(any(known[module] != found[module] for module in MODULES))


if __name__ == "__main__":
    sys.exit(main())
