// Training: options of compile, fit and saving, and steps of one's own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
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

Model small_model() {
  Model model = Sequential({Dense{.units = 1, .kernel_initializer = "ones"}});
  const ModelMetrics metrics = {"mae"};
  model.compile({.optimizer = SGD{.learning_rate = 0.0}, .loss = "mse", .metrics = metrics});
  return model;
}

TEST(TrainingExamples, PredictionsInBatches) {
  Model model = small_model();
  const PredictOptions by_two{.batch_size = 2};
  expect_numbers(numbers(model.predict(Literal::of<float>({{1, 2}, {3, 4}, {5, 6}}), by_two)),
                 {3, 7, 11});
}

// A callback that counts the steps it is told of.
class Counting : public Callback {
 public:
  void on_train_begin() override { epochs = parameters().epochs; }
  int epochs = 0;
};

TEST(TrainingExamples, WhatCallbacksKnowOfTheFit) {
  const FitParameters unknown;
  EXPECT_EQ(unknown.steps, -1);
  const auto counting = std::make_shared<Counting>();
  Model model = small_model();
  model.fit(Literal::of<float>({{1, 2}}), Literal::of<float>({{3}}),
            {.epochs = 2, .callbacks = {counting}, .verbose = 0});
  EXPECT_EQ(counting->epochs, 2);
}

TEST(TrainingExamples, ValuesByTheNamesOfOutputs) {
  const OutputValues<double> weights = {{"kind", 1.0}, {"bright", 0.2}};
  EXPECT_EQ(weights.names(), (std::vector<std::string>{"kind", "bright"}));
  const OutputValue<double> one("kind", 1.0);
  EXPECT_EQ(one.output, "kind");
  const OutputMetrics of_kind("kind", Metric("accuracy"));
  EXPECT_EQ(of_kind.metrics.size(), 1U);
  EXPECT_EQ(
      output_places("loss_weights", weights.names(), {"bright", "kind"}, SourceLocation::current()),
      (std::vector<size_t>{1, 0}));
}

TEST(TrainingExamples, OptionsOfCompileAndSaving) {
  const JitCompile automatic = "auto", off = false;
  EXPECT_FALSE(automatic.off());
  EXPECT_TRUE(off.off());
  EXPECT_EQ(catches_of(OnInterrupt::ignore), InterruptGuard::Catches::never);

  const std::string path = testing::TempDir() + "examples_of_training.weights.h5";
  Model model = small_model();
  model.predict(Literal::of<float>({{1, 2}}));
  model.save_weights(path);
  const LoadWeightsOptions forgiving{.skip_mismatch = true};
  model.load_weights(path, forgiving);
  expect_numbers(numbers(model.predict(Literal::of<float>({{1, 2}}))), {3});
  const SummaryOptions wide{.width = 100, .show_trainable = true};
  EXPECT_EQ(wide.width, 100);
}

TEST(TrainingExamples, StepsOfOnesOwn) {
  const OwnStep logs_the_mean = [](const Model&, StepCall& step) -> StepLogs {
    return {{"mean", mean(step.call(/*training=*/false).front())}};
  };
  const OwnSteps steps{.test = logs_the_mean};
  EXPECT_TRUE(steps.test != nullptr && steps.train == nullptr);
  const OwnLoss loss{.losses = {LossFunction("mse")}, .gives_logits = true};
  const InputOfLabels shifted{.input = "decoder_input_ids",
                              .make = [](const Literal& labels) { return labels; }};
  EXPECT_EQ(loss.losses.size(), 1U);
  EXPECT_EQ(shifted.make(Literal::of<float>({1})), Literal::of<float>({1}));
}

TEST(TrainingExamples, WatchedValues) {
  const WatchedValue loss("val_loss", MonitorMode::min, /*min_delta=*/0.1);
  EXPECT_EQ(loss.name(), "val_loss");
  const WatchedValue accuracy("accuracy", MonitorMode::max);
  EXPECT_EQ(accuracy.value("EarlyStopping", 0, {{"accuracy", 0.5}}), 0.5);
}

