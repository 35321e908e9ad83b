#include <gtest/gtest.h>

#include "systolic/base/text.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Axes;
using ir::Builder;
using ir::OpCode;
using ir::Value;

TEST(Reduction, Folds) {
  const Axes axes[] = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}, {}};
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32, DType::u8, DType::i64}) {
    for (OpCode code : {OpCode::add, OpCode::maximum, OpCode::minimum, OpCode::multiply}) {
      for (const Axes& reduced : axes) {
        expect_same(make_module([&](Builder& b) {
                      b.result(ir::reduce(b.argument({dtype, {5, 3, 7}}), code, reduced));
                    }),
                    64, str(ir::info(code).name, " over ", join(reduced)), {-1.5, 2});
      }
    }
  }
  for (OpCode code : {OpCode::and_, OpCode::or_}) {
    expect_same(make_module([&](Builder& b) {
                  b.result(ir::reduce(b.argument({DType::pred, {5, 3}}), code, {1}));
                }),
                1, "pred");
  }
}

// Axes of size 1, from the neutral element and from others.
TEST(Reduction, AlongAxesOfOneElement) {
  for (ir::OpCode code : {ir::OpCode::add, ir::OpCode::maximum, ir::OpCode::multiply}) {
    for (double initial : {0.0, 1.0, 2.5}) {
      expect_same(make_module([&](Builder& b) {
                    const Value x = b.argument({DType::f32, {1, 6, 1}});
                    std::vector<ir::Block> body;
                    body.push_back(b.fold_region(code, DType::f32));
                    const Value start = b.constant(Literal::filled(DType::f32, {}, initial));
                    b.result(b.append_one(ir::OpCode::reduce, {x, start},
                                          ir::AxesAttributes{{0, 2}}, std::move(body)));
                    b.result(ir::reduce(x * 2.0, code, {0}));
                  }),
                  4, str("from ", initial));
    }
  }
}

TEST(Reduction, OfComputedValues) {
  for (const Axes& reduced : {Axes{0}, Axes{1}, Axes{0, 1}}) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = b.argument({DType::f32, {33, 70}});
                  const Value y = b.argument({DType::f32, {70}});
                  const Value z = x * ir::broadcast_in_dim(y, {33, 70}, {1});
                  b.result(ir::reduce_sum(ir::unary(OpCode::exponential, z * 0.1), reduced));
                }),
                64, "fused sum");
  }
}

TEST(Reduction, Softmax) {
  expect_same(make_module([&](Builder& b) {
                const Value x = b.argument({DType::f32, {12, 10}});
                const Value m = ir::broadcast_in_dim(ir::reduce_max(x, {1}), {12, 10}, {0});
                const Value e = ir::unary(OpCode::exponential, x - m);
                b.result(e / ir::broadcast_in_dim(ir::reduce_sum(e, {1}), {12, 10}, {0}));
              }),
              16, "softmax");
}

// The largest element and where it is, in one reduce of two arrays.
TEST(Reduction, ArgMax) {
  for (int64_t axis : {0, 1}) {
    expect_same(
        make_module([&](Builder& b) {
          const Value x = b.argument({DType::f32, {6, 9}});
          const Value at = b.iota({DType::i32, {6, 9}}, axis);
          const ir::Type types[] = {
              {DType::f32, {}}, {DType::i32, {}}, {DType::f32, {}}, {DType::i32, {}}};
          ir::Block body = b.region(types, [](std::span<const Value> v) {
            const Value first = ir::compare(v[0], v[2], ir::Direction::ge);
            return std::vector<Value>{ir::select(first, v[0], v[2]), ir::select(first, v[1], v[3])};
          });
          const Value operands[] = {x, at, b.filled(DType::f32, {}, -1e30),
                                    b.filled(DType::i32, {}, 0)};
          std::vector<ir::Block> regions;
          regions.push_back(std::move(body));
          for (Value result :
               b.append(OpCode::reduce, operands, ir::AxesAttributes{{axis}}, std::move(regions))) {
            b.result(result);
          }
        }),
        1, "argmax");
  }
}

ir::WindowAttributes window(Axes size, Axes strides) {
  const size_t rank = size.size();
  return {std::move(size), std::move(strides), Axes(rank, 1), Axes(rank, 1),
          ir::Padding(rank, {0, 0})};
}

TEST(Reduction, Windows) {
  std::vector<ir::WindowAttributes> rows = {window({1, 2, 2, 1}, {1, 2, 2, 1}),
                                            window({1, 3, 3, 1}, {1, 1, 2, 1}),
                                            window({2, 1, 1, 3}, {1, 1, 1, 1})};
  rows.push_back(rows[1]);
  rows.back().padding = {{0, 0}, {1, 1}, {0, 2}, {0, 0}};
  rows.push_back(rows[1]);
  rows.back().window_dilations = {1, 2, 1, 1};
  rows.back().base_dilations = {1, 1, 3, 1};
  for (const ir::WindowAttributes& attributes : rows) {
    for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
      for (OpCode code : {OpCode::add, OpCode::maximum, OpCode::minimum}) {
        expect_same(
            make_module([&](Builder& b) {
              b.result(ir::reduce_window(b.argument({dtype, {2, 6, 7, 3}}), code, attributes));
            }),
            16, str("window ", ir::info(code).name));
      }
    }
  }
}

