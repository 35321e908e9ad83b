"""Writes data/: StableHLO programs as JAX serializes them, and what JAX reads back from them as text; and the .mlirbc
of tests/programs and tests/conformance.

    python tests/bytecode/make_artifacts.py        (JAX 0.10)

NAME_VERSION.mlirbc is a portable artifact of that version of VHLO, NAME_VERSION.mlir the text of what JAX's own
reader makes of it. NAME_sharded.mlirbc keeps Shardy's ops and attributes beside VHLO's, as plugins get them; its
text is that of the program itself.
"""
import os
import pathlib
import re

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

DATA = pathlib.Path(__file__).parent / "data"
TESTS = pathlib.Path(__file__).parents[1]
VERSIONS = ["0.9.0", "0.13.0", "0.14.0", "1.0.0", "1.17.0"]

# Ops whose attributes VHLO spells otherwise, or other than StableHLO's defaults.
OPS = """
module @ops attributes {mhlo.num_partitions = 1 : i32} {
  func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a {note = "a \\22quoted\\22 text"} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func public @main(%a: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %image: tensor<1x8x8x2xf32>,
      %kernel: tensor<3x3x2x4xf32>, %i: tensor<2x1xi32>, %v: tensor<4xf32>)
      -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %c0 = stablehlo.constant dense<[[true, false, true]]> : tensor<1x3xi1>
    %c1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c2 = stablehlo.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
    %c3 = stablehlo.constant dense<(1.0, -2.0)> : tensor<3xcomplex<f32>>
    %c4 = stablehlo.constant dense<[18446744073709551615, 1]> : tensor<2xui64>
    %0 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [2, 1], pad = [[1, 0], [0, 1]], reverse = [true, false]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64,
       precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}
      : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x7x4xf32>
    %1 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
    %2 = "stablehlo.scatter"(%a, %i, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = "stablehlo.reduce_window"(%2, %c1) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>,
      window_dimensions = array<i64: 1, 3>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = call @twice(%v) : (tensor<4xf32>) -> tensor<4xf32>
    %6 = stablehlo.custom_call @target(%5) {backend_config = "text", has_side_effect = true,
      api_version = 2 : i32, called_computations = [@twice]} : (tensor<4xf32>) -> tensor<4xf32>
    %7:2 = "stablehlo.sort"(%v, %6) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %t: tensor<f32>):
      %s = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %token = stablehlo.create_token : !stablehlo.token
    %8 = "stablehlo.send"(%v, %token) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>,
      is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %9 = stablehlo.fft %c3, type = IFFT, length = [3] : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
    return %4 : tensor<2x3xf32>
  }
}
"""


# A part for each device that holds a token, whose type stays in StableHLO's own encoding.
TOKENS = """
module @tokens attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%t: !stablehlo.token {jax.token = true}, %a: tensor<8x4xf32>) -> (!stablehlo.token
      {jax.token = true}, tensor<8x4xf32>) {
    %0:2 = "sdy.manual_computation"(%t, %a) <{
      in_shardings = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>]>,
      out_shardings = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>]>,
      manual_axes = #sdy<manual_axes{"x"}>}> ({
    ^bb0(%own: !stablehlo.token, %part: tensor<2x4xf32>):
      %1 = stablehlo.after_all %own, %own : !stablehlo.token
      %2 = stablehlo.add %part, %part : tensor<2x4xf32>
      "sdy.return"(%1, %2) : (!stablehlo.token, tensor<2x4xf32>) -> ()
    }) : (!stablehlo.token, tensor<8x4xf32>) -> (!stablehlo.token, tensor<8x4xf32>)
    return %0#0, %0#1 : !stablehlo.token, tensor<8x4xf32>
  }
}
"""


def train_step(weights, batch, labels):
    """A step with a loop, a random mask and gradients."""

    def loss(weights):
        hidden = jax.nn.relu(batch @ weights["a"])
        mask = jax.random.bernoulli(jax.random.key(0), 0.5, hidden.shape)
        logits = jnp.where(mask, hidden, 0) @ weights["b"]
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(2), labels])

    gradients = jax.grad(loss)(weights)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)


def loop(x):
    return jax.lax.fori_loop(0, 3, lambda i, y: jnp.sin(y) * i, x)


def write(name, artifact, text):
    (DATA / f"{name}.mlirbc").write_bytes(artifact)
    (DATA / f"{name}.mlir").write_text(text)


