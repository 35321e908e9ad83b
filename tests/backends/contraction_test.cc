#include <gtest/gtest.h>

#include "systolic/base/text.h"
#include "systolic/ir/window.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;

struct Dot {
  Shape lhs, rhs;
  ir::DotAttributes attributes;
};

TEST(Contraction, DotGeneral) {
  const Dot rows[] = {
      {{3, 4}, {4, 5}, {{}, {}, {1}, {0}}},
      {{4, 3}, {4, 5}, {{}, {}, {0}, {0}}},
      {{3, 4}, {5, 4}, {{}, {}, {1}, {1}}},
      {{4, 3}, {5, 4}, {{}, {}, {0}, {1}}},
      {{4}, {4}, {{}, {}, {0}, {0}}},
      {{3}, {4}, {{}, {}, {}, {}}},
      {{4}, {4, 7}, {{}, {}, {0}, {0}}},
      {{65, 130}, {130, 33}, {{}, {}, {1}, {0}}},
      {{2, 3, 4}, {2, 4, 5}, {{0}, {0}, {2}, {1}}},
      {{3, 2, 4}, {4, 5, 2}, {{1}, {2}, {2}, {0}}},
      {{2, 3, 4, 5}, {2, 3, 6, 5}, {{0, 1}, {0, 1}, {3}, {3}}},
      {{2, 3, 4, 5}, {5, 3, 2}, {{}, {}, {1, 3}, {1, 0}}},
      {{0, 4}, {4, 5}, {{}, {}, {1}, {0}}},
      {{3, 0}, {0, 5}, {{}, {}, {1}, {0}}},
  };
  for (const Dot& row : rows) {
    for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i32, DType::i8}) {
      expect_same_op(ir::OpCode::dot_general, {{dtype, row.lhs}, {dtype, row.rhs}}, row.attributes,
                     32);
    }
  }
}

// Sums of bytes that bytes do not hold.
TEST(Contraction, BytesGiveResultsOf32Bits) {
  for (DType dtype : {DType::i8, DType::u8}) {
    for (const Dot& row : {Dot{{3, 400}, {400, 5}, {{}, {}, {1}, {0}}},
                           Dot{{2, 70, 33}, {2, 40, 70}, {{0}, {0}, {1}, {2}}}}) {
      expect_same_op(ir::OpCode::dot_general, {{dtype, row.lhs}, {dtype, row.rhs}}, row.attributes,
                     0, {.low = 0, .high = 120}, {{DType::i32, {}}});
    }
  }
}

// Products that are transposed, as gradients are; read once, and elsewhere too.
TEST(Contraction, TransposedProducts) {
  struct Row {
    Dot dot;
    ir::Axes order;
  };
  const Row rows[] = {
      {{{8, 3}, {8, 5}, {{}, {}, {0}, {0}}}, {1, 0}},
      {{{8, 3}, {8, 5}, {{}, {}, {0}, {0}}}, {0, 1}},
      {{{4, 8, 3}, {4, 8, 2, 5}, {{}, {}, {0, 1}, {0, 1}}}, {2, 0, 1}},
      {{{4, 8, 3}, {4, 8, 2, 5}, {{}, {}, {0, 1}, {0, 1}}}, {1, 2, 0}},
      {{{4, 8, 2, 5}, {4, 8, 3}, {{}, {}, {0, 1}, {0, 1}}}, {2, 1, 0}},
      {{{2, 6, 3, 4}, {2, 3, 5, 6}, {{0, 2}, {0, 1}, {1}, {3}}}, {0, 3, 1, 2}},
      {{{2, 3, 4}, {2, 4}, {{0}, {0}, {2}, {1}}}, {1, 0}},
      {{{0, 3}, {0, 5}, {{}, {}, {0}, {0}}}, {1, 0}},
      // Heads, which lie between the steps and the features.
      {{{2, 3, 6, 7}, {2, 7, 3, 5}, {{0, 1}, {0, 2}, {3}, {1}}}, {0, 2, 1, 3}},
      {{{2, 6, 3, 7}, {2, 5, 3, 7}, {{0, 2}, {0, 2}, {3}, {3}}}, {0, 2, 1, 3}},
      {{{2, 6, 3, 7}, {2, 5, 3, 7}, {{0, 2}, {0, 2}, {3}, {3}}}, {2, 1, 0, 3}},
      {{{2, 6, 3, 7}, {2, 5, 3, 7}, {{0, 2}, {0, 2}, {3}, {3}}}, {0, 2, 3, 1}},
      {{{2, 6, 3, 7}, {3, 2, 7}, {{0, 2}, {1, 0}, {3}, {2}}}, {2, 0, 1}},
      {{{2, 6, 1, 7}, {2, 1, 5, 7}, {{0, 2}, {0, 1}, {3}, {3}}}, {0, 2, 1, 3}},
      {{{2, 6, 3, 7}, {2, 0, 3, 7}, {{0, 2}, {0, 2}, {3}, {3}}}, {0, 2, 1, 3}},
      {{{2, 2, 3, 4, 7}, {2, 2, 3, 7, 5}, {{0, 1, 2}, {0, 1, 2}, {4}, {3}}}, {0, 3, 1, 2, 4}},
  };
  for (const Row& row : rows) {
    for (bool kept : {false, true}) {
      for (DType dtype : {DType::f32, DType::bf16, DType::i32}) {
        expect_same(make_module([&](Builder& b) {
                      const Value x = b.argument({dtype, row.dot.lhs});
                      const Value y = b.argument({dtype, row.dot.rhs});
                      const Value product = ir::dot_general(x, y, row.dot.attributes);
                      const Value turned = ir::transpose(product, row.order);
                      b.result(b.argument({dtype, turned.shape()}) - turned);
                      if (kept) b.result(product + product);
                    }),
                    32, str("order ", join(row.order), kept ? " kept" : ""));
      }
    }
  }
}

