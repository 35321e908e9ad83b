// Regions that no fused kernel can do: of their own making, on complex numbers, on several arrays,
// reading values from outside.
#include <gtest/gtest.h>

#include "systolic/base/text.h"
#include "systolic/ir/window.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Axes;
using ir::Builder;
using ir::OpCode;
using ir::Value;
using Values = std::span<const Value>;
using Rule = std::function<std::vector<Value>(Values)>;

// Scalars of these types, for both sides of a fold.
std::vector<ir::Type> fold_arguments(const std::vector<DType>& dtypes) {
  std::vector<ir::Type> types;
  for (int side = 0; side < 2; ++side) {
    for (DType dtype : dtypes) types.push_back({dtype, {}});
  }
  return types;
}

std::vector<ir::Block> one_region(Builder& b, const std::vector<ir::Type>& types,
                                  const Rule& rule) {
  std::vector<ir::Block> regions;
  regions.push_back(b.region(types, rule));
  return regions;
}

void results(Builder& b, const std::vector<Value>& values) {
  for (Value value : values) b.result(value);
}

constexpr DType complex_types[] = {DType::c64, DType::c128};

TEST(ComplexNumbers, DotGeneral) {
  struct Row {
    Shape lhs, rhs;
    ir::DotAttributes attributes;
  };
  const Row rows[] = {
      {{3, 4}, {4, 5}, {{}, {}, {1}, {0}}},
      {{4, 3}, {5, 4}, {{}, {}, {0}, {1}}},
      {{4}, {4}, {{}, {}, {0}, {0}}},
      {{3}, {4}, {{}, {}, {}, {}}},
      {{2, 3, 4}, {2, 4, 5}, {{0}, {0}, {2}, {1}}},
      {{2, 3, 4, 5}, {5, 3, 2}, {{}, {}, {1, 3}, {1, 0}}},
      {{70, 130}, {130, 70}, {{}, {}, {1}, {0}}},
      {{3, 0}, {0, 5}, {{}, {}, {1}, {0}}},
  };
  for (const Row& row : rows) {
    for (DType dtype : complex_types) {
      expect_same_op(OpCode::dot_general, {{dtype, row.lhs}, {dtype, row.rhs}}, row.attributes, 64);
    }
  }
}

TEST(ComplexNumbers, Convolution) {
  ir::ConvolutionAttributes plain = ir::channels_last_convolution(2);
  plain.padding = {{1, 1}, {0, 2}};
  ir::ConvolutionAttributes strided = plain;
  strided.window_strides = {2, 1};
  strided.rhs_dilation = {1, 2};
  strided.lhs_dilation = {2, 1};
  strided.window_reversal = {true, false};
  ir::ConvolutionAttributes grouped = plain;
  grouped.feature_group_count = 2;
  for (DType dtype : complex_types) {
    for (const auto& [attributes, features] :
         {std::pair(plain, 4), std::pair(strided, 4), std::pair(grouped, 2)}) {
      expect_same_op(OpCode::convolution, {{dtype, {2, 7, 6, 4}}, {dtype, {3, 2, features, 6}}},
                     attributes, 64);
    }
  }
}

TEST(ComplexNumbers, SumsAndProducts) {
  for (DType dtype : complex_types) {
    for (OpCode code : {OpCode::add, OpCode::multiply}) {
      for (const Axes& axes : {Axes{0}, Axes{1}, Axes{0, 2}, Axes{0, 1, 2}}) {
        expect_same(make_module([&](Builder& b) {
                      b.result(ir::reduce(b.argument({dtype, {3, 2, 4}}), code, axes));
                    }),
                    64, str(ir::info(code).name, " over ", join(axes)), {-1.5, 1.5});
      }
    }
  }
}

// 2 · a + b · scale, the scale from outside: depends on the order, so that it is checked too.
Rule own_rule(Value scale) {
  return [scale](Values v) { return std::vector<Value>{v[0] + v[0] + v[1] * scale}; };
}

TEST(OwnRegions, ReduceWithAValueFromOutside) {
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32, DType::c64}) {
    for (const Axes& axes : {Axes{0}, Axes{1}, Axes{0, 1}}) {
      expect_same(make_module([&](Builder& b) {
                    const Value x = b.argument({dtype, {4, 3}}), scale = b.argument({dtype, {}});
                    const Value operands[] = {x, b.argument({dtype, {}})};
                    results(b, b.append(OpCode::reduce, operands, ir::AxesAttributes{axes},
                                        one_region(b, fold_arguments({dtype}), own_rule(scale))));
                  }),
                  32, str("reduce of ", to_string(dtype), " over ", join(axes)), {-2, 2});
    }
  }
}

