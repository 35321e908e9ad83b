// All layers, and their one list.
#pragma once

#include "systolic/nn/layers/activations/activation_layer.h"
#include "systolic/nn/layers/activations/elu.h"
#include "systolic/nn/layers/activations/gelu.h"
#include "systolic/nn/layers/activations/leaky_relu.h"
#include "systolic/nn/layers/activations/prelu.h"
#include "systolic/nn/layers/activations/relu.h"
#include "systolic/nn/layers/activations/softmax.h"
#include "systolic/nn/layers/aliases.h"
#include "systolic/nn/layers/attention/attention.h"
#include "systolic/nn/layers/attention/group_query_attention.h"
#include "systolic/nn/layers/attention/multi_head_attention.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/nn/layers/convolutional/depthwise_convolution.h"
#include "systolic/nn/layers/convolutional/separable_convolution.h"
#include "systolic/nn/layers/convolutional/transposed_convolution.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/core/einsum_dense.h"
#include "systolic/nn/layers/core/embedding.h"
#include "systolic/nn/layers/core/identity_layer.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/layers/core/masking.h"
#include "systolic/nn/layers/core/pipeline.h"
#include "systolic/nn/layers/core/reversible_embedding.h"
#include "systolic/nn/layers/merging/concatenate.h"
#include "systolic/nn/layers/merging/dot.h"
#include "systolic/nn/layers/merging/merge.h"
#include "systolic/nn/layers/normalization/batch_normalization.h"
#include "systolic/nn/layers/normalization/group_normalization.h"
#include "systolic/nn/layers/normalization/layer_normalization.h"
#include "systolic/nn/layers/normalization/rms_normalization.h"
#include "systolic/nn/layers/normalization/spectral_normalization.h"
#include "systolic/nn/layers/normalization/unit_normalization.h"
#include "systolic/nn/layers/pooling/adaptive_pooling.h"
#include "systolic/nn/layers/pooling/global_pooling.h"
#include "systolic/nn/layers/pooling/pooling.h"
#include "systolic/nn/layers/preprocessing/audio/mel_spectrogram.h"
#include "systolic/nn/layers/preprocessing/audio/stft_spectrogram.h"
#include "systolic/nn/layers/preprocessing/category_encoding.h"
#include "systolic/nn/layers/preprocessing/discretization.h"
#include "systolic/nn/layers/preprocessing/hashed_crossing.h"
#include "systolic/nn/layers/preprocessing/hashing.h"
#include "systolic/nn/layers/preprocessing/integer_lookup.h"
#include "systolic/nn/layers/preprocessing/normalization.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/auto_contrast.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/contrast_limited_adaptive_histogram_equalization.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/equalization.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_brightness.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_color_degeneration.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_color_jitter.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_contrast.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_grayscale.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_hue.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_invert.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_posterization.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_saturation.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_sharpness.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/solarization.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/center_crop.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_crop.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_elastic_transform.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_erasing.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_gaussian_blur.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_perspective.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_rotation.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_shear.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_translation.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_zoom.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/resizing.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/aug_mix.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/cut_mix.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/mix_up.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/rand_augment.h"
#include "systolic/nn/layers/preprocessing/random_flip.h"
#include "systolic/nn/layers/preprocessing/rescaling.h"
#include "systolic/nn/layers/preprocessing/string_lookup.h"
#include "systolic/nn/layers/preprocessing/text_vectorization.h"
#include "systolic/nn/layers/recurrent/bidirectional.h"
#include "systolic/nn/layers/recurrent/conv_lstm.h"
#include "systolic/nn/layers/recurrent/gru.h"
#include "systolic/nn/layers/recurrent/gru_cell.h"
#include "systolic/nn/layers/recurrent/lstm.h"
#include "systolic/nn/layers/recurrent/lstm_cell.h"
#include "systolic/nn/layers/recurrent/rnn.h"
#include "systolic/nn/layers/recurrent/simple_rnn.h"
#include "systolic/nn/layers/recurrent/simple_rnn_cell.h"
#include "systolic/nn/layers/recurrent/stacked_rnn_cells.h"
#include "systolic/nn/layers/recurrent/time_distributed.h"
#include "systolic/nn/layers/regularization/activity_regularization.h"
#include "systolic/nn/layers/regularization/alpha_dropout.h"
#include "systolic/nn/layers/regularization/dropout.h"
#include "systolic/nn/layers/regularization/gaussian_dropout.h"
#include "systolic/nn/layers/regularization/gaussian_noise.h"
#include "systolic/nn/layers/regularization/spatial_dropout.h"
#include "systolic/nn/layers/reshaping/cropping.h"
#include "systolic/nn/layers/reshaping/flatten.h"
#include "systolic/nn/layers/reshaping/permute.h"
#include "systolic/nn/layers/reshaping/repeat_vector.h"
#include "systolic/nn/layers/reshaping/reshape.h"
#include "systolic/nn/layers/reshaping/up_sampling.h"
#include "systolic/nn/layers/reshaping/zero_padding.h"
#include "systolic/nn/layers/transformer/position_embedding.h"
#include "systolic/nn/layers/transformer/sine_position_encoding.h"
#include "systolic/nn/layers/transformer/token_and_position_embedding.h"
#include "systolic/nn/layers/transformer/transformer_decoder.h"
#include "systolic/nn/layers/transformer/transformer_encoder.h"