TEST(Contraction, DotOfNarrowTypesIntoWide) {
  for (DType dtype : {DType::bf16, DType::f16, DType::i8}) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = b.argument({dtype, {9, 17}}), y = b.argument({dtype, {17, 6}});
                  b.result(ir::dot_general(x, y, {{}, {}, {1}, {0}},
                                           is_float(dtype) ? DType::f32 : DType::i32));
                }),
                32, "wide dot");
  }
}

TEST(Contraction, DotOfViews) {
  expect_same(
      make_module([&](Builder& b) {
        const Value x = b.argument({DType::f32, {2, 3, 8, 5}});
        const Value q = ir::transpose(x, {0, 2, 1, 3});
        const Value k = ir::slice(x, {0, 0, 2, 0}, {2, 3, 6, 5});
        b.result(ir::dot_general(q, ir::transpose(k, {0, 2, 1, 3}), {{0, 2}, {0, 2}, {3}, {3}}));
        b.result(ir::dot(ir::reverse(b.argument({DType::f32, {4, 5}}), {0, 1}),
                         ir::broadcast_in_dim(b.argument({DType::f32, {5}}), {5, 3}, {0})));
      }),
      32, "views");
}

TEST(Contraction, DenseLayer) {
  for (bool relu : {false, true}) {
    expect_same(make_module([&](Builder& b) {
                  const Value x = b.argument({DType::f32, {9, 20}});
                  const Value w = b.argument({DType::f32, {20, 33}});
                  const Value bias = b.argument({DType::f32, {33}});
                  Value y = ir::dot(x, w) + ir::broadcast_in_dim(bias, {9, 33}, {1});
                  if (relu) y = ir::binary(ir::OpCode::maximum, y, b.filled_like(y, 0));
                  b.result(y);
                }),
                32, "dense");
  }
}

// A bias along all axes of the weights that stay, as attention has it, or along some of them.
TEST(Contraction, DenseLayerOfSeveralAxes) {
  for (const ir::Axes& axes : {ir::Axes{2, 3}, ir::Axes{3}, ir::Axes{1, 2}, ir::Axes{}}) {
    expect_same(
        make_module([&](Builder& b) {
          const Value x = b.argument({DType::f32, {3, 4, 20}});
          const Value w = b.argument({DType::f32, {20, 4, 7}});
          const Value y = ir::dot_general(x, w, {{}, {}, {2}, {0}});
          std::vector<int64_t> sizes;
          for (int64_t axis : axes) sizes.push_back(y.shape()[static_cast<int>(axis)]);
          const Value bias = b.argument({DType::f32, Shape(sizes)});
          b.result(ir::binary(ir::OpCode::maximum, y + ir::broadcast_in_dim(bias, y.shape(), axes),
                              b.filled_like(y, 0)));
        }),
        32, str("bias along ", join(axes)));
  }
}