// The views and copies inside the region are of its own: a transposed array, an element picked.
TEST(OwnRegions, ReduceOfTwoArraysWithOpsThatMove) {
  expect_same(
      make_module([&](Builder& b) {
        const Value x = b.argument({DType::f32, {3, 5}});
        const Value at = b.iota({DType::i32, {3, 5}}, 1);
        const Value table = ir::transpose(b.argument({DType::f32, {2, 5}}), {1, 0});
        const auto rule = [&](Values v) {
          const Value row[] = {v[3], b.constant(Literal::scalar<int32_t>(1))};
          const Value weight = ir::reshape(ir::dynamic_slice(table, row, {1, 1}), {});
          const Value next = v[0] + v[2] * weight;
          const Value takes = ir::compare(next, v[0], ir::Direction::gt);
          return std::vector<Value>{next, ir::select(takes, v[3], v[1])};
        };
        const Value operands[] = {x, at, b.filled(DType::f32, {}, 0), b.filled(DType::i32, {}, 0)};
        results(b, b.append(OpCode::reduce, operands, ir::AxesAttributes{{1}},
                            one_region(b, fold_arguments({DType::f32, DType::i32}), rule)));
      }),
      32, "weighted");
}

TEST(OwnRegions, ReduceWindowWithAValueFromOutside) {
  const ir::WindowAttributes attributes{.window_dimensions = {2, 3},
                                        .window_strides = {1, 2},
                                        .base_dilations = {1, 1},
                                        .window_dilations = {1, 1},
                                        .padding = {{0, 0}, {0, 0}}};
  for (DType dtype : {DType::f32, DType::i32, DType::c64}) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = b.argument({dtype, {4, 7}}), scale = b.argument({dtype, {}});
                  const Value operands[] = {x, b.argument({dtype, {}})};
                  results(b, b.append(OpCode::reduce_window, operands, attributes,
                                      one_region(b, fold_arguments({dtype}), own_rule(scale))));
                }),
                32, str("window of ", to_string(dtype)), {-2, 2});
  }
}

struct ScatterRow {
  const char* name;
  Shape operand, indices, updates;
  ir::ScatterAttributes attributes;
};

const ScatterRow scatter_rows[] = {
    {"rows",
     {6, 4},
     {5, 1},
     {5, 4},
     {.update_window_dims = {1},
      .inserted_window_dims = {0},
      .scatter_dims_to_operand_dims = {0},
      .index_vector_dim = 1}},
    {"cells",
     {6, 7},
     {2, 9},
     {9},
     {.update_window_dims = {},
      .inserted_window_dims = {0, 1},
      .scatter_dims_to_operand_dims = {1, 0},
      .index_vector_dim = 0}},
    {"windows that come first and reach over the edge",
     {5, 6},
     {3, 2},
     {2, 3, 3},
     {.update_window_dims = {0, 1},
      .inserted_window_dims = {},
      .scatter_dims_to_operand_dims = {0, 1},
      .index_vector_dim = 1}},
    {"a batch",
     {3, 5},
     {3, 4},
     {3, 4},
     {.update_window_dims = {},
      .inserted_window_dims = {1},
      .input_batching_dims = {0},
      .scatter_indices_batching_dims = {0},
      .scatter_dims_to_operand_dims = {1},
      .index_vector_dim = 2}},
    {"nothing",
     {6, 4},
     {0, 1},
     {0, 4},
     {.update_window_dims = {1},
      .inserted_window_dims = {0},
      .scatter_dims_to_operand_dims = {0},
      .index_vector_dim = 1}},
};

