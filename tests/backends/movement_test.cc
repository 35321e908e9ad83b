#include <gtest/gtest.h>

#include <string>

#include "systolic/base/text.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Axes;
using ir::Builder;
using ir::Value;

const DType dtypes[] = {DType::f32, DType::f64,  DType::bf16, DType::i8,
                        DType::i64, DType::pred, DType::c64};

// Both alone and with arithmetic after it, so that the view is copied, and read by a fused kernel.
void check(const std::function<Value(Builder&, DType)>& build, const std::string& what) {
  for (DType dtype : dtypes) {
    expect_same(make_module([&](Builder& b) { b.result(build(b, dtype)); }), 8, what);
    if (dtype == DType::c64 || dtype == DType::pred) continue;
    expect_same(make_module([&](Builder& b) {
                  const Value x = build(b, dtype);
                  b.result(x * x + x);
                }),
                8, what + " fused");
  }
}

TEST(Movement, Views) {
  check(
      [](Builder& b, DType t) {
        return ir::transpose(b.argument({t, {3, 4}}), {1, 0});
      },
      "transpose");
  check(
      [](Builder& b, DType t) {
        return ir::transpose(b.argument({t, {2, 3, 4, 5}}), {2, 0, 3, 1});
      },
      "transpose 4");
  check(
      [](Builder& b, DType t) {
        return ir::reverse(b.argument({t, {3, 4, 5}}), {0, 2});
      },
      "reverse");
  check(
      [](Builder& b, DType t) {
        return ir::broadcast_in_dim(b.argument({t, {3, 1}}), {2, 3, 4}, {1, 2});
      },
      "broadcast");
  check(
      [](Builder& b, DType t) {
        return ir::broadcast_in_dim(b.argument({t, {3, 4}}), {4, 3}, {1, 0});
      },
      "broadcast turned");
  check(
      [](Builder& b, DType t) {
        return ir::slice(b.argument({t, {7, 9}}), {1, 2}, {6, 9}, {2, 3});
      },
      "slice");
  check(
      [](Builder& b, DType t) {
        return ir::slice(b.argument({t, {7, 9}}), {3, 0}, {5, 9}, {1, 1});
      },
      "slice of rows");
  check(
      [](Builder& b, DType t) {
        return ir::reshape(b.argument({t, {6, 4}}), {2, 12});
      },
      "reshape");
  check(
      [](Builder& b, DType t) {
        const Value x = ir::transpose(b.argument({t, {4, 6}}), {1, 0});
        return ir::reshape(x, {3, 2, 4});
      },
      "reshape of a view");
  check(
      [](Builder& b, DType t) {
        const Value x = ir::transpose(b.argument({t, {4, 6}}), {1, 0});
        return ir::reshape(ir::reverse(ir::slice(x, {1, 0}, {5, 4}), {1}), {16});
      },
      "views of views");
}

TEST(Movement, ConcatenateAndPad) {
  for (int64_t axis : {0, 1, 2}) {
    check(
        [&](Builder& b, DType t) {
          Shape other{2, 3, 4};
          other.set(static_cast<int>(axis), 5);
          const Value x = b.argument({t, {2, 3, 4}}), y = b.argument({t, other});
          const Value parts[] = {x, y, ir::reverse(x, {1})};
          return ir::concatenate(parts, axis);
        },
        "concatenate");
  }
  check(
      [](Builder& b, DType t) {
        const Value x = b.argument({t, {3, 4}});
        return ir::pad(x, b.argument({t, {}}), {1, 0}, {2, 3});
      },
      "pad");
  check(
      [](Builder& b, DType t) {
        const Value x = b.argument({t, {3, 4}});
        return ir::pad(x, b.argument({t, {}}), {1, -1}, {-2, 3}, {2, 1});
      },
      "pad inside");
}

TEST(Movement, DynamicSlices) {
  for (int64_t start : {-3, 0, 1, 2, 99}) {
    check(
        [&](Builder& b, DType t) {
          const Value x = b.argument({t, {5, 6}});
          const Value starts[] = {b.filled(DType::i32, {}, static_cast<double>(start)),
                                  b.filled(DType::i32, {}, 1)};
          return ir::dynamic_slice(x, starts, {3, 4});
        },
        "dynamic_slice");
    check(
        [&](Builder& b, DType t) {
          const Value x = b.argument({t, {5, 6}}), update = b.argument({t, {2, 3}});
          const Value starts[] = {b.filled(DType::i64, {}, static_cast<double>(start)),
                                  b.filled(DType::i64, {}, 2)};
          return ir::dynamic_update_slice(x, update, starts);
        },
        "dynamic_update_slice");
  }
}

