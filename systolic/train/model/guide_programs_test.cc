// Programs of the TPU guides, line by line in C++.
#include <gtest/gtest.h>

#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

constexpr int64_t maxlen = 8, words = 20, samples = 96;

struct Texts {
  Literal x_train, y_train;
};

// The label is whether the first word is one of the upper half.
Texts texts() {
  Texts texts{Literal(DType::i64, {samples, maxlen}), Literal(DType::f32, {samples})};
  auto ids = texts.x_train.mutable_data<int64_t>();
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i * i * 7 % words);
  for (size_t i = 0; i < static_cast<size_t>(samples); ++i) {
    ids[i * maxlen] = static_cast<int64_t>(i * 13 % words);
    texts.y_train.mutable_data<float>()[i] = ids[i * maxlen] >= words / 2 ? 1.0f : 0.0f;
  }
  return texts;
}

// "Training Transformers on TPU": Input > encoder > first token > Dense, under a strategy.
TEST(GuidePrograms, TheClassifierOfTransformers) {
  TPUClusterResolver tpu;
  experimental_connect_to_cluster(tpu);
  initialize_tpu_system(tpu);
  const TPUStrategy strategy(tpu);
  set_seed(1);
  Model classifier = strategy.scope([]() -> Model {
    const Layer encoder = Embedding{.input_dim = words, .output_dim = 16};
    const Symbol input_ids = input({.shape = {maxlen}, .dtype = DType::i32, .name = "input_ids"});
    const Symbol sequence_output = encoder.outputs({input_ids})[0][{all, 0, all}];
    const Symbol out = Dense{.units = 1, .activation = "sigmoid"}(sequence_output);
    Model model(input_ids, out);
    model.compile({.optimizer = Adam{.learning_rate = 3e-2},
                   .loss = "binary_crossentropy",
                   .metrics = {AUC{}}});
    return model;
  });
  EXPECT_EQ(classifier.network().input_ports().at(0).type.dtype, DType::i32);
  EXPECT_EQ(shape_text(classifier.network().output_ports().at(0).type.shape), "(None, 1)");
  const auto [x_train, y_train] = texts();
  const data::Dataset train_dataset = data::from_tensor_slices(std::pair(x_train, y_train))
                                          .repeat()
                                          .shuffle(64, {.seed = 3})
                                          .batch(16)
                                          .prefetch(data::autotune);
  const History train_history =
      classifier.fit(train_dataset, {.epochs = 4, .steps_per_epoch = 20, .verbose = 0});
  EXPECT_EQ(train_history.history.at("auc").size(), 4u);
  EXPECT_GT(train_history.last("auc"), 0.99);
}

// "Use TPUs", the custom loop: metrics with a name and a dtype, a strategy.run a step.
TEST(GuidePrograms, TheCustomLoop) {
  TPUClusterResolver resolver("v3-8");
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  constexpr int64_t batch_size = 32;
  set_seed(2);
  struct State {
    Model model;
    Optimizer optimizer;
    Metric training_loss, training_accuracy;
  };
  State state = strategy.scope([] {
    return State{Sequential({Input{.shape = {6}}, Dense{.units = 16, .activation = "relu"},
                             Dense{.units = 2}}),
                 Adam{.learning_rate = 0.02}, Mean{"training_loss", DType::f32},
                 SparseCategoricalAccuracy{"training_accuracy", DType::f32}};
  });
  const auto step_fn = [&](const Tensor& images, const Tensor& labels) {
    GradientTape tape;
    const Tensor logits = state.model(images, {.training = true});
    const Tensor losses = sparse_categorical_crossentropy(labels, logits, {.from_logits = true});
    const Tensor loss = compute_average_loss(losses, {.global_batch_size = batch_size});
    const std::vector<Variable> variables = state.model.trainable_variables();
    state.optimizer.apply_gradients(tape.gradient(loss, variables), variables);
    state.training_loss.update_state(loss * static_cast<double>(strategy.num_replicas_in_sync()));
    state.training_accuracy.update_state(labels, logits);
    return loss;
  };
  const int64_t cores = strategy.num_replicas_in_sync();
  Literal images(DType::f32, {batch_size / cores, 6}), labels(DType::i32, {batch_size / cores});
  for (size_t i = 0; i < labels.mutable_data<int32_t>().size(); ++i) {
    labels.mutable_data<int32_t>()[i] = static_cast<int32_t>(i % 2);
    for (size_t k = 0; k < 6; ++k)
      images.mutable_data<float>()[i * 6 + k] =
          (k % 2 == i % 2 ? 1.0f : 0.0f) + 0.1f * static_cast<float>(i);
  }
  for (int epoch = 0; epoch < 3; ++epoch) {
    state.training_loss.reset_states();
    state.training_accuracy.reset_states();
    for (int step = 0; step < 20; ++step) strategy.run(step_fn, Tensor(images), Tensor(labels));
  }
  EXPECT_EQ(state.optimizer.iterations().literal().item<int64_t>(), 60);
  EXPECT_LT(state.training_loss.result().item<float>(), 0.2f);
  EXPECT_GT(state.training_accuracy.result().item<float>(), 0.99f);
  EXPECT_EQ(state.training_accuracy.name(), "training_accuracy");
}

}  // namespace
}  // namespace systolic