TEST(OwnRegions, Scatter) {
  for (const ScatterRow& row : scatter_rows) {
    for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::i32, DType::c64}) {
      for (const bool outside : {false, true}) {
        expect_same(make_module([&](Builder& b) {
                      const Value x = b.argument({dtype, row.operand});
                      const Value at = b.argument({DType::i32, row.indices});
                      const Value update = b.argument({dtype, row.updates});
                      const Value scale = b.argument({dtype, {}});
                      const Rule inside = [](Values v) {
                        return std::vector<Value>{v[0] * v[1] - v[0]};
                      };
                      const Value operands[] = {x, at, update};
                      results(b, b.append(OpCode::scatter, operands, row.attributes,
                                          one_region(b, fold_arguments({dtype}),
                                                     outside ? own_rule(scale) : inside)));
                    }),
                    32, str("scatter of ", to_string(dtype), ": ", row.name), {-2, 7});
      }
    }
  }
}

TEST(OwnRegions, ScatterOfTwoArrays) {
  for (const ScatterRow& row : scatter_rows) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = b.argument({DType::f32, row.operand});
                  const Value n = b.argument({DType::i32, row.operand});
                  const Value at = b.argument({DType::i64, row.indices});
                  const Value dx = b.argument({DType::f32, row.updates});
                  const Value dn = b.argument({DType::i32, row.updates});
                  // Keeps the larger, and counts.
                  const Rule rule = [](Values v) {
                    const Value larger = ir::compare(v[2], v[0], ir::Direction::gt);
                    return std::vector<Value>{ir::select(larger, v[2], v[0]), v[1] + v[3]};
                  };
                  const Value operands[] = {x, n, at, dx, dn};
                  results(b,
                          b.append(OpCode::scatter, operands, row.attributes,
                                   one_region(b, fold_arguments({DType::f32, DType::i32}), rule)));
                }),
                16, str("two arrays: ", row.name), {-2, 7});
  }
}

TEST(OwnRegions, SelectAndScatter) {
  ir::WindowAttributes tiled{.window_dimensions = {2, 2},
                             .window_strides = {2, 2},
                             .base_dilations = {1, 1},
                             .window_dilations = {1, 1},
                             .padding = {{0, 0}, {0, 0}}};
  ir::WindowAttributes overlapping = tiled;
  overlapping.window_dimensions = {3, 2};
  overlapping.window_strides = {1, 2};
  overlapping.padding = {{1, 1}, {0, 0}};
  for (const ir::WindowAttributes& attributes : {tiled, overlapping}) {
    for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
      for (const bool outside : {false, true}) {
        expect_same(
            make_module([&](Builder& b) {
              const Value x = b.argument({dtype, {6, 8}});
              const Shape pooled = ir::reduce_window(x, OpCode::maximum, attributes).shape();
              const Value source = b.argument({dtype, pooled}), scale = b.argument({dtype, {}});
              // The one that is farther from the scale, or (without) the smaller square.
              const Rule select = [&](Values v) {
                const Value p = outside ? v[0] - scale : v[0], q = outside ? v[1] - scale : v[1];
                const ir::Direction which = outside ? ir::Direction::ge : ir::Direction::le;
                return std::vector<Value>{ir::compare(p * p, q * q, which)};
              };
              std::vector<ir::Block> regions = one_region(b, fold_arguments({dtype}), select);
              regions.push_back(b.region(fold_arguments({dtype}), own_rule(scale)));
              const Value operands[] = {x, source, b.argument({dtype, {}})};
              results(b, b.append(OpCode::select_and_scatter, operands, attributes,
                                  std::move(regions)));
            }),
            32, str("select_and_scatter of ", to_string(dtype)), {-3, 3});
      }
    }
  }
}

// Narrow arrays folded in a wide type, by a kernel and by an own rule.
TEST(OwnRegions, FoldInAWiderType) {
  const ir::WindowAttributes pairs{.window_dimensions = {1, 2},
                                   .window_strides = {1, 2},
                                   .base_dilations = {1, 1},
                                   .window_dilations = {1, 1},
                                   .padding = {{0, 0}, {0, 0}}};
  const Rule add = [](Values v) { return std::vector<Value>{v[0] + v[1]}; };
  for (const auto& [narrow, wide] :
       {std::pair(DType::bf16, DType::f32), std::pair(DType::i8, DType::i32),
        std::pair(DType::f32, DType::f64)}) {
    expect_same(
        make_module([&, narrow = narrow, wide = wide](Builder& b) {
          const Value x = b.argument({narrow, {3, 8}}), zero = b.filled(narrow, {}, 0);
          const Value at = b.argument({DType::i32, {5, 1}}), rows = b.argument({narrow, {5, 8}});
          const Value scale = b.argument({wide, {}});
          const Value folded[] = {x, zero}, scattered[] = {x, at, rows};
          const std::vector<ir::Type> types = fold_arguments({wide});
          for (const Rule& rule : {add, own_rule(scale)}) {
            results(b, b.append(OpCode::reduce, folded, ir::AxesAttributes{{1}},
                                one_region(b, types, rule)));
            results(b, b.append(OpCode::reduce_window, folded, pairs, one_region(b, types, rule)));
            results(b, b.append(OpCode::scatter, scattered, scatter_rows[0].attributes,
                                one_region(b, types, rule)));
          }
        }),
        32, str(to_string(narrow), " in ", to_string(wide)), {-2, 3});
  }
}

