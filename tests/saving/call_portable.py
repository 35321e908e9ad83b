#!/usr/bin/env python3
"""Calls the portable program of an exported model (export_model: program.mlirbc) from JAX through jax.export, and writes
what it says.

    python call_portable.py FOLDER INPUT.npz OUTPUT.npz       # needs jax 0.10 and numpy

INPUT has an array for each input by its name, with any number of rows; OUTPUT gets one for each output.
"""
import json
import pathlib
import sys

import jax
import numpy as np
from jax import export

from call_exported import NUMPY_TYPES, read_safetensors


def exported_of(folder, description, weights):
    """A jax.export.Exported around the program."""
    rows = description["portable_batch_size"]
    batch = export.symbolic_shape("b")[0] if rows is None else rows

    def aval(shape, dtype):
        return jax.core.ShapedArray(tuple(batch if size is None else size for size in shape), dtype)

    def port(one):
        return aval(one["shape"], np.dtype(NUMPY_TYPES[one["dtype"].upper()]))

    inputs = [port(one) for one in description["inputs"]] + [aval(array.shape, array.dtype) for array in weights]
    outputs = [port(one) for one in description["outputs"]]
    template = export.export(jax.jit(lambda *arguments: arguments[:len(outputs)]))(
        *[jax.ShapeDtypeStruct(one.shape, one.dtype) for one in inputs])
    fields = {name: getattr(template, name) for name in template.__dataclass_fields__}
    fields.update(
        fun_name="predict", in_avals=tuple(inputs), out_avals=tuple(outputs),
        in_tree=jax.tree.structure((tuple(inputs), {})), out_tree=jax.tree.structure(tuple(outputs)),
        _in_named_shardings=(None,) * len(inputs), _out_named_shardings=(None,) * len(outputs),
        in_shardings_hlo=(None,) * len(inputs), out_shardings_hlo=(None,) * len(outputs),
        mlir_module_serialized=(folder / "program.mlirbc").read_bytes(),
        module_kept_var_idx=tuple(range(len(inputs))), uses_global_constants=rows is None, _get_vjp=None)
    return export.Exported(**fields)


def stored_weights(folder, description):
    stored = read_safetensors(folder / "weights.safetensors")
    return [stored[name] for name in description["weights"]]


def main():
    folder = pathlib.Path(sys.argv[1])
    description = json.loads((folder / "model.json").read_text())
    weights, inputs = stored_weights(folder, description), np.load(sys.argv[2])
    results = exported_of(folder, description, weights).call(*[inputs[one["name"]] for one in description["inputs"]], *weights)
    names = [one["name"] for one in description["outputs"]]
    np.savez(sys.argv[3], **{name: np.asarray(result) for name, result in zip(names, results)})


if __name__ == "__main__":
    main()