// An NHWC array that elementwise ops read as NCHW, whole, or without its borders, and the other way
// round; twice, beside an array of the result's order, and in a sum.
TEST(Movement, FarTransposesInElementwise) {
  struct Row {
    std::string what;
    DType dtype;
    Shape shape;
    Axes permutation;
    Axes starts, limits;
  };
  const Row rows[] = {
      {"whole", DType::f32, {4, 32, 32, 16}, {0, 3, 1, 2}, {0, 0, 0, 0}, {4, 32, 32, 16}},
      {"inner", DType::f32, {4, 34, 35, 19}, {0, 3, 1, 2}, {0, 1, 2, 3}, {4, 33, 35, 19}},
      {"back", DType::f32, {4, 19, 34, 33}, {0, 2, 3, 1}, {0, 3, 0, 1}, {4, 19, 34, 32}},
      {"matrix", DType::i32, {257, 256}, {1, 0}, {0, 0}, {257, 256}},
      {"a column", DType::f32, {300, 256, 1}, {1, 0, 2}, {0, 0, 0}, {300, 256, 1}},
  };
  for (const Row& row : rows) {
    const ir::Module module = make_module([&](Builder& b) {
      const Value whole = b.argument({row.dtype, row.shape});
      const Value x = ir::transpose(ir::slice(whole, row.starts, row.limits), row.permutation);
      const Value y = b.argument({row.dtype, x.shape()});
      b.result(x * y + x);
      b.result(ir::reduce_sum(x * x - y, {0}));
    });
    expect_same(module, 32, row.what);
  }
}

// Slices that are whole rows are found where they lie; not in memory that a result takes.
TEST(Movement, DynamicSlicesInPlace) {
  for (bool donated : {false, true}) {
    for (int64_t start : {-3, 0, 2, 99}) {
      const ir::Module module = make_module([&](Builder& b) {
        ir::Parameter parameter{.name = "x"};
        if (donated) parameter.aliases_result = 0;
        const Value x = b.argument({DType::f32, {5, 2, 16}}, parameter);
        const Value at = b.filled(DType::i32, {}, static_cast<double>(start));
        const Value zero = b.filled(DType::i32, {}, 0), one = b.filled(DType::i32, {}, 1);
        const Value whole[] = {at, zero, zero}, half[] = {at, one, zero};
        const Value slice = ir::dynamic_slice(x, whole, {1, 2, 16});
        b.result(x * 2.0);
        b.result(slice);
        b.result(slice * slice);
        b.result(ir::transpose(slice, {2, 1, 0}));
        b.result(ir::reduce_sum(ir::slice(slice, {0, 1, 4}, {1, 2, 12}), {2}));
        b.result(ir::dynamic_slice(slice, half, {1, 1, 16}));
        b.result(ir::dynamic_slice(x, half, {1, 1, 16}) * 3.0);
      });
      expect_same(module, 32, str("from ", start, donated ? " donated" : ""));
    }
  }
}

ir::Module gather_module(DType dtype, DType index, const Shape& operand, const Shape& indices,
                         const ir::GatherAttributes& attributes) {
  return make_module([&](Builder& b) {
    const Value x = b.argument({dtype, operand}), at = b.argument({index, indices});
    b.result(ir::gather(x, at, attributes));
  });
}

TEST(Movement, Gather) {
  for (DType dtype : dtypes) {
    const ir::GatherAttributes rows{.offset_dims = {2},
                                    .collapsed_slice_dims = {0},
                                    .operand_batching_dims = {},
                                    .start_indices_batching_dims = {},
                                    .start_index_map = {0},
                                    .index_vector_dim = 2,
                                    .slice_sizes = {1, 5}};
    expect_same(gather_module(dtype, DType::i32, {7, 5}, {3, 4}, rows), 8, "rows", {-3, 9});
    const ir::GatherAttributes blocks{.offset_dims = {1, 2},
                                      .collapsed_slice_dims = {},
                                      .operand_batching_dims = {},
                                      .start_indices_batching_dims = {},
                                      .start_index_map = {1, 0},
                                      .index_vector_dim = 1,
                                      .slice_sizes = {2, 3}};
    expect_same(gather_module(dtype, DType::i64, {7, 5}, {6, 2}, blocks), 8, "blocks", {-3, 9});
  }
}

