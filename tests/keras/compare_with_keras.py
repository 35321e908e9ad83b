#!/usr/bin/env python3
"""Compares random configurations of each layer, loss, metric and optimizer with Keras's.

    ninja -C build/release run_keras_cases
    KERAS_BACKEND=jax python tests/keras/compare_with_keras.py build/release/bin/run_keras_cases [COUNT] [SEED] [ONLY]

Needs keras 3.15 and jax. Case by case (200, from seed 0) a configuration is drawn of what keras_cases.py lists, in turn;
ONLY leaves those whose names hold it. Keras makes a model of it and saves it as .keras; run_keras_cases reads that and gives
outputs, gradients of inputs and weights, logs and weights of some steps of training. All must agree within 1e-5 of the
largest value (recurrent layers: within 1e-4 after 50 steps; mixed_bfloat16 and mixed_float16: within the type's rounding,
and what Keras's own outputs and gradients are off its float32 by).
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

os.environ.setdefault("KERAS_BACKEND", "jax")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import keras  # noqa: E402
import keras_cases  # noqa: E402
import numpy as np  # noqa: E402

# The slope of |x| at 0 is 0 in TensorFlow, PyTorch and Systolic; JAX alone says 1, which an L1 regularizer of a bias that starts
# at 0 would show.
@jax.custom_jvp
def absolute(x):
    return jnp.abs(x)


absolute.defjvp(lambda x, dx: (jnp.abs(x[0]), jnp.sign(x[0]) * dx[0]))
keras.src.ops.absolute = lambda x: absolute(keras.ops.convert_to_tensor(x))

EXACT, RECURRENT = 1e-5, 1e-4
ROUNDED = {"mixed_bfloat16": 4e-2, "mixed_float16": 6e-3}


def float32(value):
    return np.asarray(jnp.asarray(value).astype("float32"))


def outputs_and_gradients(case, model, cotangents):
    """y0, ..., gx0, ..., gv0, ... as run_keras_cases names them; cotangents are drawn where `cotangents` is None."""
    variables = [v.value for v in model.trainable_variables]
    fixed = [v.value for v in model.non_trainable_variables]
    floating = [i for i, x in enumerate(case.inputs) if x.dtype.kind == "f"]

    def call(trained, given):
        inputs = list(case.inputs)
        for i, x in zip(floating, given):
            inputs[i] = x
        outputs, _ = model.stateless_call(trained, fixed, inputs if len(inputs) > 1 else inputs[0], training=False)
        return outputs if isinstance(outputs, (list, tuple)) else [outputs]

    given = [jnp.asarray(case.inputs[i]) for i in floating]
    outputs = call(variables, given)
    found = {f"y{i}": float32(y) for i, y in enumerate(outputs)}
    if not case.differentiable or not all(jnp.issubdtype(y.dtype, jnp.floating) for y in outputs):
        return found, []
    numbers = np.random.default_rng(case.seed + 1)
    drawn = [numbers.normal(size=y.shape).astype("float32") for y in outputs]

    def target(trained, given):
        return sum(jnp.sum(jnp.asarray(y, "float32") * c) for y, c in zip(call(trained, given), drawn))

    of_variables, of_inputs = jax.grad(target, argnums=(0, 1))(variables, given)
    found.update({f"gx{i}": float32(g) for i, g in enumerate(of_inputs)})
    found.update({f"gv{i}": float32(g) for i, g in enumerate(of_variables)})
    return found, drawn


def own_distances(case, model, found):
    """How far Keras's outputs and gradients in a narrow type are from those of the same model in float32."""
    text = json.dumps(keras.saving.serialize_keras_object(model)).replace(case.policy, "float32")
    wide = keras.saving.deserialize_keras_object(json.loads(text))
    wide.set_weights(model.get_weights())
    exact, _ = outputs_and_gradients(case, wide, None)
    return {name: np.abs(exact[name] - found[name]).max(initial=0) for name in found}


def trained(case, model, found):
    x = case.inputs if len(case.inputs) > 1 else case.inputs[0]
    logs = {}
    for _ in range(case.steps):
        for name, value in model.train_on_batch(x, case.labels, case.weights, return_dict=True).items():
            logs.setdefault(f"log_{name}", []).append(float(value))
    found.update({name: np.asarray(values, "float32") for name, values in logs.items()})
    for name, value in model.test_on_batch(x, case.labels, case.weights, return_dict=True).items():
        found[f"test_{name}"] = np.float32(value)
    for i, variable in enumerate(model.trainable_variables):
        found[f"v{i}"] = float32(variable.value)


def prepare(case, place):
    """Writes the case's files; gives what Keras computes."""
    model = case.model
    if case.steps:
        model.compile(**case.compiled)
    model.save(f"{place}.keras")
    found, drawn = outputs_and_gradients(case, model, None)
    case.own = own_distances(case, model, found) if case.policy in ROUNDED else {}
    data = {f"x{i}": x for i, x in enumerate(case.inputs)} | {f"c{i}": c for i, c in enumerate(drawn)}
    data["steps"] = np.int64(case.steps)
    if case.steps:
        data["y"] = case.labels
        if case.weights is not None:
            data["w"] = case.weights
        trained(case, model, found)
    np.savez(f"{place}.npz", **data)
    return found


def differences(case, wanted, place):
    """What does not agree, as texts."""
    error = pathlib.Path(f"{place}.error")
    if error.exists():
        return ["failed: " + error.read_text().strip()]
    found = np.load(f"{place}.result.npz")
    limit = ROUNDED.get(case.policy, RECURRENT if case.recurrent else EXACT)
    wrong = []
    for name in sorted(set(wanted) | set(found.files)):
        if name not in wanted or name not in found.files:
            wrong.append(f"{name} is only in {'Keras' if name in wanted else 'Systolic'}")
            continue
        a, b = np.asarray(found[name], "float64"), np.asarray(wanted[name], "float64")
        if a.shape != b.shape:
            wrong.append(f"{name} has shape {a.shape}, Keras's {b.shape}")
            continue
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        distance = np.where(same, 0, np.abs(a - b)).max(initial=0)
        if not distance <= limit * max(1, np.abs(b[np.isfinite(b)]).max(initial=0)) + case.own.get(name, 0):
            wrong.append(f"{name} differs by {distance:.1e}")
    return wrong


def main():
    program, count = sys.argv[1], int((sys.argv + ["", "200"])[2] or 200) if len(sys.argv) > 2 else 200
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    kinds = [kind for kind in keras_cases.KINDS if only in kind]
    failed = {}
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for i in range(count):
            seed = first + i
            kind = kinds[seed % len(kinds)]
            keras.utils.set_random_seed(seed)
            place = f"{folder}/{i}"
            try:
                case = keras_cases.drawn(kind, seed, random.Random(seed))
                cases.append((case, prepare(case, place)))
            except Exception as error:  # what Keras itself cannot do is not compared
                print(seed, kind, "not drawn:", str(error).strip().splitlines()[0][:200], flush=True)
                cases.append(None)
        subprocess.run([program, folder, str(count)], check=True)
        for i, entry in enumerate(cases):
            if entry is None:
                continue
            case, wanted = entry
            wrong = differences(case, wanted, f"{folder}/{i}")
            if wrong:
                failed.setdefault(case.kind, []).append(case.seed)
                print(case.seed, case.text, *wrong[:6], sep="\n    ", flush=True)
    compared = sum(case is not None for case in cases)
    bad = sum(len(seeds) for seeds in failed.values())
    print(f"{compared - bad} of {compared} configurations of {len(kinds)} kinds are the same", failed or "")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