namespace systolic::inline v0 {

template <class... Specs>
struct LayerList {};

// Every layer of the library, by folder. layer_from_config knows these, tests go through them, and
// docs/keras.md is checked against them: a new layer is added here and nowhere else.
using AllLayers = LayerList<
    // activations
    ActivationLayer, ELU, GELU, LeakyReLU, PReLU, ReLU, Softmax,
    // attention
    AdditiveAttention, Attention, GroupQueryAttention, MultiHeadAttention,
    // convolutional
    Conv1D, Conv2D, Conv3D, Conv1DTranspose, Conv2DTranspose, Conv3DTranspose, DepthwiseConv1D,
    DepthwiseConv2D, SeparableConv1D, SeparableConv2D,
    // core
    Dense, EinsumDense, Embedding, IdentityLayer, Input, Masking, Pipeline, ReversibleEmbedding,
    // merging
    Add, Average, Concatenate, Dot, Maximum, Minimum, Multiply, Subtract,
    // normalization
    BatchNormalization, GroupNormalization, LayerNormalization, RMSNormalization,
    SpectralNormalization, UnitNormalization,
    // pooling
    AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveAveragePooling3D,
    AdaptiveMaxPooling1D, AdaptiveMaxPooling2D, AdaptiveMaxPooling3D, AveragePooling1D,
    AveragePooling2D, AveragePooling3D, GlobalAveragePooling1D, GlobalAveragePooling2D,
    GlobalAveragePooling3D, GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D,
    MaxPooling1D, MaxPooling2D, MaxPooling3D,
    // preprocessing
    CategoryEncoding, Discretization, HashedCrossing, Hashing, IntegerLookup, Normalization,
    RandomFlip, Rescaling, StringLookup, TextVectorization,
    // preprocessing/audio
    MelSpectrogram, STFTSpectrogram,
    // preprocessing/pictures
    AugMix, AutoContrast, CenterCrop, ContrastLimitedAdaptiveHistogramEqualization, CutMix,
    Equalization, MixUp, RandAugment, RandomBrightness, RandomColorDegeneration, RandomColorJitter,
    RandomContrast, RandomCrop, RandomElasticTransform, RandomErasing, RandomGaussianBlur,
    RandomGrayscale, RandomHue, RandomInvert, RandomPerspective, RandomPosterization,
    RandomRotation, RandomSaturation, RandomSharpness, RandomShear, RandomTranslation, RandomZoom,
    Resizing, Solarization,
    // recurrent
    Bidirectional, ConvLSTM1D, ConvLSTM2D, ConvLSTM3D, GRU, GRUCell, LSTM, LSTMCell, RNN, SimpleRNN,
    SimpleRNNCell, StackedRNNCells, TimeDistributed,
    // regularization
    ActivityRegularization, AlphaDropout, Dropout, GaussianDropout, GaussianNoise, SpatialDropout1D,
    SpatialDropout2D, SpatialDropout3D,
    // reshaping
    Cropping1D, Cropping2D, Cropping3D, Flatten, Permute, RepeatVector, Reshape, UpSampling1D,
    UpSampling2D, UpSampling3D, ZeroPadding1D, ZeroPadding2D, ZeroPadding3D,
    // transformer
    PositionEmbedding, SinePositionEncoding, TokenAndPositionEmbedding, TransformerDecoder,
    TransformerEncoder>;

// "Dense", "Conv1D", ...
template <class... Specs>
std::vector<std::string> layer_kinds(LayerList<Specs...>) {
  return {Specs::kind...};
}

}  // namespace systolic::inline v0