// NCHW, as PyTorch has it.
std::vector<ir::WindowAttributes> windows_of_planes() {
  std::vector<ir::WindowAttributes> rows = {window({1, 1, 2, 2}, {1, 1, 2, 2}),
                                            window({1, 1, 3, 3}, {1, 1, 2, 1}),
                                            window({1, 1, 7, 5}, {1, 1, 1, 1})};
  rows.push_back(rows[1]);
  rows.back().padding[2] = {1, 1};
  rows.back().padding[3] = {0, 2};
  return rows;
}

TEST(Reduction, WindowsOfPlanes) {
  for (const ir::WindowAttributes& attributes : windows_of_planes()) {
    for (OpCode code : {OpCode::add, OpCode::maximum, OpCode::minimum}) {
      expect_same(make_module([&](Builder& b) {
                    const Value x = b.argument({DType::f32, {3, 7, 9, 11}});
                    b.result(ir::reduce_window(x, code, attributes));
                  }),
                  16, str("window of planes ", ir::info(code).name));
    }
    expect_same(make_module([&](Builder& b) {
                  const Value x = b.argument({DType::f32, {3, 7, 9, 11}});
                  const Shape pooled = ir::reduce_window(x, OpCode::maximum, attributes).shape();
                  b.result(ir::select_and_scatter(x, b.argument({DType::f32, pooled}), attributes));
                }),
                16, "select_and_scatter of planes");
  }
}

// Running sums and extremes: windows over all of an axis, which end or begin at each element; and
// some that only look like them.
TEST(Reduction, RunningWindows) {
  const std::pair<Shape, int64_t> rows[] = {{{6, 2, 150}, 0}, {{3, 17, 4}, 1}, {{2, 3, 40}, 2}};
  for (const auto& [shape, axis] : rows) {
    const int64_t size = shape[static_cast<int>(axis)];
    ir::WindowAttributes running = window({1, 1, 1}, {1, 1, 1});
    running.window_dimensions[static_cast<size_t>(axis)] = size;
    for (const auto& [low, high] :
         {std::pair(size - 1, int64_t{0}), std::pair(int64_t{0}, size - 1),
          std::pair(size - 2, int64_t{1})}) {
      running.padding[static_cast<size_t>(axis)] = {low, high};
      for (DType dtype : {DType::f32, DType::bf16, DType::i32, DType::u8}) {
        for (OpCode code : {OpCode::add, OpCode::maximum, OpCode::minimum}) {
          // From the last element on, bf16 is rounded in another order.
          if (dtype == DType::bf16 && code == OpCode::add && low == 0) continue;
          const Shape& given = shape;
          expect_same(make_module([&](Builder& b) {
                        b.result(ir::reduce_window(b.argument({dtype, given}), code, running));
                      }),
                      dtype == DType::bf16 ? 0 : 64,
                      str("running ", ir::info(code).name, " along ", axis, " from ", low));
        }
      }
    }
  }
}

// From another start than the neutral one, which is folded once for each place of the padding.
TEST(Reduction, RunningWindowsFromElsewhere) {
  expect_same(make_module([&](Builder& b) {
                ir::WindowAttributes running = window({5, 1}, {1, 1});
                running.padding[0] = {4, 0};
                std::vector<ir::Block> body;
                body.push_back(b.fold_region(OpCode::add, DType::f32));
                b.result(b.append_one(OpCode::reduce_window,
                                      {b.argument({DType::f32, {5, 3}}),
                                       b.constant(Literal::filled(DType::f32, {}, 0.5))},
                                      running, std::move(body)));
              }),
              4, "from 0.5");
}

TEST(Reduction, SelectAndScatter) {
  for (const ir::WindowAttributes& attributes :
       {window({1, 2, 2, 1}, {1, 2, 2, 1}), window({1, 3, 3, 1}, {1, 1, 2, 1})}) {
    for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
      expect_same(make_module([&](Builder& b) {
                    const Value x = b.argument({dtype, {2, 6, 7, 3}});
                    const Shape pooled = ir::reduce_window(x, OpCode::maximum, attributes).shape();
                    b.result(ir::select_and_scatter(x, b.argument({dtype, pooled}), attributes));
                  }),
                  16, "select_and_scatter");
    }
  }
}

TEST(Random, Bits) {
  for (ir::RngAlgorithm algorithm : {ir::RngAlgorithm::three_fry, ir::RngAlgorithm::philox}) {
    for (DType dtype : {DType::u8, DType::u16, DType::u32, DType::u64}) {
      for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{4, 5}, Shape{3, 3, 2}}) {
        expect_same(make_module([&](Builder& b) {
                      const auto [state, bits] = ir::rng_bit_generator(
                          b.argument({DType::u64, {2}}), {dtype, shape}, algorithm);
                      b.result(state);
                      b.result(bits);
                    }),
                    {Literal::of<uint64_t>({0x123456789abcdef0u, 42})}, 1, "random bits");
      }
    }
  }
}

}  // namespace
}  // namespace systolic