TEST(OwnRegions, SelectAndScatterInAWiderType) {
  const ir::WindowAttributes pairs{.window_dimensions = {1, 2},
                                   .window_strides = {1, 1},
                                   .base_dilations = {},
                                   .window_dilations = {},
                                   .padding = {{0, 0}, {1, 0}}};
  const Rule add = [](Values v) { return std::vector<Value>{v[0] + v[1]}; };
  for (const auto& [narrow, wide] :
       {std::pair(DType::bf16, DType::f32), std::pair(DType::i8, DType::i32),
        std::pair(DType::f32, DType::f64)}) {
    expect_same(
        make_module([&, narrow = narrow, wide = wide](Builder& b) {
          const Value x = b.argument({narrow, {3, 8}}), source = b.argument({narrow, {3, 8}});
          const Value scale = b.argument({wide, {}});
          const Value operands[] = {x, source, b.argument({narrow, {}})};
          const Rule larger = [](Values v) {
            return std::vector<Value>{ir::compare(v[0], v[1], ir::Direction::ge)};
          };
          for (const Rule& rule : {add, own_rule(scale)}) {
            std::vector<ir::Block> regions = one_region(b, fold_arguments({narrow}), larger);
            regions.push_back(b.region(fold_arguments({wide}), rule));
            results(b, b.append(OpCode::select_and_scatter, operands, pairs, std::move(regions)));
          }
        }),
        32, str(to_string(narrow), " in ", to_string(wide)), {-3, 3});
  }
}

// 100 + 100 + 100 does not fit an i8.
TEST(OwnRegions, SelectAndScatterSumsWhatTheNarrowTypeCannotHold) {
  const ir::WindowAttributes triples{.window_dimensions = {3},
                                     .window_strides = {1},
                                     .base_dilations = {},
                                     .window_dilations = {},
                                     .padding = {{0, 0}}};
  const ir::Module module = make_module([&](Builder& b) {
    const Value operands[] = {b.argument({DType::i8, {5}}), b.argument({DType::i8, {3}}),
                              b.argument({DType::i8, {}})};
    std::vector<ir::Block> regions = one_region(b, fold_arguments({DType::i8}), [](Values v) {
      return std::vector<Value>{ir::compare(v[0], v[1], ir::Direction::ge)};
    });
    regions.push_back(b.region(fold_arguments({DType::i32}),
                               [](Values v) { return std::vector<Value>{v[0] + v[1]}; }));
    results(b, b.append(OpCode::select_and_scatter, operands, triples, std::move(regions)));
  });
  expect_result(module,
                {Literal::of<int8_t>({1, 2, 9, 3, 4}), Literal::of<int8_t>({100, 100, 100}),
                 Literal::scalar<int8_t>(7)},
                Literal::of<int32_t>({7, 7, 307, 7, 7}));
}

