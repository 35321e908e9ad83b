// Golden text, row by row. With SYSTOLIC_STABLEHLO_PYTHON naming a Python that has jaxlib, the same
// programs are also parsed and verified by StableHLO's own parser.
#include "systolic/ir/print/print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print_literal.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

using namespace ir;

struct Row {
  const char* name;
  const char* text;  // of the last op
  std::function<Value(Builder&)> build;
};

Value f32(Builder& b, Shape shape) { return b.argument({DType::f32, shape}); }
Value i32(Builder& b, Shape shape) { return b.argument({DType::i32, shape}); }

ConvolutionAttributes image_convolution() {
  ConvolutionAttributes a = channels_last_convolution(2);
  a.window_strides = {2, 1};
  a.padding = {{1, 1}, {0, 2}};
  a.window_reversal = {false, true};
  return a;
}

const std::vector<Row> rows{
    {"tanh", "%0 = stablehlo.tanh %arg0 : tensor<2x3xf32>",
     [](Builder& b) {
       return unary(OpCode::tanh, f32(b, {2, 3}));
     }},
    {"erf", "%0 = chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>",
     [](Builder& b) { return unary(OpCode::erf, f32(b, {2})); }},
    {"is_finite", "%0 = stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<2xi1>",
     [](Builder& b) { return unary(OpCode::is_finite, f32(b, {2})); }},
    {"real", "%0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>",
     [](Builder& b) {
       return unary(OpCode::real, b.argument({DType::c64, {2}}));
     }},
    {"abs", "%0 = stablehlo.abs %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>",
     [](Builder& b) {
       return unary(OpCode::abs, b.argument({DType::c64, {2}}));
     }},
    {"complex",
     "%0 = stablehlo.complex %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<complex<f32>>",
     [](Builder& b) {
       const Value re = f32(b, {}), im = f32(b, {});
       return binary(OpCode::complex, re, im);
     }},
    {"add", "%0 = stablehlo.add %arg0, %arg0 : tensor<bf16>",
     [](Builder& b) {
       const Value x = b.argument({DType::bf16, {}});
       return x + x;
     }},
    {"not", "%0 = stablehlo.not %arg0 : tensor<2xi32>",
     [](Builder& b) { return unary(OpCode::not_, i32(b, {2})); }},
    {"compare",
     "%0 = stablehlo.compare LT, %arg0, %arg0, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> "
     "tensor<2xi1>",
     [](Builder& b) {
       const Value x = i32(b, {2});
       return compare(x, x, Direction::lt);
     }},
    {"select", "%0 = stablehlo.select %arg0, %arg1, %arg1 : tensor<i1>, tensor<2xf32>",
     [](Builder& b) {
       const Value p = b.argument({DType::pred, {}}), x = f32(b, {2});
       return select(p, x, x);
     }},
    {"clamp",
     "%0 = stablehlo.clamp %arg0, %arg1, %arg0 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> "
     "tensor<2xf32>",
     [](Builder& b) {
       const Value low = f32(b, {}), x = f32(b, {2});
       return clamp(low, x, low);
     }},
    {"convert", "%0 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xi32>",
     [](Builder& b) { return convert(f32(b, {2}), DType::i32); }},
    {"bitcast_convert", "%0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x4xui8>",
     [](Builder& b) {
       return bitcast_convert(f32(b, {2}), {DType::u8, {2, 4}});
     }},
    {"reduce_precision", "%0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2xf32>",
     [](Builder& b) {
       return b.append_one(OpCode::reduce_precision, {f32(b, {2})},
                           ReducePrecisionAttributes{5, 10});
     }},
    {"constant", "%0 = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>",
     [](Builder& b) {
       return b.constant(Literal::of<float>({1.5f, -2.0f}));
     }},
    {"iota", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>",
     [](Builder& b) {
       return b.iota({DType::i32, {2, 3}}, 1);
     }},
    {"replica_id", "%0 = stablehlo.replica_id : tensor<ui32>",
     [](Builder& b) { return replica_id(b); }},
    {"broadcast_in_dim",
     "%0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>",
     [](Builder& b) {
       return broadcast_to(f32(b, {3}), {2, 3});
     }},
    {"concatenate",
     "%0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> "
     "tensor<5xf32>",
     [](Builder& b) {
       const Value x = f32(b, {2}), y = f32(b, {3});
       return concatenate(std::vector<Value>{x, y}, 0);
     }},
    {"dynamic_slice",
     "%0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> "
     "tensor<2xf32>",
     [](Builder& b) {
       const Value x = f32(b, {4}), i = i32(b, {});
       return dynamic_slice(x, std::vector<Value>{i}, {2});
     }},
    {"dynamic_update_slice",
     "%0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<4xf32>, tensor<2xf32>, "
     "tensor<i32>) -> tensor<4xf32>",
     [](Builder& b) {
       const Value x = f32(b, {4}), u = f32(b, {2}), i = i32(b, {});
       return dynamic_update_slice(x, u, std::vector<Value>{i});
     }},
    {"gather",
     "%0 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims "
     "= [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
     "indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<10x3xf32>, "
     "tensor<5xi32>) -> tensor<5x3xf32>",
     [](Builder& b) {
       GatherAttributes a;
       a.offset_dims = {1};
       a.collapsed_slice_dims = {0};
       a.start_index_map = {0};
       a.index_vector_dim = 1;
       a.slice_sizes = {1, 3};
       const Value x = f32(b, {10, 3}), i = i32(b, {5});
       return gather(x, i, a);
     }},
    {"gather with batching",
     "%0 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims "
     "= [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims "
     "= [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes "
     "= array<i64: 1, 1>}> : (tensor<5x3xf32>, tensor<5xi32>) -> tensor<5xf32>",
     [](Builder& b) {
       GatherAttributes a;
       a.collapsed_slice_dims = {1};
       a.operand_batching_dims = {0};
       a.start_indices_batching_dims = {0};
       a.start_index_map = {1};
       a.index_vector_dim = 1;
       a.slice_sizes = {1, 1};
       const Value x = f32(b, {5, 3}), i = i32(b, {5});
       return gather(x, i, a);
     }},
    {"pad",
     "%0 = stablehlo.pad %arg0, %arg1, low = [1], high = [0], interior = [2] : (tensor<3xf32>, "
     "tensor<f32>) -> tensor<8xf32>",
     [](Builder& b) {
       const Value x = f32(b, {3}), v = f32(b, {});
       return pad(x, v, {1}, {0}, {2});
     }},
    {"reshape", "%0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>",
     [](Builder& b) {
       return reshape(f32(b, {2, 3}), {6});
     }},
    {"reverse", "%0 = stablehlo.reverse %arg0, dims = [0] : tensor<2xf32>",
     [](Builder& b) { return reverse(f32(b, {2}), {0}); }},
    {"slice", "%0 = stablehlo.slice %arg0 [0:2, 1:7:2] : (tensor<2x8xf32>) -> tensor<2x3xf32>",
     [](Builder& b) {
       return slice(f32(b, {2, 8}), {0, 1}, {2, 7}, {1, 2});
     }},
    {"transpose",
     "%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> "
     "tensor<3x2xf32>",
     [](Builder& b) {
       return transpose(f32(b, {2, 3}), {1, 0});
     }},
    {"convolution",
     "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
     "f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, "
     "1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
     "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : "
     "(tensor<2x5x5x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x3x5x8xf32>",
     [](Builder& b) {
       const Value x = f32(b, {2, 5, 5, 4}), k = f32(b, {3, 3, 4, 8});
       return convolution(x, k, image_convolution());
     }},
    {"dot_general",
     "%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x "
     "[1], precision = [HIGHEST, HIGHEST] : (tensor<5x2x3xbf16>, tensor<5x3x4xbf16>) -> "
     "tensor<5x2x4xf32>",
     [](Builder& b) {
       const Value x = b.argument({DType::bf16, {5, 2, 3}}),
                   y = b.argument({DType::bf16, {5, 3, 4}});
       return dot_general(x, y, {{0}, {0}, {2}, {1}, ir::Precision::highest}, DType::f32);
     }},
    {"reduce",
     R"(%0 = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>)",
     [](Builder& b) {
       const Value x = f32(b, {2, 3}), zero = f32(b, {});
       std::vector<Block> regions;
       regions.push_back(b.fold_region(OpCode::add, DType::f32));
       return b.append_one(OpCode::reduce, {x, zero}, AxesAttributes{{1}}, std::move(regions));
     }},
    {"reduce_window", nullptr,
     [](Builder& b) {
       return reduce_window(f32(b, {4, 4}), OpCode::maximum,
                            {{2, 2}, {2, 2}, {1, 1}, {1, 1}, {{0, 0}, {1, 1}}});
     }},
    {"select_and_scatter", nullptr,
     [](Builder& b) {
       const Value x = f32(b, {4}), s = f32(b, {2});
       return select_and_scatter(x, s, {{2}, {2}, {}, {}, {{0, 0}}});
     }},
    {"scatter", nullptr,
     [](Builder& b) {
       ScatterAttributes a;
       a.update_window_dims = {1};
       a.inserted_window_dims = {0};
       a.scatter_dims_to_operand_dims = {0};
       a.index_vector_dim = 1;
       const Value x = f32(b, {10, 3}), i = i32(b, {5}), u = f32(b, {5, 3});
       return scatter(x, i, u, a, OpCode::add);
     }},
    {"sort", nullptr,
     [](Builder& b) {
       const Value x = f32(b, {5}), y = i32(b, {5});
       return sort(std::vector<Value>{x, y}, {0, true},
                   [](std::span<const Value> p) { return compare(p[0], p[1], Direction::lt); })[1];
     }},
    {"rng_bit_generator",
     "%0:2 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> "
     "(tensor<2xui64>, tensor<4xui32>)",
     [](Builder& b) {
       return rng_bit_generator(b.argument({DType::u64, {2}}), {DType::u32, {4}},
                                RngAlgorithm::three_fry)
           .second;
     }},
    {"while", nullptr,
     [](Builder& b) {
       const Value limit = i32(b, {}), x = i32(b, {}), y = f32(b, {2});
       return while_loop(
           std::vector<Value>{x, y},
           [&](std::span<const Value> s) { return compare(s[0], limit, Direction::lt); },
           [](std::span<const Value> s) {
             return std::vector<Value>{s[0] + 1.0, s[1] * 2.0};
           })[1];
     }},
    {"if",
     R"(%0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg1 : tensor<2xf32>
    }, {
      %1 = stablehlo.negate %arg1 : tensor<2xf32>
      stablehlo.return %1 : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>)",
     [](Builder& b) {
       const Value p = b.argument({DType::pred, {}}), x = f32(b, {2});
       return if_else(
           p, [&] { return std::vector<Value>{x}; }, [&] { return std::vector<Value>{-x}; })[0];
     }},
    {"case", nullptr,
     [](Builder& b) {
       const Value i = i32(b, {}), x = f32(b, {2});
       const std::vector<std::function<std::vector<Value>()>> branches{
           [&] { return std::vector<Value>{x}; }, [&] { return std::vector<Value>{-x}; }};
       return switch_case(i, branches)[0];
     }},
    {"optimization_barrier",
     "%0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<2xf32>, tensor<i32>",
     [](Builder& b) {
       const Value x = f32(b, {2}), y = i32(b, {});
       return optimization_barrier(std::vector<Value>{x, y})[0];
     }},
    {"all_reduce",
     R"(%0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>)",
     [](Builder& b) {
       return all_reduce(f32(b, {2}), OpCode::add, {{{0, 1}, {2, 3}}, 0, false});
     }},
    {"all_gather",
     "%0 = \"stablehlo.all_gather\"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, "
     "1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<2xf32>) -> tensor<8xf32>",
     [](Builder& b) { return all_gather(f32(b, {2}), 0, 4); }},
    {"reduce_scatter", nullptr,
     [](Builder& b) {
       return reduce_scatter(f32(b, {8}), OpCode::add, 0, 4, {{{0, 1, 2, 3}}, 1, true});
     }},
    {"all_to_all", nullptr,
     [](Builder& b) {
       return all_to_all(f32(b, {8}), {0, 0, 4, {}});
     }},
    {"collective_permute",
     "%0 = \"stablehlo.collective_permute\"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 2]]> "
     ": tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> : "
     "(tensor<8xf32>) -> tensor<8xf32>",
     [](Builder& b) {
       return collective_permute(f32(b, {8}), {{{0, 1}, {1, 2}}, 3});
     }},
    {"collective_broadcast", nullptr,
     [](Builder& b) {
       return b.append_one(OpCode::collective_broadcast, {f32(b, {8})},
                           CollectiveAttributes{{{2, 1}}, 0, false});
     }},
};