// A gradient that only an update of the same shape reads, as optimizers do. Sizes with parts of
// tiles, one row, one column; more columns or steps than are summed by rows; a gradient that is
// read elsewhere too, or by another shape; parameters that are also an operand of the product.
TEST(Contraction, UpdateWithAProduct) {
  struct Row {
    int64_t m, n, k;
    bool kept = false, turned = false, square = false;
  };
  const Row rows[] = {{100, 33, 8},
                      {784, 128, 32},
                      {128, 10, 32},
                      {1, 70, 5},
                      {70, 1, 5},
                      {30, 512, 256},
                      {30, 513, 7},
                      {30, 8, 257},
                      {64, 48, 16, true},
                      {64, 48, 16, false, true},
                      {48, 48, 48, false, false, true}};
  for (const Row& row : rows) {
    const ir::Module module = make_module([&](Builder& b) {
      const ir::Type type{DType::f32, {row.m, row.n}};
      const Value x = b.argument({DType::f32, {row.k, row.m}});
      const Value w = b.argument(type, {.name = "w", .aliases_result = 0});
      const Value v = b.argument(type, {.name = "v", .aliases_result = 1});
      const Value bias = b.argument({DType::f32, {row.n}});
      const Value dy = row.square ? w : b.argument({DType::f32, {row.k, row.n}});
      Value gradient = ir::dot_general(x, dy, {{}, {}, {0}, {0}}, DType::f32);
      if (row.turned) gradient = ir::reshape(gradient, {row.n, row.m});
      const Value slot = row.turned ? ir::reshape(v, {row.n, row.m}) : v;
      Value moved = slot + (gradient * gradient - slot) * 0.1;
      Value step = gradient * 0.01;
      if (row.turned) {
        moved = ir::reshape(moved, type.shape);
        step = ir::reshape(step, type.shape);
      }
      b.result(w - step + ir::broadcast_in_dim(bias, type.shape, {1}));
      b.result(moved);
      if (row.kept) b.result(gradient);
    });
    expect_same(module, 64, str(row.m, " x ", row.n, " sums of ", row.k), {-1, 1});
  }
}

struct Convolution {
  const char* what;
  Shape input, kernel;
  ir::ConvolutionAttributes a;
};

constexpr auto images = ir::channels_last_convolution;

ir::ConvolutionAttributes with(ir::ConvolutionAttributes a,
                               const std::function<void(ir::ConvolutionAttributes&)>& change) {
  change(a);
  return a;
}

// The shape of [batch, features, spatial] images with [out, in, spatial] kernels.
ir::ConvolutionAttributes channels_first() {
  return with(images(2), [](auto& a) {
    a.input_feature_dimension = a.output_feature_dimension = 1;
    a.input_spatial_dimensions = a.output_spatial_dimensions = {2, 3};
    a.kernel_output_feature_dimension = 0;
    a.kernel_input_feature_dimension = 1;
    a.kernel_spatial_dimensions = {2, 3};
  });
}

