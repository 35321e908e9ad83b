// Inputs that do not fit a layer: the message names the layer, what came, and what is wanted.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/nn/layers/all.h"
#include "systolic/nn/network/network.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/nn/symbol.h"
#include "systolic/trace/ops/creation.h"

namespace systolic {
namespace {

struct WrongInput {
  Layer (*make)();
  std::vector<Shape> inputs;  // without the batch
  std::vector<std::string> parts;
};

std::vector<WrongInput> table() {
  const std::string image = "4: [batch, height, width, channels]";
  const std::string sequence = "3: [batch, steps, channels]";
  return {
      {[] { return Layer(Dense{.units = 4}); }, {{}}, {"Dense 'dense'", "1 axis", "at least 2"}},
      {[] { return Layer(Attention{}); }, {{3, 4}}, {"Attention", "1 inputs", "query and value"}},
      {[] { return Layer(AdditiveAttention{}); },
       {{3, 4}, {5, 2}},
       {"AdditiveAttention", "query of", "the same features"}},
      {[] {
         return Layer(
             GroupQueryAttention{.head_dim = 2, .num_query_heads = 3, .num_key_value_heads = 2});
       },
       {{3, 4}, {3, 4}},
       {"GroupQueryAttention", "num_query_heads is 3, num_key_value_heads 2"}},
      {[] {
         return Layer(EinsumDense{.equation = "abc,cd->abd", .output_shape = {-1, 4}});
       },
       {{5}},
       {"EinsumDense 'einsum_dense'", "equation abc,cd->abd", "an axis for each letter"}},
      {[] {
         return Layer(EinsumDense{.equation = "ab,bc->ac", .output_shape = {2, 4}});
       },
       {{5}},
       {"EinsumDense", "output_shape has 2 sizes", "1, one for each of 'c'"}},
      {[] { return Layer(EinsumDense{.equation = "ab->ac", .output_shape = {4}}); },
       {{5}},
       {"EinsumDense", "equation is ab->ac", "two operands and a result"}},
      {[] { return Layer(TimeDistributed{.layer = Dense{.units = 3}}); },
       {{5}},
       {"TimeDistributed", "2 axes", "at least 3"}},
      {[] { return Layer(ConvLSTM2D{.filters = 2, .kernel_size = 2}); },
       {{3, 5, 2}},
       {"ConvLSTM2D", "4 axes", "[batch, steps, spatial..., channels]"}},
      {[] { return Layer(ConvLSTM1D{.filters = 2, .kernel_size = 9}); },
       {{3, 5, 2}},
       {"ConvLSTM1D", "9", "5"}},
      {[] {
         return Layer(Discretization{.bin_boundaries = std::vector<double>{1, 0}});
       },
       {{5}},
       {"Discretization", "bin_boundaries are 1", "in order"}},
      {[] { return Layer(Conv1D{.filters = 3, .kernel_size = 2}); },
       {{5}},
       {"Conv1D 'conv1d'", "2 axes", sequence}},
      {[] { return Layer(Conv2D{.filters = 3, .kernel_size = 3}); },
       {{28, 28}},
       {"Conv2D 'conv2d'", "3 axes", image, "expand_dims(x, -1)", "960 stands for None"}},
      {[] { return Layer(Conv2D{.filters = 3, .kernel_size = 7}); },
       {{5, 5, 1}},
       {"Conv2D 'conv2d'", "7", "5"}},
      {[] { return Layer(Conv2D{.filters = 4, .kernel_size = 3, .groups = 2}); },
       {{5, 5, 3}},
       {"Conv2D 'conv2d'", "3", "groups"}},
      {[] { return Layer(DepthwiseConv2D{.kernel_size = 3}); },
       {{5, 5}},
       {"DepthwiseConv2D 'depthwise_conv2d'", "3 axes", image}},
      {[] { return Layer(SeparableConv2D{.filters = 3, .kernel_size = 3}); },
       {{5, 5}},
       {"SeparableConv2D 'separable_conv2d'", "3 axes", image}},
      {[] { return Layer(MaxPooling1D{}); }, {{6}}, {"MaxPooling1D", "2 axes", sequence}},
      {[] { return Layer(MaxPooling2D{}); }, {{6, 6}}, {"MaxPooling2D", "3 axes", image}},
      {[] { return Layer(MaxPooling2D{.pool_size = 9}); }, {{6, 6, 1}}, {"MaxPooling2D", "9", "6"}},
      {[] { return Layer(AveragePooling1D{}); }, {{6}}, {"AveragePooling1D", "2 axes", sequence}},
      {[] { return Layer(AveragePooling2D{}); }, {{6, 6}}, {"AveragePooling2D", "3 axes", image}},
      {[] { return Layer(GlobalMaxPooling1D{}); },
       {{6}},
       {"GlobalMaxPooling1D", "2 axes", sequence}},
      {[] { return Layer(GlobalMaxPooling2D{}); },
       {{6, 6}},
       {"GlobalMaxPooling2D", "3 axes", image}},
      {[] { return Layer(GlobalAveragePooling1D{}); },
       {{6}},
       {"GlobalAveragePooling1D", "2 axes", sequence}},
      {[] { return Layer(GlobalAveragePooling2D{}); },
       {{6, 6}},
       {"GlobalAveragePooling2D", "3 axes", image}},
      {[] { return Layer(ZeroPadding2D{}); }, {{6, 6}}, {"ZeroPadding2D", "3 axes", image}},
      {[] { return Layer(MaxPooling3D{}); },
       {{6, 6, 1}},
       {"MaxPooling3D", "4 axes", "5: [batch, depth, height, width, channels]"}},
      {[] {
         return Layer(AdaptiveMaxPooling2D{.output_size = {0, 2}});
       },
       {{6, 6, 1}},
       {"AdaptiveMaxPooling2D", "output_size is 0", "1 or more"}},
      {[] {
         return Layer(ZeroPadding1D{.padding = {-1, 0}});
       },
       {{6, 1}},
       {"ZeroPadding1D", "padding is -1", "0 or more"}},
      {[] {
         return Layer(Cropping2D{.cropping = {{3, 3}, {0, 0}}});
       },
       {{6, 6, 1}},
       {"Cropping2D", "(3, 3) on an axis of 6"}},
      {[] { return Layer(UpSampling1D{.size = 0}); }, {{6, 1}}, {"UpSampling1D", "size is 0"}},
      {[] {
         return Layer(
             Conv2DTranspose{.filters = 2, .kernel_size = 3, .strides = 2, .dilation_rate = 2});
       },
       {{6, 6, 1}},
       {"Conv2DTranspose", "strides of 2 and a dilation_rate of 2"}},
      {[] {
         return Layer(
             Conv1DTranspose{.filters = 2, .kernel_size = 3, .strides = 2, .output_padding = 2});
       },
       {{6, 1}},
       {"Conv1DTranspose", "output_padding is 2", "from 0 to 1"}},
      {[] { return Layer(RepeatVector{.n = 2}); }, {{4, 2}}, {"RepeatVector", "3 axes", "2"}},
      {[] { return Layer(PReLU{.shared_axes = {3}}); }, {{4}}, {"PReLU", "shared_axes is 3"}},
      {[] { return Layer(GroupNormalization{.groups = 3}); },
       {{4}},
       {"GroupNormalization", "groups is 3 for 4 channels", "divisor"}},
      {[] { return Layer(SpatialDropout1D{.rate = 2}); },
       {{4, 2}},
       {"SpatialDropout1D", "rate is 2", "from 0 to 1"}},
      {[] { return Layer(GaussianDropout{.rate = 1}); },
       {{4}},
       {"GaussianDropout", "rate is 1", "below 1"}},
      {[] { return Layer(Dot{.axes = 1}); }, {{4}, {5}}, {"Dot", "axes 1 and 1", "one size"}},
      {[] { return Layer(Dot{.axes = 0}); }, {{4}, {4}}, {"Dot", "batch"}},
      {[] { return Layer(LSTM{.units = 0}); }, {{4, 2}}, {"LSTM", "units is 0"}},
      {[] { return Layer(LSTM{.units = 3}); }, {{4}}, {"LSTM", "2 axes", "steps"}},
      {[] { return Layer(GRU{.units = 3, .recurrent_dropout = 1}); },
       {{4, 2}},
       {"GRU", "rate is 1"}},
      {[] { return Layer(LSTM{.units = 3}); },
       {{4, 2}, {3}},
       {"LSTM", "1 first states", "2 after the sequence"}},
      {[] { return Layer(GRU{.units = 3}); },
       {{4, 2}, {4}},
       {"GRU", "first state 0 has shape (960, 4)", "(960, 3)"}},
      {[] { return Layer(Bidirectional{.layer = Dense{.units = 3}}); },
       {{4, 2}},
       {"Bidirectional", "kind Dense", "recurrent layer"}},
      {[] {
         return Layer(Bidirectional{.layer = GRU{.units = 3}, .backward_layer = GRU{.units = 3}});
       },
       {{4, 2}},
       {"Bidirectional", "both layers go the same way"}},
      {[] { return Layer(RandomFlip{}); }, {{6, 6}}, {"RandomFlip", "3 axes", image}},
      {[] {
         return Layer(Reshape{.target_shape = {5, 2}});
       },
       {{3, 3}},
       {"Reshape", "(5, 2)", "9 elements"}},
      {[] {
         return Layer(Permute{.dims = {2, 1, 3}});
       },
       {{3, 3}},
       {"Permute", "3 axes", "4"}},
      {[] { return Layer(BatchNormalization{}); }, {{}}, {"BatchNormalization", "1 axis", "2"}},
      {[] { return Layer(LayerNormalization{.axis = {3}}); },
       {{4}},
       {"LayerNormalization", "axis is 3", "from -2 to 1"}},
      {[] {
         return Layer(Normalization{.mean = std::vector<double>{1, 2},
                                    .variance = std::vector<double>{1, 4}});
       },
       {{3}},
       {"Normalization", "2", "3"}},
      {[] { return Layer(Softmax{.axis = 4}); }, {{4}}, {"Softmax", "axis is 4"}},
      {[] { return Layer(MultiHeadAttention{.num_heads = 2, .key_dim = 3}); },
       {{4}},
       {"MultiHeadAttention", "2 axes", "[batch, steps..., features]"}},
      {[] { return Layer(MultiHeadAttention{.num_heads = 0, .key_dim = 3}); },
       {{4, 2}},
       {"MultiHeadAttention", "num_heads is 0", "1 or more"}},
      {[] { return Layer(MultiHeadAttention{.num_heads = 2, .key_dim = 3}); },
       {{4, 2}, {5, 2}, {6, 2}},
       {"MultiHeadAttention", "(960, 6, 2, 3)", "source"}},
      {[] { return Layer(MultiHeadAttention{.num_heads = 2, .key_dim = 3}); },
       {{4, 2}, {5, 2}, {5, 2}, {5, 2}},
       {"MultiHeadAttention", "query, value and key", "masks"}},
      {[] { return Layer(ReversibleEmbedding{.input_dim = 5, .output_dim = 3}); },
       {{4, 2}},
       {"ReversibleEmbedding", "vectors of 2 numbers", "output_dim of them, 3"}},
      {[] { return Layer(PositionEmbedding{.sequence_length = 4}); },
       {{5, 2}},
       {"PositionEmbedding", "a sequence of 5", "sequence_length, 4"}},
      {[] { return Layer(PositionEmbedding{.sequence_length = 4, .start_index = -1}); },
       {{2, 2}},
       {"PositionEmbedding", "from position -1"}},
      {[] { return Layer(SinePositionEncoding{}); },
       {{5}},
       {"SinePositionEncoding", "2 axes", "[batch, ..., length, features]"}},
      {[] { return Layer(TransformerEncoder{.intermediate_dim = 4, .num_heads = 3}); },
       {{5, 4}},
       {"TransformerEncoder", "4 features for 3 heads", "multiple"}},
      {[] { return Layer(TransformerEncoder{.intermediate_dim = 4, .num_heads = 2}); },
       {{5, 4}, {5}},
       {"TransformerEncoder", "mask of f32", "pred or integers"}},
      {[] { return Layer(TransformerDecoder{.intermediate_dim = 4, .num_heads = 2}); },
       {{5, 4}, {5, 4}, {5, 4}},
       {"TransformerDecoder", "two sequences"}},
      {[] { return Layer(Add{}); }, {{4}, {5}}, {"Add 'add'", "4", "5"}},
      {[] { return Layer(Subtract{}); }, {{4}, {4}, {4}}, {"Subtract", "3 inputs", "two"}},
      {[] { return Layer(Multiply{}); }, {{4}, {5}}, {"Multiply", "4", "5"}},
      {[] { return Layer(Average{}); }, {{4}, {5}}, {"Average", "4", "5"}},
      {[] { return Layer(Maximum{}); }, {{4}, {5}}, {"Maximum", "4", "5"}},
      {[] { return Layer(Minimum{}); }, {{4}, {5}}, {"Minimum", "4", "5"}},
      {[] { return Layer(Concatenate{}); }, {{2, 3}, {4, 3}}, {"Concatenate", "2", "4"}},
  };
}

std::string message_of(const WrongInput& row) {
  try {
    std::vector<Symbol> inputs;
    for (const Shape& shape : row.inputs) inputs.push_back(input({.shape = shape}));
    row.make()(inputs);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

// On a device they would be clamped.
TEST(WrongInputs, IntegersBeyondAnEmbeddingAreFoundInACall) {
  const Layer layer = Embedding{.input_dim = 5, .output_dim = 3};
  layer(Tensor(Literal::of<int64_t>({{0, 4}})), CallOptions{});
  for (const Literal& wrong : {Literal::of<int64_t>({{0, 5}}), Literal::of<int32_t>({{0, -1}}),
                               Literal::of<float>({{0, 1.5}})}) {
    try {
      layer(Tensor(wrong), CallOptions{});
      ADD_FAILURE() << wrong;
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      for (const char* part : {"Embedding", "of shape (1, 2), element 1", "0 to 4"})
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
}

TEST(WrongInputs, EveryLayerNamesItselfWhatCameAndWhatIsWanted) {
  for (const WrongInput& row : table()) {
    const std::string message = message_of(row);
    for (const std::string& part : row.parts)
      EXPECT_NE(message.find(part), std::string::npos) << part << " in:\n" << message;
  }
}

// Masks of other steps, another batch or more axes than the sequences that they are given with.
TEST(WrongInputs, MasksThatDoNotFitAreRefused) {
  struct WrongMask {
    Layer (*make)();
    std::vector<Shape> sequences;
    Shape mask;
    std::vector<std::string> parts;
  };
  const auto heads = [] { return Layer(MultiHeadAttention{.num_heads = 2, .key_dim = 3}); };
  const auto groups = [] {
    return Layer(
        GroupQueryAttention{.head_dim = 2, .num_query_heads = 4, .num_key_value_heads = 2});
  };
  const std::vector<Shape> sequences{{2, 3, 4}, {2, 5, 4}};
  const WrongMask rows[] = {
      {heads, sequences, {2, 3, 4}, {"MultiHeadAttention", "mask", "(2, 1, 3, 4)", "(2, 2, 3, 5)"}},
      {heads, sequences, {3, 5}, {"MultiHeadAttention", "mask", "(3, 1, 1, 5)"}},
      {heads, sequences, {2, 4}, {"MultiHeadAttention", "mask", "(2, 1, 1, 4)"}},
      {groups, sequences, {2, 2, 5}, {"GroupQueryAttention", "mask", "(2, 1, 2, 5)"}},
      {groups, sequences, {2, 3, 3, 5}, {"GroupQueryAttention", "mask", "(2, 3, 3, 5)"}},
  };
  for (const WrongMask& row : rows) {
    std::vector<Tensor> inputs;
    for (const Shape& shape : row.sequences) inputs.push_back(zeros(shape));
    inputs.push_back(zeros(row.mask, DType::pred));
    try {
      row.make()(inputs, CallOptions{});
      ADD_FAILURE() << to_string(row.mask);
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      for (const std::string& part : row.parts)
        EXPECT_NE(message.find(part), std::string::npos) << part << " in:\n" << message;
    }
  }
}

TEST(WrongInputs, ANetworkThatKnowsItsShapesKeepsToThem) {
  const Network network =
      Sequential({Input{.shape = {8, 8, 1}}, Conv2D{.filters = 4, .kernel_size = 3}, Flatten{},
                  Dense{.units = 2}});
  for (const Shape& shape : {Shape{2, 8, 8, 3}, Shape{2, 9, 8, 1}, Shape{8, 8, 1}}) {
    try {
      network(zeros(shape));
      FAIL() << to_string(shape);
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(to_string(shape)), std::string::npos) << message;
      EXPECT_NE(message.find("8, 8, 1)"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace systolic
