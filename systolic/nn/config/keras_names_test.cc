// Names that show in summaries, logs, configurations and weight files, against those of Keras 3:
// class names, and the names that Keras gives to objects without one (keras/src/layers,
// keras/src/utils/naming.py).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/nn/nn.h"

namespace systolic {
namespace {

TEST(KerasNames, Layers) {
  struct Row {
    Layer layer;
    const char* class_name;
    const char* name;
  };
  const Row table[] = {
      {Dense{.units = 1}, "Dense", "dense"},
      {Conv1D{.filters = 1, .kernel_size = 1}, "Conv1D", "conv1d"},
      {Conv2D{.filters = 1, .kernel_size = 1}, "Conv2D", "conv2d"},
      {DepthwiseConv2D{.kernel_size = 1}, "DepthwiseConv2D", "depthwise_conv2d"},
      {SeparableConv2D{.filters = 1, .kernel_size = 1}, "SeparableConv2D", "separable_conv2d"},
      {MaxPooling1D{}, "MaxPooling1D", "max_pooling1d"},
      {MaxPooling2D{}, "MaxPooling2D", "max_pooling2d"},
      {AveragePooling1D{}, "AveragePooling1D", "average_pooling1d"},
      {AveragePooling2D{}, "AveragePooling2D", "average_pooling2d"},
      {GlobalMaxPooling1D{}, "GlobalMaxPooling1D", "global_max_pooling1d"},
      {GlobalMaxPooling2D{}, "GlobalMaxPooling2D", "global_max_pooling2d"},
      {GlobalAveragePooling1D{}, "GlobalAveragePooling1D", "global_average_pooling1d"},
      {GlobalAveragePooling2D{}, "GlobalAveragePooling2D", "global_average_pooling2d"},
      {Conv3D{.filters = 1, .kernel_size = 1}, "Conv3D", "conv3d"},
      {Conv2DTranspose{.filters = 1, .kernel_size = 1}, "Conv2DTranspose", "conv2d_transpose"},
      {SeparableConv1D{.filters = 1, .kernel_size = 1}, "SeparableConv1D", "separable_conv1d"},
      {AdaptiveMaxPooling2D{.output_size = 1}, "AdaptiveMaxPooling2D", "adaptive_max_pooling2d"},
      {SimpleRNN{.units = 1}, "SimpleRNN", "simple_rnn"},
      {LSTM{.units = 1}, "LSTM", "lstm"},
      {GRU{.units = 1}, "GRU", "gru"},
      {RNN{.cell = GRUCell{.units = 1}}, "RNN", "rnn"},
      {Bidirectional{.layer = GRU{.units = 1}}, "Bidirectional", "bidirectional"},
      {PReLU{}, "PReLU", "p_re_lu"},
      {ELU{}, "ELU", "elu"},
      {RMSNormalization{}, "RMSNormalization", "rms_normalization"},
      {Flatten{}, "Flatten", "flatten"},
      {Reshape{.target_shape = {1}}, "Reshape", "reshape"},
      {Permute{.dims = {2, 1}}, "Permute", "permute"},
      {ZeroPadding2D{}, "ZeroPadding2D", "zero_padding2d"},
      {Rescaling{.scale = 1}, "Rescaling", "rescaling"},
      {Normalization{.mean = std::vector<double>{0}, .variance = std::vector<double>{1}},
       "Normalization", "normalization"},
      {Dropout{.rate = 0.5}, "Dropout", "dropout"},
      {GaussianNoise{.stddev = 1}, "GaussianNoise", "gaussian_noise"},
      {RandomFlip{}, "RandomFlip", "random_flip"},
      {BatchNormalization{}, "BatchNormalization", "batch_normalization"},
      {LayerNormalization{}, "LayerNormalization", "layer_normalization"},
      {Embedding{.input_dim = 2, .output_dim = 2}, "Embedding", "embedding"},
      {ActivationLayer{.activation = "relu"}, "Activation", "activation"},
      {ReLU{}, "ReLU", "re_lu"},
      {LeakyReLU{}, "LeakyReLU", "leaky_re_lu"},
      {Softmax{}, "Softmax", "softmax"},
      {Add{}, "Add", "add"},
      {Subtract{}, "Subtract", "subtract"},
      {Multiply{}, "Multiply", "multiply"},
      {Average{}, "Average", "average"},
      {Maximum{}, "Maximum", "maximum"},
      {Minimum{}, "Minimum", "minimum"},
      {Concatenate{}, "Concatenate", "concatenate"},
  };
  for (const Row& row : table) {
    EXPECT_EQ(row.layer.kind(), row.class_name);
    EXPECT_EQ(Sequential({row.layer}).name_of(row.layer), row.name);
  }
}

TEST(KerasNames, LossesMetricsAndOptimizers) {
  const std::pair<std::string, std::string> table[] = {
      {LossFunction(BinaryCrossentropy{}).name(), "binary_crossentropy"},
      {LossFunction(CategoricalCrossentropy{}).name(), "categorical_crossentropy"},
      {LossFunction(SparseCategoricalCrossentropy{}).name(), "sparse_categorical_crossentropy"},
      {LossFunction(MeanSquaredError{}).name(), "mean_squared_error"},
      {LossFunction(MeanAbsoluteError{}).name(), "mean_absolute_error"},
      {LossFunction(Huber{}).name(), "huber_loss"},
      {LossFunction(KLDivergence{}).name(), "kl_divergence"},
      {Metric(Accuracy{}).name(), "accuracy"},
      {Metric(BinaryAccuracy{}).name(), "binary_accuracy"},
      {Metric(CategoricalAccuracy{}).name(), "categorical_accuracy"},
      {Metric(SparseCategoricalAccuracy{}).name(), "sparse_categorical_accuracy"},
      {Metric(TopKCategoricalAccuracy{}).name(), "top_k_categorical_accuracy"},
      {Metric(SparseTopKCategoricalAccuracy{}).name(), "sparse_top_k_categorical_accuracy"},
      {Metric(AUC{}).name(), "auc"},
      {Metric(Precision{}).name(), "precision"},
      {Metric(Recall{}).name(), "recall"},
      {Metric(MeanSquaredError{}).name(), "mean_squared_error"},
      {Metric(MeanAbsoluteError{}).name(), "mean_absolute_error"},
      {Metric(RootMeanSquaredError{}).name(), "root_mean_squared_error"},
      {Metric(BinaryCrossentropy{}).name(), "binary_crossentropy"},
      {Metric(KLDivergence{}).name(), "kl_divergence"},
      {Metric(Mean{}).name(), "mean"},
      {Metric(Sum{}).name(), "sum"},
      {Metric("mae").name(), "mae"},  // Keras keeps the text as the key of logs
      {Metric("acc").name(), "acc"},
      {Optimizer(SGD{}).name(), "SGD"},
      {Optimizer(Adam{}).name(), "adam"},
      {Optimizer(AdamW{}).name(), "adamw"},
      {Optimizer(RMSprop{}).name(), "rmsprop"},
      {Optimizer(Adagrad{}).name(), "adagrad"},
      {Optimizer(Lamb{}).name(), "lamb"},
  };
  for (const auto& [name, keras] : table) EXPECT_EQ(name, keras);
}

TEST(KerasNames, Inputs) {
  EXPECT_EQ(Layer(Input{.shape = {1}}).kind(), "InputLayer");
  EXPECT_EQ(Sequential({Input{.shape = {1}}, Flatten{}}).input_ports().at(0).name, "input_layer");
  const Symbol a = input({.shape = {1}}), b = input({.shape = {1}});
  const Network network({a, b}, {Add{}({a, b})});
  EXPECT_EQ(network.input_ports().at(0).name, "input_layer");
  EXPECT_EQ(network.input_ports().at(1).name, "input_layer_1");
}

}  // namespace
}  // namespace systolic