std::vector<Convolution> convolutions() {
  using A = ir::ConvolutionAttributes;
  std::vector<Convolution> rows = {
      {"plain", {2, 8, 9, 3}, {3, 3, 3, 5}, images(2)},
      {"32 channels", {2, 11, 10, 32}, {3, 3, 32, 32}, images(2)},
      {"padded",
       {2, 8, 9, 3},
       {3, 2, 3, 5},
       with(images(2),
            [](A& a) {
              a.padding = {{1, 1}, {0, 2}};
            })},
      {"strides",
       {2, 9, 9, 4},
       {3, 3, 4, 6},
       with(images(2),
            [](A& a) {
              a.window_strides = {2, 3};
              a.padding = {{1, 0}, {1, 1}};
            })},
      {"dilated",
       {1, 12, 11, 4},
       {3, 2, 4, 6},
       with(images(2),
            [](A& a) {
              a.rhs_dilation = {2, 3};
            })},
      {"groups",
       {2, 7, 7, 6},
       {3, 3, 2, 9},
       with(images(2), [](A& a) { a.feature_group_count = 3; })},
      {"depthwise",
       {2, 7, 7, 6},
       {3, 3, 1, 6},
       with(images(2), [](A& a) { a.feature_group_count = 6; })},
      {"1-d",
       {2, 20, 3},
       {5, 3, 4},
       with(images(1),
            [](A& a) {
              a.padding = {{2, 2}};
            })},
      {"3-d", {1, 5, 6, 7, 2}, {2, 3, 2, 2, 3}, images(3)},
      {"0-d", {4, 3}, {3, 5}, images(0)},
      {"negative padding",
       {2, 8, 8, 3},
       {3, 3, 3, 4},
       with(images(2),
            [](A& a) {
              a.padding = {{-1, 2}, {1, -2}};
            })},
      {"channels first", {2, 3, 8, 9}, {5, 3, 3, 3}, channels_first()},
      {"reversed",
       {2, 8, 8, 3},
       {3, 3, 3, 4},
       with(images(2),
            [](A& a) {
              a.window_reversal = {true, true};
            })},
      {"half reversed",
       {2, 8, 8, 3},
       {3, 3, 3, 4},
       with(images(2),
            [](A& a) {
              a.window_reversal = {true, false};
            })},
      // The gradient of the input: dy [2, 6, 6, 5], kernel as [h, w, in, out].
      {"data gradient",
       {2, 6, 6, 5},
       {3, 3, 4, 5},
       with(images(2),
            [](A& a) {
              a.kernel_input_feature_dimension = 3;
              a.kernel_output_feature_dimension = 2;
              a.window_reversal = {true, true};
              a.padding = {{2, 2}, {2, 2}};
            })},
      {"data gradient, 32 channels",
       {2, 6, 6, 32},
       {3, 3, 32, 32},
       with(images(2),
            [](A& a) {
              a.kernel_input_feature_dimension = 3;
              a.kernel_output_feature_dimension = 2;
              a.window_reversal = {true, true};
              a.padding = {{2, 2}, {2, 2}};
            })},
      {"strided data gradient",
       {2, 4, 3, 5},
       {3, 3, 4, 5},
       with(images(2),
            [](A& a) {
              a.kernel_input_feature_dimension = 3;
              a.kernel_output_feature_dimension = 2;
              a.window_reversal = {true, true};
              a.lhs_dilation = {2, 3};
              a.padding = {{1, 2}, {2, 3}};
            })},
      {"transposed",
       {2, 4, 3, 5},
       {4, 3, 5, 4},
       with(images(2),
            [](A& a) {
              a.lhs_dilation = {2, 3};
              a.padding = {{2, 1}, {1, 2}};
            })},
      {"transposed along one axis, one kernel element along the other",
       {2, 4, 3, 6},
       {1, 3, 3, 4},
       with(images(2),
            [](A& a) {
              a.lhs_dilation = {1, 2};
              a.feature_group_count = 2;
              a.padding = {{0, 0}, {2, 1}};
            })},
      {"grouped data gradient",
       {2, 6, 6, 6},
       {3, 3, 3, 8},
       with(images(2),
            [](A& a) {
              a.feature_group_count = 2;
              a.window_reversal = {true, true};
              a.padding = {{2, 2}, {1, 2}};
            })},
      // The gradient of the weights: x [3, 9, 9, 4], dy [3, 7, 7, 5].
      {"weight gradient",
       {3, 9, 9, 4},
       {3, 7, 7, 5},
       with(images(2),
            [](A& a) {
              a.input_batch_dimension = 3;
              a.input_feature_dimension = 0;
              a.kernel_input_feature_dimension = 0;
              a.kernel_spatial_dimensions = {1, 2};
              a.kernel_output_feature_dimension = 3;
              a.output_batch_dimension = 2;
              a.output_spatial_dimensions = {0, 1};
            })},
      {"weight gradient, 32 channels",
       {3, 9, 9, 32},
       {3, 7, 7, 32},
       with(images(2),
            [](A& a) {
              a.input_batch_dimension = 3;
              a.input_feature_dimension = 0;
              a.kernel_input_feature_dimension = 0;
              a.kernel_spatial_dimensions = {1, 2};
              a.kernel_output_feature_dimension = 3;
              a.output_batch_dimension = 2;
              a.output_spatial_dimensions = {0, 1};
            })},
      {"strided weight gradient",
       {3, 9, 9, 4},
       {3, 4, 4, 5},
       with(images(2),
            [](A& a) {
              a.input_batch_dimension = 3;
              a.input_feature_dimension = 0;
              a.kernel_input_feature_dimension = 0;
              a.kernel_spatial_dimensions = {1, 2};
              a.kernel_output_feature_dimension = 3;
              a.output_batch_dimension = 2;
              a.output_spatial_dimensions = {0, 1};
              a.rhs_dilation = {2, 2};
              a.padding = {{1, 0}, {0, 0}};
            })},
      {"batch groups",
       {6, 9, 9, 4},
       {7, 7, 4, 6},
       with(images(2), [](A& a) { a.batch_group_count = 3; })},
  };
  return rows;
}

TEST(Contraction, Convolutions) {
  for (const Convolution& row : convolutions()) {
    for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i32}) {
      expect_same(make_module([&](Builder& b) {
                    const Value x = b.argument({dtype, row.input});
                    b.result(ir::convolution(x, b.argument({dtype, row.kernel}), row.a));
                  }),
                  64, str("convolution ", row.what, " ", to_string(dtype)));
    }
  }
}

TEST(Contraction, ReversedKernelAsAView) {
  expect_same(make_module([&](Builder& b) {
                ir::ConvolutionAttributes a = images(2);
                a.kernel_input_feature_dimension = 3;
                a.kernel_output_feature_dimension = 2;
                a.padding = {{2, 2}, {2, 2}};
                const Value dy = b.argument({DType::f32, {2, 6, 6, 5}});
                const Value w = b.argument({DType::f32, {3, 3, 4, 5}});
                b.result(ir::convolution(dy, ir::reverse(w, {0, 1}), a));
              }),
              64, "reversed view");
}

}  // namespace
}  // namespace systolic
