#!/usr/bin/env python3
"""Calls an exported model (export_model) from JAX, and writes what it says.

    python call_exported.py FOLDER INPUT.npz OUTPUT.npz       # needs jax 0.10 and numpy

INPUT has an array for each input by its name, with as many rows as the program's batch; OUTPUT gets one for each output.
"""
import json
import pathlib
import sys

import jax
import numpy as np
from jax._src import compiler
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib import _jax

NUMPY_TYPES = {"F32": "<f4", "F64": "<f8", "F16": "<f2", "I8": "i1", "I32": "<i4", "I64": "<i8", "U8": "u1", "U32": "<u4",
               "BOOL": "?"}


def read_safetensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            numbers = np.frombuffer(data[8 + size + begin:8 + size + end], NUMPY_TYPES[entry["dtype"]])
            arrays[name] = numbers.reshape(entry["shape"])
    return arrays


def compiled(text):
    device = jax.devices()[0]
    devices = _jax.DeviceList((device,))
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    with mlir.make_ir_context():
        return compiler.backend_compile_and_load(device.client, ir.Module.parse(text), devices, options, [])


def main():
    folder = pathlib.Path(sys.argv[1])
    description = json.loads((folder / "model.json").read_text())
    inputs, weights = np.load(sys.argv[2]), read_safetensors(folder / "weights.safetensors")
    arguments = [inputs[one["name"]] for one in description["inputs"]] + [weights[name] for name in description["weights"]]
    program = compiled((folder / "program.mlir").read_text())
    results = program.execute_sharded([jax.device_put(one) for one in arguments]).disassemble_into_single_device_arrays()
    names = [one["name"] for one in description["outputs"]]
    np.savez(sys.argv[3], **{name: np.asarray(result[0]) for name, result in zip(names, results)})


if __name__ == "__main__":
    main()