// The specification pads with the initial value, and folds what the padding holds.
TEST(OwnRegions, ReduceWindowFoldsThePadding) {
  const ir::WindowAttributes pairs{.window_dimensions = {2},
                                   .window_strides = {1},
                                   .base_dilations = {1},
                                   .window_dilations = {1},
                                   .padding = {{1, 1}}};
  const Rule add = [](Values v) { return std::vector<Value>{v[0] + v[1]}; };
  const Rule last = [](Values v) { return std::vector<Value>{v[0] * 0.0 + v[1]}; };
  const auto module = [&](const Rule& rule, const ir::WindowAttributes& window) {
    return make_module([&](Builder& b) {
      const Value operands[] = {b.argument({DType::f32, {3}}), b.argument({DType::f32, {}})};
      results(b, b.append(OpCode::reduce_window, operands, window,
                          one_region(b, fold_arguments({DType::f32}), rule)));
    });
  };
  const std::vector<Literal> arguments{Literal::of<float>({1, 2, 3}), Literal::scalar(10.f)};
  expect_result(module(add, pairs), arguments, Literal::of<float>({21, 13, 15, 23}));
  expect_result(module(last, pairs), arguments, Literal::of<float>({1, 2, 3, 10}));
  // Holes are padding too: 10 1 10 2 10 3 10.
  ir::WindowAttributes holes = pairs;
  holes.base_dilations = {2};
  expect_result(module(add, holes), arguments, Literal::of<float>({21, 21, 22, 22, 23, 23}));
  expect_result(module(last, holes), arguments, Literal::of<float>({1, 10, 2, 10, 3, 10}));
}

TEST(OwnRegions, ReduceWindowWithPadding) {
  const ir::WindowAttributes attributes{.window_dimensions = {2, 3},
                                        .window_strides = {1, 2},
                                        .base_dilations = {1, 2},
                                        .window_dilations = {2, 1},
                                        .padding = {{1, 2}, {-1, 3}}};
  for (const DType dtype : {DType::f32, DType::bf16, DType::i32, DType::c64}) {
    expect_same(
        make_module([&](Builder& b) {
          const Value x = b.argument({dtype, {4, 7}}), scale = b.argument({dtype, {}});
          const Value operands[] = {x, b.argument({dtype, {}})};
          for (const Rule& rule :
               {Rule([](Values v) { return std::vector<Value>{v[0] + v[1]}; }),
                Rule([](Values v) { return std::vector<Value>{v[0] * v[1]}; }), own_rule(scale)}) {
            results(b, b.append(OpCode::reduce_window, operands, attributes,
                                one_region(b, fold_arguments({dtype}), rule)));
          }
        }),
        64, str("padded window of ", to_string(dtype)), {-1, 1});
  }
}

// By distance from a value outside; rows of several arrays.
TEST(OwnRegions, SortByAValueFromOutside) {
  for (int64_t dimension : {0, 1}) {
    for (DType dtype : {DType::f32, DType::i32}) {
      expect_same(make_module([&](Builder& b) {
                    const Value x = b.argument({dtype, {7, 9}}), center = b.argument({dtype, {}});
                    const Value arrays[] = {x, b.iota({DType::i32, {7, 9}}, 0)};
                    results(b, ir::sort(arrays, {dimension, true}, [&](Values v) {
                              const Value p = v[0] - center, q = v[1] - center;
                              return ir::compare(p * p, q * q, ir::Direction::lt);
                            }));
                  }),
                  1, "sort by distance", {-9, 9});
    }
  }
}

TEST(OwnRegions, SortOfComplexNumbers) {
  expect_same(make_module([&](Builder& b) {
                const Value arrays[] = {b.argument({DType::c64, {5, 6}})};
                results(b, ir::sort(arrays, {1, true}, [&](Values v) {
                          return ir::compare(ir::unary(OpCode::real, v[0]),
                                             ir::unary(OpCode::real, v[1]), ir::Direction::lt);
                        }));
              }),
              1, "sort by the real part");
}

// In a loop, where regions run many times and their memory must not be that of what goes round.
TEST(OwnRegions, InsideALoop) {
  expect_same(make_module([&](Builder& b) {
                const Value start[] = {b.constant(Literal::scalar<int32_t>(0)),
                                       b.argument({DType::f32, {4, 3}})};
                const Value scale = b.argument({DType::f32, {}});
                const auto last = ir::while_loop(
                    start, [&](Values v) { return ir::compare(v[0], 3.0, ir::Direction::lt); },
                    [&](Values v) {
                      const Value operands[] = {v[1], b.filled(DType::f32, {}, 1)};
                      const Value folded =
                          b.append(OpCode::reduce, operands, ir::AxesAttributes{{1}},
                                   one_region(b, fold_arguments({DType::f32}), own_rule(scale)))[0];
                      return std::vector<Value>{
                          v[0] + 1.0, v[1] * 0.5 + ir::broadcast_in_dim(folded * 0.1, {4, 3}, {0})};
                    });
                results(b, last);
              }),
              32, "in a loop");
}

}  // namespace
}  // namespace systolic