Module build(const Row& row) {
  Module module;
  module.name = "test";
  module.num_replicas = 4;
  if (std::string(row.name) == "collective_permute") module.num_partitions = 4;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.result(row.build(b));
  verify(module);
  return module;
}

TEST(Print, GoldenTextOfEachOp) {
  for (const Row& row : rows) {
    if (row.text == nullptr) continue;
    EXPECT_NE(to_text(build(row)).find(str("\n    ", row.text, "\n")), std::string::npos)
        << row.name << "\n"
        << to_text(build(row)) << row.text;
  }
}

TEST(Print, ModuleWithShardingsAliasesAndLocations) {
  Module module;
  module.name = "train step";
  module.num_partitions = 8;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.location = {"mnist.cc", 41};
  b.layer_path = intern("mnist/dense");
  const Value w = b.argument({DType::f32, {4}}, {.sharding = Sharding{}, .aliases_result = 0});
  const Value x = b.argument({DType::f32, {16, 4}}, {.sharding = Sharding::along(0, 2, 4)});
  b.result(w + reduce_sum(x, {0}), {.sharding = Sharding::along(0, 1, 8)});
  const std::string text = to_text(module, {.locations = true});
  EXPECT_NE(text.find("module @\"train step\" attributes {mhlo.num_partitions = 8 : i32, "
                      "mhlo.num_replicas = 1 : i32} {\n  func.func public @main(%arg0: "
                      "tensor<4xf32> {mhlo.sharding = \"{replicated}\", tf.aliasing_output = 0 : "
                      "i32}, %arg1: tensor<16x4xf32> {mhlo.sharding = \"{devices=[4,1,2]<=[8] "
                      "last_tile_dim_replicate}\"}) -> (tensor<4xf32> {mhlo.sharding = "
                      "\"{devices=[8]<=[8]}\"}) {\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" loc(\"mnist/dense\"(\"mnist.cc\":41:0))\n"), std::string::npos) << text;
}

struct DenseRow {
  const char* text;
  Literal value;
};

TEST(Print, ConstantsAreExact) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<DenseRow> table{
      {"dense<1.0e-05>", Literal::scalar(1e-5f)},
      {"dense<0.1>", Literal::scalar(0.1f)},
      {"dense<0.1>", Literal::scalar(0.1)},
      {"dense<-0.0>", Literal::scalar(-0.0f)},
      {"dense<0x7F800000>", Literal::scalar(infinity)},
      {"dense<[0xFF80, 1.5]>", Literal::of<bfloat16>({bfloat16(-infinity), bfloat16(1.5f)})},
      {"dense<0x7FC00000>", Literal::scalar(std::nanf(""))},
      {"dense<[true, false]>", Literal::of<bool>({true, false})},
      {"dense<[[1, 2], [3, 4]]>", Literal::of<int32_t>({{1, 2}, {3, 4}})},
      {"dense<18446744073709551615>", Literal::scalar<uint64_t>(~0ull)},
      {"dense<7>", Literal::filled(DType::i32, {100}, 7)},
      {"dense<(1.0,-2.0)>", Literal::scalar(std::complex<float>(1, -2))},
      {"dense<>", Literal::zeros(DType::f32, {0, 3})},
  };
  for (const DenseRow& row : table) EXPECT_EQ(mlir_dense(row.value), row.text);
  std::vector<uint8_t> many(33);
  many[1] = 0xab;
  EXPECT_EQ(mlir_dense(Literal::from(many, {33})), "dense<\"0x00AB" + std::string(62, '0') + "\">");
}

TEST(Print, StableHloParsesEveryOp) {
  const char* python = std::getenv("SYSTOLIC_STABLEHLO_PYTHON");
  if (python == nullptr) {
    GTEST_SKIP() << "set SYSTOLIC_STABLEHLO_PYTHON to a Python with jaxlib to check the text with "
                    "StableHLO's own parser";
  }
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/parse.py") << R"(
import sys
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
for name in sys.argv[1:]:
    with mlir.make_ir_context():
        ir.Module.parse(open(name).read()).operation.verify()
)";
  std::string command = str(python, " ", folder, "/parse.py");
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = str(folder, "/print_", i, ".mlir");
    std::ofstream(path) << to_text(build(rows[i]), {.locations = true});
    command += " " + path;
  }
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace systolic