TEST(Movement, Scatter) {
  const ir::ScatterAttributes rows{.update_window_dims = {1},
                                   .inserted_window_dims = {0},
                                   .input_batching_dims = {},
                                   .scatter_indices_batching_dims = {},
                                   .scatter_dims_to_operand_dims = {0},
                                   .index_vector_dim = 1};
  const ir::ScatterAttributes cells{.update_window_dims = {},
                                    .inserted_window_dims = {0, 1},
                                    .input_batching_dims = {},
                                    .scatter_indices_batching_dims = {},
                                    .scatter_dims_to_operand_dims = {0, 1},
                                    .index_vector_dim = 1};
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
    for (std::optional<ir::OpCode> code :
         {std::optional<ir::OpCode>(), std::optional(ir::OpCode::add),
          std::optional(ir::OpCode::maximum), std::optional(ir::OpCode::multiply)}) {
      const auto build = [&](const Shape& indices, const Shape& updates,
                             const ir::ScatterAttributes& attributes) {
        return make_module([&](Builder& b) {
          const Value x = b.argument({dtype, {6, 4}}), at = b.argument({DType::i32, indices});
          const Value update = b.argument({dtype, updates});
          b.result(ir::scatter(x, at, update, attributes, code));
        });
      };
      expect_same(build({5, 1}, {5, 4}, rows), 32, "scatter rows", {-2, 7});
      expect_same(build({9, 2}, {9}, cells), 32, "scatter cells", {-2, 7});
    }
  }
}

TEST(Movement, Sort) {
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32, DType::u8, DType::i64}) {
    for (int64_t dimension : {0, 1}) {
      for (ir::Direction direction : {ir::Direction::lt, ir::Direction::gt}) {
        expect_same(make_module([&](Builder& b) {
                      const Value arrays[] = {b.argument({dtype, {6, 9}}),
                                              b.argument({DType::i32, {6, 9}})};
                      for (Value sorted :
                           ir::sort(arrays, {dimension, true}, [&](std::span<const Value> v) {
                             return ir::compare(v[0], v[1], direction);
                           })) {
                        b.result(sorted);
                      }
                    }),
                    8, "sort");
      }
    }
  }
  // Zeros and NaN made one before; and something else made of zero, which is another order.
  for (double zero : {0.0, -0.0, 1.5}) {
    expect_same(make_module([&](Builder& b) {
                  const auto united = [&](Value x) {
                    const Value at_zero =
                        ir::select(ir::compare(x, 0, ir::Direction::eq), b.filled_like(x, zero), x);
                    return ir::select(ir::compare(x, x, ir::Direction::ne),
                                      b.filled_like(x, std::nan("")), at_zero);
                  };
                  const Value given = b.argument({DType::f32, {2, 300}});
                  const Value whole = ir::unary(ir::OpCode::floor, given) /
                                      ir::unary(ir::OpCode::floor, given * 2.0);
                  const Value arrays[] = {whole, b.iota({DType::i32, {2, 300}}, 1)};
                  for (Value sorted : ir::sort(arrays, {1, true}, [&](std::span<const Value> v) {
                         return b.append_one(ir::OpCode::compare, {united(v[0]), united(v[1])},
                                             ir::CompareAttributes{ir::Direction::lt,
                                                                   ir::CompareType::total_order});
                       })) {
                    b.result(sorted);
                  }
                }),
                0, str("sort with ", zero, " for zero"));
  }
  // A comparator of one's own: by the absolute value of the second array.
  expect_same(
      make_module([&](Builder& b) {
        const Value arrays[] = {b.argument({DType::f32, {30}}), b.argument({DType::f32, {30}})};
        for (Value sorted : ir::sort(arrays, {0, true}, [&](std::span<const Value> v) {
               return ir::compare(ir::unary(ir::OpCode::abs, v[2]),
                                  ir::unary(ir::OpCode::abs, v[3]), ir::Direction::lt);
             })) {
          b.result(sorted);
        }
      }),
      8, "sort by abs");
}

}  // namespace
}  // namespace systolic
