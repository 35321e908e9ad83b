#include "systolic/nn/network/network.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/layers/reshaping/flatten.h"
#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"
#include "systolic/nn/metrics/accuracy/sparse_categorical_accuracy.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/random.h"

namespace systolic {
namespace {

Network small_convnet() {
  return Sequential({Input{.shape = {8, 8, 1}},
                     Conv2D{.filters = 4, .kernel_size = 3, .activation = "relu"},
                     Conv2D{.filters = 4, .kernel_size = 3, .activation = "relu"}, Flatten{},
                     Dense{.units = 16, .activation = "relu"}, Dense{.units = 3}});
}

TEST(NetworkTest, SequentialKnowsItsShapesAndNamesBeforeItRuns) {
  const Network network = small_convnet();
  ASSERT_TRUE(network.built());
  EXPECT_EQ(shape_text(network.output_ports().at(0).type.shape), "(None, 3)");
  EXPECT_EQ(shape_text(network.input_ports().at(0).type.shape), "(None, 8, 8, 1)");
  std::vector<std::string> paths;
  for (const NamedVariable& one : network.named_weights()) paths.push_back(one.path);
  EXPECT_EQ(join(paths),
            "conv2d/kernel, conv2d/bias, conv2d_1/kernel, conv2d_1/bias, dense/kernel, dense/bias, "
            "dense_1/kernel, dense_1/bias");
}

TEST(NetworkTest, TrainingStepsLowerTheLoss) {
  set_seed(1);
  const Network network = small_convnet();
  const Optimizer optimizer = Adam{.learning_rate = 0.01};
  const Metric accuracy = SparseCategoricalAccuracy{};
  const Tensor images = random_normal({12, 8, 8, 1});
  const Tensor labels = constant({0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
  const LossFunction loss_function = SparseCategoricalCrossentropy{.from_logits = true};
  std::vector<float> losses;
  for (int step = 0; step < 30; ++step) {
    GradientTape tape;
    const Tensor logits = network(images, {.training = true});
    const Tensor loss = loss_function(labels, logits);
    optimizer.apply_gradients(tape.gradient(loss, network.trainable_variables()),
                              network.trainable_variables());
    accuracy.update_state(labels, logits);
    losses.push_back(loss.item<float>());
  }
  EXPECT_NEAR(losses.front(), 1.1, 0.5);
  EXPECT_LT(losses.back(), 0.2);
  EXPECT_EQ(optimizer.iterations().item<int32_t>(), 30);
  EXPECT_GT(accuracy.result().item<float>(), 0.5);
}

}  // namespace
}  // namespace systolic