def write_versions(name, module_text, versions=VERSIONS):
    for version in versions:
        artifact = stablehlo.serialize_portable_artifact_str(module_text, version)
        with mlir.make_ir_context():
            text = str(ir.Module.parse(stablehlo.deserialize_portable_artifact_str(artifact)))
        write(f"{name}_{version}", artifact, text)


# A test program: what it computes, and what it expects.
CHECKED = """
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] :
    (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %expected = stablehlo.constant dense<[[7.0, 10.0], [15.0, EXPECTED]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%y, %expected) {has_side_effect = true} :
    (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  return
}
"""


def write_one(path, text):
    path.write_bytes(stablehlo.serialize_portable_artifact_str(text, "1.17.0"))


def in_generic_form(text):
    """Shardy's ops with regions, which our text parser reads in the generic form only."""
    text = re.sub(r"sdy\.manual_computation\((.*?)\) in_shardings=(\[.*?\]>\]) out_shardings=(\[.*?\]>\]) "
                  r"manual_axes=(\{.*?\}) \((.*?)\) \{",
                  r'"sdy.manual_computation"(\1) <{in_shardings = #sdy.sharding_per_value<\2>, '
                  r"out_shardings = #sdy.sharding_per_value<\3>, manual_axes = #sdy<manual_axes\4>}> ({\n"
                  r"    ^bb0(\5):", text)
    text = re.sub(r"sdy\.return (.*) : (.*)\n    \} :", r'"sdy.return"(\1) : (\2) -> ()\n    }) :', text)
    return text


def write_sharded(name, lowered):
    module = lowered.compiler_ir()
    text = str(module)  # without locations, which name files of this machine
    artifact = xla_client._xla.mlir.serialize_portable_artifact(text, "1.17.0", True)
    text = text.replace("type = 1>", "type = 0>")  # a channel's type is not kept
    write(f"{name}_sharded", artifact, in_generic_form(text))


def main():
    DATA.mkdir(exist_ok=True)
    write_versions("ops", OPS, ["0.13.0", "0.14.0", "0.15.0", "1.0.0", "1.17.0"])
    weights = {"a": np.zeros((4, 8), np.float32), "b": np.zeros((8, 3), np.float32)}
    step = jax.jit(train_step).lower(weights, np.zeros((2, 4), np.float32), np.zeros(2, np.int32))
    write_versions("step", str(step.compiler_ir()), ["1.17.0"])
    for name in ["row_sums", "open_batch"]:
        write_one(TESTS / f"programs/{name}.mlirbc", (TESTS / f"programs/{name}.mlir").read_text())
    write_one(TESTS / "conformance/holds/serialized.mlirbc", CHECKED.replace("EXPECTED", "22.0"))
    write_one(TESTS / "conformance/fails/serialized.mlirbc", CHECKED.replace("EXPECTED", "23.0"))
    write_versions("loop", str(jax.jit(loop).lower(np.zeros(3, np.float32)).compiler_ir()))
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    total = jax.shard_map(lambda a: jax.lax.psum(a * 2, "x"), mesh=mesh, in_specs=PartitionSpec("x", "y"),
                          out_specs=PartitionSpec(None, "y"))
    write_sharded("manual", jax.jit(total).lower(np.zeros((8, 4), np.float32)))
    write("tokens_sharded", xla_client._xla.mlir.serialize_portable_artifact(TOKENS, "1.17.0", True), TOKENS)
    rows = NamedSharding(mesh, PartitionSpec("x"))
    moved = jax.jit(lambda a: a + 1, in_shardings=NamedSharding(mesh, PartitionSpec("x", "y")), out_shardings=rows)
    write_sharded("moved", moved.lower(np.zeros((8, 4), np.float32)))
    # Floats of 4 and 8 bits keep their types in MLIR's own encoding.
    narrow = [np.zeros((4, 2), t) for t in (
        jnp.float4_e2m1fn, jnp.float8_e3m4, jnp.float8_e4m3, jnp.float8_e4m3b11fnuz, jnp.float8_e4m3fn,
        jnp.float8_e4m3fnuz, jnp.float8_e5m2, jnp.float8_e5m2fnuz, jnp.float8_e8m0fnu)]
    write_sharded("narrow", jax.jit(lambda arrays: [a.T for a in arrays], in_shardings=rows).lower(narrow))


if __name__ == "__main__":
    main()
