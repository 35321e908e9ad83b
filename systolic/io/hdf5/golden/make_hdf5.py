#!/usr/bin/env python3
"""Writes the files beside this one, which hdf5_golden_test.cc reads:

    python systolic/io/hdf5/golden/make_hdf5.py      # h5py 3.16, keras 3.15 on jax, ml_dtypes 0.6, numpy 2.4

Every array is value(i) = (3 i mod 7) - 2 in row-major order (its absolute value where the type has no sign, whether it
is 0 where it is bool), so that the test computes what it expects.
"""
import os
import pathlib

os.environ["KERAS_BACKEND"] = "jax"
import h5py
import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).parent
TYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 bfloat16 float16 float32 float64 complex64 "
         "complex128").split()


def array(dtype, shape):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 3 % 7 - 2
    if dtype == "bool":
        return values == 0
    return (abs(values) if dtype.startswith("u") else values).astype(
        ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def types(file):
    for dtype in TYPES:
        file[dtype] = array(dtype, (2, 3))
    file["bfloat16"].attrs["dtype"] = "bfloat16"
    file["scalar"] = array("float32", ())
    file["empty"] = array("float32", (0, 300))
    file["a/b/c"] = array("int32", (5,))


def attributes(file):
    put = file.attrs
    put["text"] = "köln"
    put["bytes"] = b"bytes"
    put["texts"] = ["a", "", "ccc"]
    put["fixed"] = np.array([b"x", b"yyy"])
    put["table"] = np.array([["1", "2"]], dtype=h5py.string_dtype())
    put["empty"] = np.array([])
    put["nothing"] = h5py.Empty("f4")
    put["number"] = 7
    put["numbers"] = array("float32", (2, 2))
    put["flag"] = True
    put["reference"] = file.ref  # no attribute here
    put["long"] = "x" * 66_000
    for part in range(2):
        put[f"list{part}"] = [f"{part}", "end"]


def packed(file):
    values = array("float32", (50, 7))
    file.create_dataset("chunked", data=values, chunks=(8, 3))
    file.create_dataset("gzip", data=values, chunks=(8, 7), compression="gzip")
    file.create_dataset("shuffled", data=values, chunks=(50, 2), compression="gzip", shuffle=True, fletcher32=True)
    file.create_dataset("big_endian", data=values.astype(">f4"))
    file.create_dataset("big_endian_half", data=values.astype(">f2"), chunks=(7, 7))
    file.create_dataset("bool", data=array("bool", (20,)), chunks=(3,))
    file.create_dataset("bfloat16", data=array("bfloat16", (20,)), chunks=(6,))
    file["bfloat16"].attrs["dtype"] = "bfloat16"
    file.create_dataset("cube", data=array("int16", (4, 5, 6)), chunks=(2, 2, 2))
    file.create_dataset("unwritten", (3, 2), "int32", fillvalue=5)
    file.create_dataset("growing", data=array("int64", (9,)), maxshape=(None,))
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_layout(h5py.h5d.COMPACT)
    compact = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((50, 7)), properties)
    compact.write(h5py.h5s.ALL, h5py.h5s.ALL, values)


def refused(file):
    file["good"] = array("float32", (2,))
    file["soft"] = h5py.SoftLink("/good")
    file["external"] = h5py.ExternalLink("/etc/passwd", "/")
    layout = h5py.VirtualLayout((2,), "float32")
    layout[:] = h5py.VirtualSource("/etc/passwd", "good", (2,))
    file.create_virtual_dataset("virtual", layout)
    file.create_dataset("elsewhere", (2,), "float32", external=[("/etc/passwd", 0, 8)])
    file.create_dataset("lzf", data=array("float32", (2,)), compression="lzf")
    file.create_dataset("strings", data=["a", "b"])
    file.create_dataset("records", (2,), np.dtype([("x", "f4"), ("y", "i4")]))
    file.create_dataset("references", (1,), h5py.ref_dtype)
    file.create_dataset("untyped", data=np.zeros(3, "V3"))
    file.create_dataset("lists", (1,), h5py.vlen_dtype("i4"))
    file["type"] = np.dtype("f4")
    file.create_dataset("bomb", (10**9, 10**9), "float32", chunks=(100, 100), compression="gzip")
    file.create_dataset("hollow", (10**17,), "float32")
    file.create_dataset("huge_chunks", (10**9, 1), "float32", chunks=(10**9, 1))


def cycle(file):
    group = file.create_group("a/b")
    group["back"] = file["a"]


def deep(file):
    group = file
    for _ in range(210):
        group = group.create_group("g")


def keras_model():
    import keras
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, dtype="bfloat16"), keras.layers.Dense(1)],
                             name="two_layers")
    for weight in model.weights:
        weight.assign(array("float32", weight.shape))
    model.save_weights(HERE / "keras.weights.h5")
    with h5py.File(HERE / "keras_legacy.h5", "w") as file:
        keras.src.legacy.saving.legacy_h5_format.save_weights_to_hdf5_group(file, model)


for make in (types, attributes, packed, refused, cycle):
    with h5py.File(HERE / f"{make.__name__}.h5", "w") as opened:
        make(opened)
with h5py.File(HERE / "latest.h5", "w", libver=("v110", "v110"), track_order=True) as opened:
    types(opened)
with h5py.File(HERE / "deep.h5", "w", libver=("v110", "v110")) as opened:
    deep(opened)
keras_model()
