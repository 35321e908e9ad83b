// Every layer through the one layer test.
#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/nn/layers/all.h"
#include "systolic/nn/layers/run_layer_test.h"

namespace systolic {
namespace {

std::vector<LayerCase> cases() {
  using C = LayerCase;
  return {
      C{"dense", [] { return Layer(Dense{.units = 4, .activation = "tanh"}); }, {{5}}, {4}, 2},
      C{"dense on a sequence",
        [] { return Layer(Dense{.units = 4, .use_bias = false}); },
        {{2, 5}},
        {2, 4},
        1},
      C{"conv1d causal",
        [] {
          return Layer(
              Conv1D{.filters = 3, .kernel_size = 2, .padding = "causal", .dilation_rate = 2});
        },
        {{6, 2}},
        {6, 3},
        2},
      C{"conv1d strided",
        [] {
          return Layer(Conv1D{.filters = 3, .kernel_size = 3, .strides = 2, .padding = "same"});
        },
        {{7, 2}},
        {4, 3},
        2},
      C{"conv2d valid",
        [] {
          return Layer(Conv2D{.filters = 3, .kernel_size = {2, 3}});
        },
        {{5, 5, 2}},
        {4, 3, 3},
        2},
      C{"conv2d same, strided, in groups",
        [] {
          return Layer(
              Conv2D{.filters = 4, .kernel_size = 3, .strides = 2, .padding = "same", .groups = 2});
        },
        {{5, 5, 2}},
        {3, 3, 4},
        2},
      C{"depthwise",
        [] { return Layer(DepthwiseConv2D{.kernel_size = 3, .depth_multiplier = 2}); },
        {{5, 4, 2}},
        {3, 2, 4},
        2},
      C{"separable",
        [] { return Layer(SeparableConv2D{.filters = 3, .kernel_size = 3, .padding = "same"}); },
        {{4, 4, 2}},
        {4, 4, 3},
        3},
      C{"max pooling", [] { return Layer(MaxPooling2D{}); }, {{5, 4, 2}}, {2, 2, 2}},
      C{"max pooling same",
        [] { return Layer(MaxPooling2D{.pool_size = 3, .strides = 2, .padding = "same"}); },
        {{5, 4, 2}},
        {3, 2, 2}},
      C{"average pooling same",
        [] { return Layer(AveragePooling2D{.pool_size = 3, .strides = 2, .padding = "same"}); },
        {{5, 4, 2}},
        {3, 2, 2}},
      C{"max pooling 1d", [] { return Layer(MaxPooling1D{}); }, {{6, 2}}, {3, 2}},
      C{"average pooling 1d",
        [] { return Layer(AveragePooling1D{.pool_size = 3}); },
        {{6, 2}},
        {2, 2}},
      C{"global average 2d", [] { return Layer(GlobalAveragePooling2D{}); }, {{3, 4, 2}}, {2}},
      C{"global max 2d",
        [] { return Layer(GlobalMaxPooling2D{.keepdims = true}); },
        {{3, 4, 2}},
        {1, 1, 2}},
      C{"global average 1d", [] { return Layer(GlobalAveragePooling1D{}); }, {{4, 2}}, {2}},
      C{"global max 1d", [] { return Layer(GlobalMaxPooling1D{}); }, {{4, 2}}, {2}},
      C{"flatten", [] { return Layer(Flatten{}); }, {{2, 3}}, {6}, 0, 0, true},
      C{"reshape",
        [] {
          return Layer(Reshape{.target_shape = {3, -1}});
        },
        {{2, 3}},
        {3, 2},
        0,
        0,
        true},
      C{"permute",
        [] {
          return Layer(Permute{.dims = {2, 1}});
        },
        {{2, 3}},
        {3, 2},
        0,
        0,
        true},
      C{"dropout", [] { return Layer(Dropout{.rate = 0.5}); }, {{4}}, {4}},
      C{"gaussian noise", [] { return Layer(GaussianNoise{.stddev = 0.5}); }, {{4}}, {4}},
      C{"random flip",
        [] { return Layer(RandomFlip{.mode = "horizontal"}); },
        {{2, 2, 1}},
        {2, 2, 1}},
      C{"batch normalization", [] { return Layer(BatchNormalization{}); }, {{4}}, {4}, 4},
      C{"batch normalization of images",
        [] { return Layer(BatchNormalization{.scale = false}); },
        {{2, 2, 3}},
        {2, 2, 3},
        3},
      C{"layer normalization", [] { return Layer(LayerNormalization{}); }, {{4}}, {4}, 2},
      C{"layer normalization over two axes",
        [] {
          return Layer(LayerNormalization{.axis = {1, 2}});
        },
        {{2, 3}},
        {2, 3},
        2},
      C{"embedding",
        [] { return Layer(Embedding{.input_dim = 5, .output_dim = 3}); },
        {{4}},
        {4, 3},
        1,
        5},
      C{"reversible embedding",
        [] { return Layer(ReversibleEmbedding{.input_dim = 5, .output_dim = 3}); },
        {{4}},
        {4, 3},
        1,
        5},
      C{"reversible embedding backwards",
        [] {
          return Layer(ReversibleEmbedding{
              .input_dim = 5, .output_dim = 3, .tie_weights = false, .logit_soft_cap = 2.0});
        },
        {{4, 3}},
        {4, 5},
        2},
      C{"attention",
        [] { return Layer(MultiHeadAttention{.num_heads = 2, .key_dim = 3}); },
        {{4, 6}},
        {4, 6},
        8},
      C{"attention to another",
        [] {
          return Layer(MultiHeadAttention{.num_heads = 2,
                                          .key_dim = 3,
                                          .value_dim = 2,
                                          .dropout = 0.2,
                                          .output_shape = {5},
                                          .use_causal_mask = true});
        },
        {{4, 6}, {3, 6}},
        {4, 5},
        8},
      C{"position embedding",
        [] { return Layer(PositionEmbedding{.sequence_length = 6, .start_index = 1}); },
        {{4, 3}},
        {4, 3},
        1},
      C{"sine position encoding", [] { return Layer(SinePositionEncoding{}); }, {{4, 3}}, {4, 3}},
      C{"token and position embedding",
        [] {
          return Layer(TokenAndPositionEmbedding{
              .vocabulary_size = 5, .sequence_length = 6, .embedding_dim = 3});
        },
        {{4}},
        {4, 3},
        2,
        5},
      C{"transformer encoder",
        [] {
          return Layer(TransformerEncoder{.intermediate_dim = 5, .num_heads = 2, .dropout = 0.2});
        },
        {{3, 4}},
        {3, 4},
        16},
      C{"transformer decoder",
        [] {
          return Layer(TransformerDecoder{.intermediate_dim = 5,
                                          .num_heads = 2,
                                          .activation = "gelu",
                                          .normalize_first = true});
        },
        {{3, 4}, {2, 4}},
        {3, 4},
        26},
      C{"activation", [] { return Layer(ActivationLayer{.activation = "sigmoid"}); }, {{4}}, {4}},
      C{"relu", [] { return Layer(ReLU{.max_value = 1.0, .negative_slope = 0.1}); }, {{4}}, {4}},
      C{"leaky relu", [] { return Layer(LeakyReLU{}); }, {{4}}, {4}},
      C{"gelu", [] { return Layer(GELU{}); }, {{4}}, {4}},
      C{"softmax", [] { return Layer(Softmax{}); }, {{4}}, {4}},
      C{"add", [] { return Layer(Add{}); }, {{4}, {4}, {4}}, {4}},
      C{"subtract", [] { return Layer(Subtract{}); }, {{4}, {4}}, {4}},
      C{"multiply", [] { return Layer(Multiply{}); }, {{4}, {4}}, {4}},
      C{"average", [] { return Layer(Average{}); }, {{4}, {4}}, {4}},
      C{"maximum", [] { return Layer(Maximum{}); }, {{4}, {4}}, {4}},
      C{"minimum", [] { return Layer(Minimum{}); }, {{4}, {4}}, {4}},
      C{"concatenate", [] { return Layer(Concatenate{}); }, {{2, 3}, {2, 4}}, {2, 7}},
      C{"zero padding",
        [] {
          return Layer(ZeroPadding2D{.padding = {{1, 0}, {0, 2}}});
        },
        {{2, 2, 1}},
        {3, 4, 1}},
      C{"conv3d",
        [] {
          return Layer(Conv3D{.filters = 2, .kernel_size = {2, 1, 2}, .strides = {1, 2, 1}});
        },
        {{3, 3, 2, 2}},
        {2, 2, 1, 2},
        2},
      C{"conv1d transposed",
        [] { return Layer(Conv1DTranspose{.filters = 3, .kernel_size = 3, .strides = 2}); },
        {{3, 2}},
        {7, 3},
        2},
      C{"conv2d transposed",
        [] {
          return Layer(Conv2DTranspose{
              .filters = 2, .kernel_size = 3, .strides = {2, 1}, .padding = "same"});
        },
        {{2, 3, 2}},
        {4, 3, 2},
        2},
      C{"conv3d transposed",
        [] {
          return Layer(
              Conv3DTranspose{.filters = 2, .kernel_size = 2, .strides = 2, .output_padding = 1});
        },
        {{1, 2, 1, 2}},
        {3, 5, 3, 2},
        2},
      C{"depthwise 1d",
        [] { return Layer(DepthwiseConv1D{.kernel_size = 2}); },
        {{4, 2}},
        {3, 2},
        2},
      C{"separable 1d",
        [] { return Layer(SeparableConv1D{.filters = 3, .kernel_size = 2}); },
        {{4, 2}},
        {3, 3},
        3},
      C{"max pooling 3d", [] { return Layer(MaxPooling3D{}); }, {{2, 4, 3, 2}}, {1, 2, 1, 2}},
      C{"average pooling 3d",
        [] {
          return Layer(AveragePooling3D{.pool_size = {1, 2, 2}, .padding = "same"});
        },
        {{2, 3, 3, 1}},
        {2, 2, 2, 1}},
      C{"global max 3d", [] { return Layer(GlobalMaxPooling3D{}); }, {{2, 2, 2, 2}}, {2}},
      C{"global average 3d", [] { return Layer(GlobalAveragePooling3D{}); }, {{2, 2, 2, 2}}, {2}},
      C{"adaptive max 1d",
        [] { return Layer(AdaptiveMaxPooling1D{.output_size = 3}); },
        {{7, 2}},
        {3, 2}},
      C{"adaptive max 2d",
        [] {
          return Layer(AdaptiveMaxPooling2D{.output_size = {2, 3}});
        },
        {{5, 4, 2}},
        {2, 3, 2}},
      C{"adaptive max 3d",
        [] { return Layer(AdaptiveMaxPooling3D{.output_size = 2}); },
        {{3, 2, 4, 1}},
        {2, 2, 2, 1}},
      C{"adaptive average 1d",
        [] { return Layer(AdaptiveAveragePooling1D{.output_size = 3}); },
        {{7, 2}},
        {3, 2}},
      C{"adaptive average 2d",
        [] {
          return Layer(AdaptiveAveragePooling2D{.output_size = {2, 3}});
        },
        {{5, 4, 2}},
        {2, 3, 2}},
      C{"adaptive average 3d",
        [] { return Layer(AdaptiveAveragePooling3D{.output_size = 2}); },
        {{3, 2, 4, 1}},
        {2, 2, 2, 1}},
      C{"elu", [] { return Layer(ELU{.alpha = 0.5}); }, {{4}}, {4}},
      C{"prelu", [] { return Layer(PReLU{.alpha_initializer = "ones"}); }, {{4}}, {4}, 1},
      C{"identity", [] { return Layer(IdentityLayer{}); }, {{4}}, {4}},
      C{"masking", [] { return Layer(Masking{}); }, {{3, 2}}, {3, 2}},
      C{"repeat vector", [] { return Layer(RepeatVector{.n = 3}); }, {{4}}, {3, 4}},
      C{"dot", [] { return Layer(Dot{.axes = 1}); }, {{4}, {4}}, {1}},
      C{"activity regularization",
        [] { return Layer(ActivityRegularization{.l2 = 0.1}); },
        {{4}},
        {4}},
      C{"alpha dropout", [] { return Layer(AlphaDropout{.rate = 0.5}); }, {{4}}, {4}},
      C{"gaussian dropout", [] { return Layer(GaussianDropout{.rate = 0.5}); }, {{4}}, {4}},
      C{"spatial dropout 1d",
        [] { return Layer(SpatialDropout1D{.rate = 0.5}); },
        {{2, 4}},
        {2, 4}},
      C{"spatial dropout 2d",
        [] { return Layer(SpatialDropout2D{.rate = 0.5}); },
        {{2, 1, 4}},
        {2, 1, 4}},
      C{"spatial dropout 3d",
        [] { return Layer(SpatialDropout3D{.rate = 0.5}); },
        {{2, 1, 1, 4}},
        {2, 1, 1, 4}},
      C{"rms normalization", [] { return Layer(RMSNormalization{}); }, {{4}}, {4}, 1},
      C{"unit normalization", [] { return Layer(UnitNormalization{}); }, {{4}}, {4}},
      C{"group normalization",
        [] { return Layer(GroupNormalization{.groups = 2}); },
        {{2, 4}},
        {2, 4},
        2},
      C{"zero padding 1d",
        [] {
          return Layer(ZeroPadding1D{.padding = {1, 0}});
        },
        {{2, 3}},
        {3, 3}},
      C{"zero padding 3d", [] { return Layer(ZeroPadding3D{}); }, {{1, 2, 1, 2}}, {3, 4, 3, 2}},
      C{"cropping 1d", [] { return Layer(Cropping1D{}); }, {{4, 2}}, {2, 2}},
      C{"cropping 2d",
        [] {
          return Layer(Cropping2D{.cropping = {{1, 0}, {0, 2}}});
        },
        {{3, 4, 1}},
        {2, 2, 1}},
      C{"cropping 3d", [] { return Layer(Cropping3D{}); }, {{3, 3, 4, 1}}, {1, 1, 2, 1}},
      C{"up sampling 1d", [] { return Layer(UpSampling1D{.size = 3}); }, {{2, 2}}, {6, 2}},
      C{"up sampling 2d",
        [] {
          return Layer(UpSampling2D{.size = {2, 3}, .interpolation = "bilinear"});
        },
        {{2, 2, 1}},
        {4, 6, 1}},
      C{"up sampling 3d", [] { return Layer(UpSampling3D{}); }, {{1, 2, 1, 1}}, {2, 4, 2, 1}},
      C{"simple rnn", [] { return Layer(SimpleRNN{.units = 3}); }, {{4, 2}}, {3}, 3},
      C{"lstm", [] { return Layer(LSTM{.units = 3}); }, {{4, 2}}, {3}, 3},
      C{"lstm with dropout",
        [] {
          return Layer(
              LSTM{.units = 3, .dropout = 0.3, .recurrent_dropout = 0.3, .return_sequences = true});
        },
        {{4, 2}},
        {4, 3},
        3},
      C{"gru", [] { return Layer(GRU{.units = 3}); }, {{4, 2}}, {3}, 3},
      C{"gru, reset before, backwards",
        [] { return Layer(GRU{.units = 3, .reset_after = false, .go_backwards = true}); },
        {{4, 2}},
        {3},
        3},
      C{"rnn of stacked cells",
        [] {
          return Layer(
              RNN{.cell = StackedRNNCells{.cells = {LSTMCell{.units = 3}, GRUCell{.units = 2}}}});
        },
        {{3, 2}},
        {2},
        6},
      C{"bidirectional",
        [] { return Layer(Bidirectional{.layer = GRU{.units = 3}}); },
        {{4, 2}},
        {6},
        6},
      C{"attention",
        [] { return Layer(Attention{.use_scale = true}); },
        {{3, 4}, {5, 4}},
        {3, 4},
        1},
      C{"additive attention",
        [] { return Layer(AdditiveAttention{.dropout = 0.2, .use_causal_mask = true}); },
        {{3, 4}, {3, 4}},
        {3, 4},
        1},
      C{"group query attention",
        [] {
          return Layer(GroupQueryAttention{.head_dim = 2,
                                           .num_query_heads = 4,
                                           .num_key_value_heads = 2,
                                           .sliding_window = 2,
                                           .use_gate = true});
        },
        {{3, 4}, {3, 4}},
        {3, 4},
        10},
      C{"einsum dense",
        [] {
          return Layer(EinsumDense{
              .equation = "abc,cde->abde", .output_shape = {-1, 2, 3}, .bias_axes = "de"});
        },
        {{3, 4}},
        {3, 2, 3},
        2},
      C{"spectral normalization",
        [] { return Layer(SpectralNormalization{.layer = Dense{.units = 3}}); },
        {{4}},
        {3},
        3,
        0,
        false,
        true},
      C{"time distributed",
        [] { return Layer(TimeDistributed{.layer = Dense{.units = 3}}); },
        {{4, 2}},
        {4, 3},
        2},
      C{"conv lstm 1d",
        [] { return Layer(ConvLSTM1D{.filters = 2, .kernel_size = 2, .dropout = 0.2}); },
        {{3, 5, 2}},
        {4, 2},
        3},
      C{"conv lstm 2d",
        [] {
          return Layer(ConvLSTM2D{
              .filters = 2, .kernel_size = 2, .padding = "same", .return_sequences = true});
        },
        {{2, 3, 3, 1}},
        {2, 3, 3, 2},
        3},
      C{"conv lstm 3d",
        [] { return Layer(ConvLSTM3D{.filters = 1, .kernel_size = 2}); },
        {{2, 3, 2, 2, 1}},
        {2, 1, 1, 1},
        3},
      C{"category encoding",
        [] { return Layer(CategoryEncoding{.num_tokens = 5}); },
        {{3}},
        {5},
        0,
        5},
      C{"discretization",
        [] {
          return Layer(Discretization{.bin_boundaries = std::vector<double>{0, 0.5},
                                      .output_mode = "count"});
        },
        {{4}},
        {3}},
      C{"auto contrast", [] { return Layer(AutoContrast{}); }, {{2, 2, 1}}, {2, 2, 1}},
      C{"aug mix",
        [] { return Layer(AugMix{.num_chains = 1, .chain_depth = 1}); },
        {{2, 3, 3}},
        {2, 3, 3}},
      C{"contrast limited adaptive histogram equalization",
        [] { return Layer(ContrastLimitedAdaptiveHistogramEqualization{.tile_grid_size = 2}); },
        {{3, 4, 2}},
        {3, 4, 2}},
      C{"cut mix", [] { return Layer(CutMix{}); }, {{2, 3, 1}}, {2, 3, 1}},
      C{"equalization", [] { return Layer(Equalization{}); }, {{2, 3, 2}}, {2, 3, 2}},
      C{"mix up", [] { return Layer(MixUp{}); }, {{2, 3, 1}}, {2, 3, 1}},
      C{"rand augment", [] { return Layer(RandAugment{.num_ops = 1}); }, {{2, 3, 3}}, {2, 3, 3}},
      C{"random color jitter",
        [] { return Layer(RandomColorJitter{.contrast_factor = 0.5}); },
        {{2, 2, 3}},
        {2, 2, 3}},
      C{"random elastic transform",
        [] { return Layer(RandomElasticTransform{}); },
        {{3, 4, 2}},
        {3, 4, 2}},
      C{"random gaussian blur", [] { return Layer(RandomGaussianBlur{}); }, {{3, 4, 2}}, {3, 4, 2}},
      C{"random perspective", [] { return Layer(RandomPerspective{}); }, {{3, 4, 2}}, {3, 4, 2}},
      C{"random shear", [] { return Layer(RandomShear{.x_factor = 0.5}); }, {{3, 4, 2}}, {3, 4, 2}},
      C{"mel spectrogram",
        [] {
          return Layer(MelSpectrogram{.fft_length = 8, .sequence_stride = 4, .num_mel_bins = 2});
        },
        {{12}},
        {2, 4}},
      C{"stft spectrogram",
        [] { return Layer(STFTSpectrogram{.mode = "psd", .frame_length = 4}); },
        {{10, 2}},
        {4, 6},
        2},
      C{"random brightness",
        [] {
          return Layer(RandomBrightness{.factor = 0.1, .value_range = {-9, 9}});
        },
        {{2, 2, 1}},
        {2, 2, 1}},
      C{"random color degeneration",
        [] {
          return Layer(RandomColorDegeneration{.factor = 0.5, .value_range = {-9, 9}});
        },
        {{2, 2, 3}},
        {2, 2, 3}},
      C{"random contrast",
        [] {
          return Layer(RandomContrast{.factor = 0.5, .value_range = {-9, 9}});
        },
        {{2, 2, 1}},
        {2, 2, 1}},
      C{"random erasing",
        [] { return Layer(RandomErasing{.scale = 0.5, .fill_value = 0.5}); },
        {{2, 2, 1}},
        {2, 2, 1}},
      C{"random grayscale", [] { return Layer(RandomGrayscale{}); }, {{2, 2, 3}}, {2, 2, 3}},
      C{"random hue",
        [] {
          return Layer(RandomHue{.factor = 0.5, .value_range = {-9, 9}});
        },
        {{2, 2, 3}},
        {2, 2, 3}},
      C{"random invert", [] { return Layer(RandomInvert{}); }, {{2, 2, 1}}, {2, 2, 1}},
      C{"random posterization",
        [] { return Layer(RandomPosterization{.factor = 3}); },
        {{2, 2, 1}},
        {2, 2, 1}},
      C{"random rotation",
        [] { return Layer(RandomRotation{.factor = 0.1}); },
        {{3, 3, 1}},
        {3, 3, 1}},
      C{"random saturation",
        [] {
          return Layer(RandomSaturation{.factor = 0.5, .value_range = {-9, 9}});
        },
        {{2, 2, 3}},
        {2, 2, 3}},
      C{"random sharpness",
        [] {
          return Layer(RandomSharpness{.factor = 0.5, .value_range = {-9, 9}});
        },
        {{3, 3, 1}},
        {3, 3, 1}},
      C{"random translation",
        [] { return Layer(RandomTranslation{.height_factor = 0.5, .width_factor = 0.5}); },
        {{3, 3, 1}},
        {3, 3, 1}},
      C{"random zoom",
        [] { return Layer(RandomZoom{.height_factor = 0.5}); },
        {{3, 3, 1}},
        {3, 3, 1}},
      C{"solarization",
        [] {
          return Layer(Solarization{.value_range = {-9, 9}});
        },
        {{2, 2, 1}},
        {2, 2, 1}},
      C{"center crop",
        [] { return Layer(CenterCrop{.height = 2, .width = 1}); },
        {{3, 3, 1}},
        {2, 1, 1}},
      C{"random crop",
        [] { return Layer(RandomCrop{.height = 2, .width = 1}); },
        {{3, 3, 1}},
        {2, 1, 1}},
      C{"resizing",
        [] { return Layer(Resizing{.height = 2, .width = 5}); },
        {{3, 3, 1}},
        {2, 5, 1}},
      C{"integer lookup",
        [] {
          return Layer(IntegerLookup{.vocabulary = {3, 1}, .output_mode = "multi_hot"});
        },
        {{4}},
        {3},
        0,
        5},
      C{"pipeline",
        [] {
          return Layer(
              Pipeline{.layers = {Rescaling{.scale = 0.5}, Rescaling{.scale = 2, .offset = 1}}});
        },
        {{4}},
        {4}},
      C{"rescaling", [] { return Layer(Rescaling{.scale = 0.5, .offset = 1}); }, {{4}}, {4}},
      C{"normalization",
        [] {
          return Layer(Normalization{.mean = std::vector<double>{1.0},
                                     .variance = std::vector<double>{4.0}});
        },
        {{4}},
        {4}},
  };
}

TEST(LayersTest, EveryLayerPassesTheLayerTest) {
  for (const LayerCase& layer_case : cases()) run_layer_test(layer_case);
}

TEST(LayersTest, EveryLayerOfTheListHasACase) {
  // Those that give several outputs; RNN and its like run them above.
  std::vector<std::string> tested = {
      Input::kind, GRUCell::kind, LSTMCell::kind, SimpleRNNCell::kind, StackedRNNCells::kind,
      // On the host: preprocessing_test.cc.
      HashedCrossing::kind, Hashing::kind, StringLookup::kind, TextVectorization::kind};
  for (const LayerCase& layer_case : cases()) tested.push_back(layer_case.make().kind());
  for (const std::string& kind : layer_kinds(AllLayers{}))
    EXPECT_EQ(std::count(tested.begin(), tested.end(), kind) > 0, true) << kind;
}

}  // namespace
}  // namespace systolic
