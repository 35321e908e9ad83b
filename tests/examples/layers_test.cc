// Layers of convolution and pooling under both of Keras's names, with results worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

// 0, 1, 2, ... of a shape.
Tensor counted(const Shape& shape) { return reshape(range(shape.elements(), DType::f32), shape); }

TEST(LayerExamples, PoolingByBothNames) {
  const Layer max_1d = MaxPool1D{.pool_size = 2};
  const Layer max_2d = MaxPool2D{.pool_size = 2};
  const Layer max_3d = MaxPool3D{.pool_size = 2};
  const Layer average_1d = AvgPool1D{.pool_size = 2};
  const Layer average_2d = AvgPool2D{.pool_size = 2};
  const Layer average_3d = AvgPool3D{.pool_size = 2};
  expect_numbers(max_1d(counted({1, 4, 1})), {1, 3});
  expect_numbers(max_2d(counted({1, 2, 2, 1})), {3});
  expect_numbers(max_3d(counted({1, 2, 2, 2, 1})), {7});
  expect_numbers(average_1d(counted({1, 4, 1})), {0.5, 2.5});
  expect_numbers(average_2d(counted({1, 2, 2, 1})), {1.5});
  expect_numbers(average_3d(counted({1, 2, 2, 2, 1})), {3.5});
}

TEST(LayerExamples, GlobalPoolingByBothNames) {
  const Layer max_1d = GlobalMaxPool1D{};
  const Layer max_2d = GlobalMaxPool2D{};
  const Layer max_3d = GlobalMaxPool3D{};
  const Layer average_1d = GlobalAvgPool1D{};
  const Layer average_2d = GlobalAvgPool2D{};
  const Layer average_3d = GlobalAvgPool3D{.keepdims = true};
  expect_numbers(max_1d(counted({1, 4, 2})), {6, 7});
  expect_numbers(max_2d(counted({1, 2, 2, 2})), {6, 7});
  expect_numbers(max_3d(counted({1, 2, 2, 2, 1})), {7});
  expect_numbers(average_1d(counted({1, 4, 2})), {3, 4});
  expect_numbers(average_2d(counted({1, 2, 2, 2})), {3, 4});
  EXPECT_EQ(average_3d(counted({1, 2, 2, 2, 1})).shape(), (Shape{1, 1, 1, 1, 1}));
}

// With kernels of ones, each output is the sum of what it sees.
TEST(LayerExamples, ConvolutionsByBothNames) {
  const Layer one = Convolution1D{.filters = 1, .kernel_size = 2, .kernel_initializer = "ones"};
  const Layer two = Convolution2D{.filters = 1, .kernel_size = 2, .kernel_initializer = "ones"};
  const Layer three = Convolution3D{.filters = 1, .kernel_size = 2, .kernel_initializer = "ones"};
  expect_numbers(one(counted({1, 3, 1})), {1, 3});
  expect_numbers(two(counted({1, 2, 2, 1})), {6});
  expect_numbers(three(counted({1, 2, 2, 2, 1})), {28});

  const Layer back_one =
      Convolution1DTranspose{.filters = 1, .kernel_size = 2, .kernel_initializer = "ones"};
  const Layer back_two =
      Convolution2DTranspose{.filters = 1, .kernel_size = 2, .kernel_initializer = "ones"};
  const Layer back_three =
      Convolution3DTranspose{.filters = 1, .kernel_size = 2, .kernel_initializer = "ones"};
  expect_numbers(back_one(counted({1, 3, 1})), {0, 1, 3, 2});
  expect_numbers(back_two(ones({1, 1, 1, 1})), {1, 1, 1, 1});
  EXPECT_EQ(back_three(ones({1, 2, 2, 2, 1})).shape(), (Shape{1, 3, 3, 3, 1}));

  const Layer separable_one = SeparableConvolution1D{.filters = 1,
                                                     .kernel_size = 2,
                                                     .depthwise_initializer = "ones",
                                                     .pointwise_initializer = "ones"};
  const Layer separable_two = SeparableConvolution2D{.filters = 1,
                                                     .kernel_size = 2,
                                                     .depthwise_initializer = "ones",
                                                     .pointwise_initializer = "ones"};
  expect_numbers(separable_one(counted({1, 3, 2})), {6, 14});
  expect_numbers(separable_two(counted({1, 2, 2, 1})), {6});
}