TEST(SummaryExamples, ValuesThatTensorBoardShows) {
  const HyperParameter rate = 0.1;
  const HyperParameters parameters = {{"rate", rate}, {"optimizer", std::string("adam")}};
  EXPECT_EQ(parameters.size(), 2U);
  EXPECT_NE(scalar_value("loss", 0.5).find("loss"), std::string::npos);
  EXPECT_NE(keras_graph_value("{}").find("{}"), std::string::npos);
  EXPECT_FALSE(hparams_end_value(HparamsStatus::success, 1).empty());
  const summary::SummaryOptions at_step{.step = 7};
  EXPECT_EQ(at_step.step, 7);
}

TEST(SavingExamples, ModelsAsPrograms) {
  const std::string folder = testing::TempDir() + "examples_of_export";
  Model model = small_model();
  model.predict(Literal::of<float>({{1, 2}}));
  const ExportOptions of_four{.batch_size = 4};
  export_model(model, folder, of_four);
  EXPECT_TRUE(is_exported_model(folder));
  EXPECT_FALSE(is_exported_model(testing::TempDir() + "no_such_model"));
}

TEST(SavingExamples, LayersByThemselves) {
  const std::string path = testing::TempDir() + "examples_of_layers.keras";
  const Discretization ages{.bin_boundaries = {18.0, 65.0}};
  saving::write_layer_file(ages, {}, path, SourceLocation::current());
  const LoadLayerOptions the_only_one{.name = ""};
  EXPECT_EQ(load_layer<Discretization>(path, the_only_one).bin_boundaries.get(),
            (std::vector<double>{18, 65}));
  EXPECT_NE(saving::layer_values_in(path, "Discretization", "", SourceLocation::current())
                .find("bin_boundaries"),
            nullptr);
}

TEST(OptimizerExamples, FieldsThatAllShare) {
  static_assert(OptimizerSpec<SGD> &&
                std::tuple_size_v<decltype(shared_optimizer_fields<SGD>())> > 0);
}

TEST(TextExamples, OptionsOfTokenizers) {
  const SideChoice left = "left";
  EXPECT_TRUE(left.is_left());
  const AddedTokenList special = {"[CLS]", "[SEP]"};
  EXPECT_EQ(special[1].content, "[SEP]");
  const BertWordPieceOptions cased{.lowercase = false};
  const ByteLevelBpeOptions with_space{.add_prefix_space = true};
  NewTokenizer::bert_word_piece(cased);
  EXPECT_TRUE(with_space.add_prefix_space);
}

TEST(EmbeddingExamples, TablesOfFeatures) {
  namespace embedding = tpu::experimental::embedding;
  const embedding::TableConfig words{
      .vocabulary_size = 4, .dim = 2, .combiner = "sum", .name = "words"};
  EXPECT_FALSE(words.identity == embedding::TableIdentity());
  const embedding::FeatureConfig title{.table = words, .name = "title", .ragged = true};
  const embedding::Tables tables = embedding::tables_of({title}, SourceLocation::current());
  EXPECT_EQ(tables.tables.size(), 1U);

  const Tensor table = reshape(range(16, DType::f32), {8, 2});
  const Tensor ids = constant({{1, 2}}), weights = constant({{1.f, 10.f}});
  expect_numbers(embedding::activations(title, table, {.ids = ids, .weights = weights}),
                 {2 + 40, 3 + 50});
  expect_numbers(
      embedding::combined("mean", reshape(constant({1.f, 3.f}), {1, 2, 1}), constant({{1.f, 1.f}})),
      {2});

  const Config written = embedding::to_config(std::vector<embedding::FeatureConfig>{title});
  std::vector<embedding::FeatureConfig> read;
  embedding::from_config(written, read);
  EXPECT_EQ(read.front().name, "title");
  const embedding::PaddedIdsOptions most{.max_ids = 50};
  const embedding::TPUEmbeddingOptions in_step{.pipeline_execution_with_tensor_core = false};
  const embedding::EnqueueOptions evaluates{.training = false};
  EXPECT_TRUE(embedding::padded_ids({title}, most) != nullptr);
  EXPECT_FALSE(in_step.pipeline_execution_with_tensor_core || evaluates.training);
}

}  // namespace
}  // namespace systolic
