// Embedding tables against keras-rs 0.4: activations, and three steps of each optimizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "golden_file.h"
#include "systolic/nn/embedding/distributed_embedding.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

namespace embedding = tpu::experimental::embedding;

constexpr double within = 1e-6;

// The layer on features "many" [batch, 3] and "one" [batch], which share a table of seven rows. The
// table has one row more than keras-rs's, which nothing looks up.
struct TwoFeatures {
  TwoFeatures(const Json& golden, embedding::Combiner combiner,
              const std::optional<embedding::EmbeddingOptimizer>& optimizer, bool weighted)
      : many(literal_of(golden["many"])), one(literal_of(golden["one"])) {
    const keras_rs::layers::TableConfig table{.name = "table",
                                              .vocabulary_size = 7,
                                              .embedding_dim = 3,
                                              .optimizer = optimizer,
                                              .combiner = combiner};
    layer = keras_rs::layers::DistributedEmbedding{
        .feature_configs = {{.name = "many", .table = table}, {.name = "one", .table = table}}};
    std::vector<Symbol> inputs{input({.shape = {3}, .dtype = DType::i32}),
                               input({.shape = Shape{}, .dtype = DType::i32})};
    given = {many, one};
    if (weighted) {
      inputs.push_back(input({.shape = {3}}));
      inputs.push_back(input({.shape = Shape{}}));
      given.push_back(literal_of(golden["weights"]));
      given.push_back(Literal::filled(DType::f32, {4}, 1));
    }
    network.emplace(inputs, layer.outputs(inputs));
    network->outputs(given);
    Literal values = Literal::zeros(DType::f32, layer.weights().front().shape());
    const Literal known = literal_of(golden["table"]);
    std::copy_n(known.data<float>().begin(), known.size(), values.mutable_data<float>().begin());
    layer.weights().front().set(values);
  }

  Literal many, one;
  Layer layer = Flatten{};
  std::optional<Network> network;
  std::vector<Tensor> given;
};

TEST(KerasRsGolden, Activations) {
  const Json golden = golden_file("keras_rs");
  for (const Json& one : golden["cases"]) {
    const auto combiner = embedding::Combiner::parse(one["combiner"].get<std::string>());
    const TwoFeatures features(golden, combiner, std::nullopt, one["weighted"].get<bool>());
    const auto got = features.network->outputs(features.given);
    const std::string what = one["combiner"].get<std::string>();
    expect_close(got[0].literal(), one["many"], within, what);
    expect_close(got[1].literal(), one["one"], within, what);
  }
}

TEST(KerasRsGolden, Updates) {
  const Json golden = golden_file("keras_rs");
  const std::map<std::string, embedding::EmbeddingOptimizer> rules{
      {"SGD", embedding::SGD{.learning_rate = 0.1}},
      {"Adagrad", embedding::Adagrad{.learning_rate = 0.1}},
      {"FTRL", embedding::FTRL{.learning_rate = 0.1}},
      // With the root and epsilon as Keras has them.
      {"Adam", embedding::Adam{.learning_rate = 0.1, .sum_inside_sqrt = false}}};
  ASSERT_EQ(golden["updates"].size(), rules.size());
  for (const Json& one : golden["updates"]) {
    const auto name = one["optimizer"].get<std::string>();
    const TwoFeatures features(golden, "mean", rules.at(name), false);
    const Optimizer other = "sgd";  // the table's own moves it
    const Variable table = features.layer.weights().front();
    for (int step = 0; step < 3; ++step) {
      GradientTape tape;
      const auto got = features.network->outputs(features.given);
      const Tensor loss = mean(square(got[0] + got[1] - Tensor(literal_of(golden["labels"]))));
      other.apply_gradients({tape.gradient(loss, table)}, {table});
    }
    // Keras has 1 - 0.999^t of f32, 1.3e-5 off, whose root is half of that: of three steps of 0.1
    // 2e-6.
    expect_close(table.literal().rows(0, 6), one["table"], name == "Adam" ? 3e-6 : within, name);
  }
}

}  // namespace
}  // namespace systolic