// The layers of each number of axes are made by one template.
TEST(LayerExamples, OneTemplateForOneToThreeAxes) {
  static_assert(std::is_same_v<SeparableConv2D, SeparableConvolution<2>>);
  static_assert(std::is_same_v<DepthwiseConv2D, DepthwiseConvolution<2>>);
  static_assert(std::is_same_v<Conv2DTranspose, TransposedConvolution<2>>);
  static_assert(std::is_same_v<MaxPooling2D, Pooling<Pool::max, 2>>);
  static_assert(std::is_same_v<AdaptiveMaxPooling1D, AdaptivePooling<Pool::max, 1>>);
  static_assert(std::is_same_v<GlobalMaxPooling1D, GlobalPooling<Pool::max, 1>>);
  static_assert(std::is_same_v<SpatialDropout1D, SpatialDropout<1>>);
  static_assert(std::is_same_v<Cropping3D, Cropping<3>>);
  static_assert(std::is_same_v<UpSampling3D, UpSampling<3>>);
  static_assert(std::is_same_v<ZeroPadding3D, ZeroPadding<3>>);
  static_assert(std::is_same_v<ConvLSTM2D, ConvLSTM<2>>);
  static_assert(std::is_same_v<Subtract, Merging<Merge::subtract>>);

  EXPECT_STREQ(convolution_kinds[1], Conv2D::kind);
  EXPECT_STREQ(transposed_convolution_kinds[1], Conv2DTranspose::kind);
  EXPECT_STREQ(pooling_kinds[1][0], AveragePooling1D::kind);
  EXPECT_STREQ(global_pooling_kinds[0][2], GlobalMaxPooling3D::kind);
  EXPECT_STREQ(adaptive_pooling_kinds[0][1], AdaptiveMaxPooling2D::kind);
  EXPECT_STREQ(spatial_dropout_kinds[2], SpatialDropout3D::kind);
  EXPECT_STREQ(cropping_kinds[0], Cropping1D::kind);
  EXPECT_STREQ(zero_padding_kinds[0], ZeroPadding1D::kind);
  EXPECT_STREQ(conv_lstm_kinds[0], ConvLSTM1D::kind);
  EXPECT_STREQ(merging_kinds[0], Add::kind);
}

TEST(LayerExamples, DotProductsAlongAxes) {
  const DotAxes last_of_both = 1;
  const Layer similarity = Dot{.axes = last_of_both};
  expect_numbers(similarity({constant({{1.f, 2.f}}), constant({{3.f, 4.f}})}), {11});
}

// A layer of one's own: a struct with `call`.
struct AddBias {
  Tensor call(const Tensor& x, CallContext& context) const {
    const WeightOptions starts_as_ones{.initializer = "ones", .trainable = false};
    return x + context.weight("bias", {x.shape()[-1]}, starts_as_ones);
  }
};
struct SumOfAll {
  Tensor call(const std::vector<Tensor>& xs, CallContext&) const { return add(xs[0], xs[1]); }
};
struct ForgotConst {
  Tensor call(const Tensor& x, CallContext&) { return x; }
};
// A layer around another.
struct Twice {
  InnerLayer inner;
  Tensor call(const Tensor& x, CallContext& context) const {
    return inner.layer()(inner.layer()(x, context), context);
  }
};

TEST(LayerExamples, OfOnesOwn) {
  static_assert(SingleInputSpec<AddBias> && LayerSpec<AddBias>);
  static_assert(ManyInputsSpec<SumOfAll> && MistakenLayerSpec<ForgotConst>);
  const Layer plus_one = AddBias{};
  expect_numbers(plus_one(constant({{1.f, 2.f}})), {2, 3});
  const Layer plus_two = Twice{.inner = AddBias{}};
  expect_numbers(plus_two(constant({{1.f, 2.f}})), {3, 4});
  EXPECT_EQ(layer_kinds(LayerList<Dense, Dropout>{}),
            (std::vector<std::string>{"Dense", "Dropout"}));
}

TEST(LayerExamples, IntegersThatAreLookedUp) {
  std::vector<IntegerRange> ranges;
  const Layer table = Embedding{.input_dim = 7, .output_dim = 2};
  table(constant({{1, 2}}), {.integer_ranges = &ranges});
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges.front().limit, 7);
}

TEST(SymbolExamples, ShapesAreKnownBeforeThereIsData) {
  const InputOptions pictures{.shape = {28, 28, 1}, .name = "pictures"};
  const Symbol x = input(pictures);
  const SymbolType type = x.type();
  EXPECT_EQ(shape_text(type.shape), "(None, 28, 28, 1)");
  EXPECT_EQ(known_shape(type.shape, {8, 28, 28, 1}), (Shape{8, 28, 28, 1}));
  const SymbolOperand scale = 1 / 255.0;
  EXPECT_EQ((x * scale).shape(), type.shape);
  const InputRules of_words{.values_below = 1000};
  EXPECT_EQ(of_words.values_below, 1000);
}

}  // namespace
}  // namespace systolic
