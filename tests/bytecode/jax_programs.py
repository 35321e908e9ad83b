"""Writes programs into a folder, as the JAX that runs this prints and serializes them.

    python tests/bytecode/jax_programs.py FOLDER        (any JAX from 0.4.30 on)

NAME_VERSION.mlirbc is a portable artifact of that version of VHLO, NAME_VERSION.mlir the text of what JAX's own
bindings read back from it: the pretty form, and as NAME_VERSION_generic the generic one. The versions are the oldest
and the newest that this JAX writes, and those between in which the encoding changed.
"""
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

WANTED = ["0.9.0", "0.14.0", "1.0.0", "1.8.0"]


def train_step(weights, batch, labels):
    def loss(weights):
        hidden = jax.nn.relu(batch @ weights["a"])
        mask = jax.random.bernoulli(jax.random.PRNGKey(0), 0.5, hidden.shape)
        logits = jnp.where(mask, hidden, 0) @ weights["b"]
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(2), labels])

    return jax.tree_util.tree_map(lambda w, g: w - 0.1 * g, weights, jax.grad(loss)(weights))


def loop(x):
    return jax.lax.fori_loop(0, 3, lambda i, y: jnp.sin(y) * i, x)


def convolution(image, kernel):
    y = jax.lax.conv_general_dilated(image, kernel, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def movement(x, i):
    y = x.at[i].add(jnp.take(x, i, axis=0) * 2)
    return jnp.sort(y, axis=1), jnp.cumsum(y, axis=0), jnp.fft.fft(y)


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


PROGRAMS = {
    "step": (train_step, ({"a": zeros(4, 8), "b": zeros(8, 3)}, zeros(2, 4), zeros(2, dtype=np.int32))),
    "loop": (loop, (zeros(3),)),
    "convolution": (convolution, (zeros(1, 8, 8, 2), zeros(3, 3, 2, 4))),
    "movement": (movement, (zeros(4, 6), zeros(2, dtype=np.int32))),
}


def serialized(text, version):
    if hasattr(stablehlo, "serialize_portable_artifact_str"):
        return stablehlo.serialize_portable_artifact_str(text, version)
    return xla_client._xla.mlir.serialize_portable_artifact(text, version)


def read_back(artifact):
    """A module, to be used within a context."""
    if hasattr(stablehlo, "deserialize_portable_artifact_str"):
        return ir.Module.parse(stablehlo.deserialize_portable_artifact_str(artifact))
    return ir.Module.parse(xla_client._xla.mlir.deserialize_portable_artifact(artifact))


def versions():
    number = lambda version: tuple(int(part) for part in version.split("."))
    oldest, newest = stablehlo.get_minimum_version(), stablehlo.get_current_version()
    return [oldest, *(v for v in WANTED if number(oldest) < number(v) < number(newest)), newest]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for name, (function, arguments) in PROGRAMS.items():
        text = str(jax.jit(function).lower(*arguments).compiler_ir())
        for version in versions():
            artifact = serialized(text, version)
            with mlir.make_ir_context():
                module = read_back(artifact)
                texts = {"": str(module), "_generic": module.operation.get_asm(print_generic_op_form=True)}
            for form, read in texts.items():
                (folder / f"{name}_{version}{form}.mlirbc").write_bytes(artifact)
                (folder / f"{name}_{version}{form}.mlir").write_text(read)
                written += 1
    print(f"JAX {jax.__version__}: {written} programs, VHLO {versions()[0]} to {versions()[-1]}")


if __name__ == "__main__":
    main()
