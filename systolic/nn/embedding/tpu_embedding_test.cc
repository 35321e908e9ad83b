#include "systolic/nn/embedding/tpu_embedding.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/core/sparse_tensor.h"
#include "systolic/nn/embedding/distributed_embedding.h"
#include "systolic/nn/embedding/tpu_embedding_layer.h"
#include "systolic/nn/network/network.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

namespace embedding = tpu::experimental::embedding;

// ((7 row + 3 column) % 11) / 10 - 0.4, in all rows that a table of 6 ids has.
Literal table_values() {
  Literal values(DType::f32, {embedding::table_rows(6), 3});
  for (int64_t i = 0; i < values.size(); ++i) {
    values.mutable_data<float>()[static_cast<size_t>(i)] =
        static_cast<float>((i / 3 * 7 + i % 3 * 3) % 11) / 10 - 0.4f;
  }
  return values;
}

embedding::FeatureConfig ragged_feature(embedding::Combiner combiner,
                                        int64_t max_sequence_length = 0) {
  return {.table =
              embedding::TableConfig{
                  .vocabulary_size = 6, .dim = 3, .combiner = combiner, .name = "table"},
          .max_sequence_length = max_sequence_length,
          .name = "ids",
          .ragged = true};
}

Example ragged_batch(bool weighted) {
  Example batch;
  RaggedTensor::from_rows<int64_t>({{1, 4, 4}, {}, {0, 5}, {2}}).put_in(batch, "ids");
  if (weighted)
    RaggedTensor::from_rows<float>({{0.5, 2, 1}, {}, {1.5, 0.25}, {3}})
        .put_in(batch, "ids_weights");
  return batch;
}

Literal look_up(const embedding::FeatureConfig& feature, const Example& batch) {
  const embedding::TPUEmbeddingForServing serving({feature});
  serving.embedding_tables().front().second.set(table_values());
  return serving.embedding_lookup(batch).front().literal();
}

void expect_values(const Literal& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), static_cast<int64_t>(wanted.size()));
  for (int64_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got.number_at(i), wanted[static_cast<size_t>(i)], 1e-6) << i;
}

// As tf.nn.safe_embedding_lookup_sparse of TensorFlow 2.21 gives them for the table and batch
// above.
TEST(TPUEmbedding, CombinesAsTensorFlowDoes) {
  struct Case {
    embedding::Combiner combiner;
    bool weighted;
    std::vector<double> wanted;
  };
  const Case cases[] = {
      {"sum", false, {0.7, 1.6, -0.8, 0, 0, 0, -0.6, 0, 0.6, -0.1, 0.2, 0.5}},
      {"sum", true, {0.75, 1.8, -1, 0, 0, 0, -0.65, -0.125, 0.4, -0.3, 0.6, 1.5}},
      {"mean", false, {0.2333333, 0.5333334, -0.2666667, 0, 0, 0, -0.3, 0, 0.3, -0.1, 0.2, 0.5}},
      {"mean",
       true,
       {0.2142857, 0.5142857, -0.2857143, 0, 0, 0, -0.3714286, -0.07142857, 0.2285714, -0.1, 0.2,
        0.5}},
      {"sqrtn",
       false,
       {0.4041452, 0.9237604, -0.4618802, 0, 0, 0, -0.4242641, 0, 0.4242641, -0.1, 0.2, 0.5}},
      {"sqrtn",
       true,
       {0.3273268, 0.7855844, -0.4364358, 0, 0, 0, -0.4274374, -0.08219949, 0.2630384, -0.1, 0.2,
        0.5}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.combiner.name()) + (one.weighted ? ", weighted" : ""));
    expect_values(look_up(ragged_feature(one.combiner), ragged_batch(one.weighted)), one.wanted);
  }
}

TEST(TPUEmbedding, LeavesOutWhatHasNoPositiveWeight) {
  Example batch;
  RaggedTensor::from_rows<int64_t>({{2, 1}, {3}}).put_in(batch, "ids");
  RaggedTensor::from_rows<float>({{3, -1}, {0}}).put_in(batch, "ids_weights");
  expect_values(look_up(ragged_feature("mean"), batch), {-0.1, 0.2, 0.5, 0, 0, 0});
}

TEST(TPUEmbedding, KeepsSequencesInOrder) {
  const Literal two = look_up(ragged_feature("mean", 2), ragged_batch(false));
  EXPECT_EQ(two.shape(), (Shape{4, 2, 3}));
  expect_values(two, {0.3,  0.6,  -0.2, 0.2,  0.5, -0.3, 0,    0,   0,   0, 0, 0,
                      -0.4, -0.1, 0.2,  -0.2, 0.1, 0.4,  -0.1, 0.2, 0.5, 0, 0, 0});
  EXPECT_EQ(look_up(ragged_feature("mean", 7), ragged_batch(false)).shape(), (Shape{4, 7, 3}));
}

embedding::TPUEmbedding new_tables(const std::optional<embedding::EmbeddingOptimizer>& optimizer,
                                   bool pipelined = false) {
  embedding::TPUEmbedding tables({ragged_feature("sum")}, optimizer,
                                 {.pipeline_execution_with_tensor_core = pipelined});
  tables.embedding_tables().front().second.set(table_values());
  return tables;
}

// The gradient of each activation is 2 activations.
void train_batch(const embedding::TPUEmbedding& tables) {
  GradientTape tape;
  const std::vector<Tensor> activations = tables.dequeue();
  tape.watch(activations.front());
  const Tensor loss = sum(square(activations.front()));
  tables.apply_gradients(tape.gradient(loss, activations));
}

TEST(TPUEmbedding, MovesTheRowsOfABatchByTheGradientsOfItsActivations) {
  const embedding::TPUEmbedding tables = new_tables(embedding::SGD{.learning_rate = 0.1});
  tables.enqueue(ragged_batch(true));
  train_batch(tables);
  // Row 4 has weights 2 and 1 in the first sample, whose activations are 0.75 1.8 -1.
  const Literal before = table_values();
  const Literal after = tables.embedding_tables().front().second.literal();
  const double of_first[] = {0.75, 1.8, -1};
  for (int64_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.number_at(3 + k), before.number_at(3 + k) - 0.1 * 0.5 * 2 * of_first[k],
                1e-6);
    EXPECT_NEAR(after.number_at(12 + k), before.number_at(12 + k) - 0.1 * 3 * 2 * of_first[k],
                1e-6);
    EXPECT_EQ(after.number_at(9 + k), before.number_at(9 + k));  // row 3 is not looked up
  }
}

// A batch of no samples moves no row, and none by what its optimizer remembers either.
TEST(TPUEmbedding, TakesEmptyBatches) {
  const embedding::TPUEmbedding tables = new_tables(embedding::Adam{.learning_rate = 0.1});
  tables.enqueue(ragged_batch(true));
  train_batch(tables);
  const Literal before = tables.embedding_tables().front().second.literal();
  Example none;
  RaggedTensor::from_rows<int64_t>({}).put_in(none, "ids");
  tables.enqueue(none);
  GradientTape tape;
  const std::vector<Tensor> activations = tables.dequeue();
  EXPECT_EQ(activations.front().shape(), (Shape{0, 3}));
  tape.watch(activations.front());
  const Tensor loss = sum(square(activations.front()));
  tables.apply_gradients(tape.gradient(loss, activations));
  EXPECT_EQ(tables.embedding_tables().front().second.literal(), before);
}

// A batch that is enqueued before the gradients of the one before it are applied does not see them
// in a pipeline.
TEST(TPUEmbedding, InAPipelineIsOneStepBehind) {
  for (const bool pipelined : {false, true}) {
    const embedding::TPUEmbedding tables =
        new_tables(embedding::SGD{.learning_rate = 0.1}, pipelined);
    tables.enqueue(ragged_batch(true));
    tables.enqueue(ragged_batch(true));
    train_batch(tables);
    const double got = tables.dequeue().front().literal().number_at(0);
    // 0.5, 2 and 1 times what moved by 0.1 (0.5 and 3) 2 * 0.75.
    const double moved = 0.75 - 0.1 * 2 * 0.75 * (0.5 * 0.5 + 3 * 3);
    EXPECT_NEAR(got, pipelined ? 0.75 : moved, 1e-6) << pipelined;
  }
}

TEST(TPUEmbedding, SaysWhatIsOutOfTurn) {
  const embedding::TPUEmbedding tables = new_tables(embedding::SGD{}), untrained = new_tables({});
  expect_parts(error_of([&] { tables.dequeue(); }), {"FailedPrecondition", "no batch waits"});
  expect_parts(error_of([&] { tables.apply_gradients({}); }),
               {"FailedPrecondition", "no training batch was dequeued"});
  tables.enqueue(ragged_batch(false));
  const Tensor activations = tables.dequeue().front();
  expect_parts(error_of([&] { tables.apply_gradients({}); }),
               {"InvalidArgument", "of 0 gradients"});
  expect_parts(error_of([&] { tables.apply_gradients({sum(activations)}); }),
               {"InvalidArgument", "the gradient of feature 'ids' has shape ()"});
  untrained.enqueue(ragged_batch(false));
  const Tensor other = untrained.dequeue().front();
  expect_parts(error_of([&] { untrained.apply_gradients({other}); }),
               {"FailedPrecondition", "table 'table' has no optimizer"});
  expect_parts(error_of([&] { tables.enqueue(std::vector<embedding::FeatureInput>{}); }),
               {"InvalidArgument", "enqueue of 0 features"});
}

TEST(TPUEmbedding, NamesWhatACheckpointHolds) {
  std::vector<std::string> names;
  for (const auto& [name, variable] : new_tables(embedding::Adam{}).named_variables())
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"table", "table/iterations", "table/learning_rate",
                                             "table/momentum", "table/velocity"}));
}

TEST(TPUEmbedding, RefusesConfigurationsThatCannotBe) {
  using embedding::FeatureConfig;
  const embedding::TableConfig a{.vocabulary_size = 6, .dim = 3, .name = "a"};
  const embedding::TableConfig other{.vocabulary_size = 6, .dim = 3, .name = "a"};
  const embedding::TableConfig none{.vocabulary_size = 0, .dim = 3, .name = "none"};
  struct Case {
    std::vector<FeatureConfig> features;
    const char* part;
  };
  const Case cases[] = {
      {{}, "has no features"},
      {{{.table = a}, {.table = other}}, "two tables are named 'a'"},
      {{{.table = a, .name = "x"}, {.table = a, .name = "x"}}, "two features are named 'x'"},
      {{{.table = none}}, "table 'none' has vocabulary_size = 0"},
      {{{.table = a, .max_sequence_length = -1}}, "max_sequence_length = -1"},
  };
  for (const Case& one : cases) {
    expect_parts(error_of([&] { embedding::TPUEmbedding tables(one.features); }),
                 {"InvalidArgument", one.part});
  }
  expect_parts(error_of([] { embedding::Combiner::parse("max"); }),
               {"InvalidArgument", "combiner 'max'", "sum"});
}

// The layer under keras_rs's names: ids of two axes are combined, with weights or without, and
// features of one table's name share it.
TEST(DistributedEmbedding, CombinesDenseIds) {
  const keras_rs::layers::TableConfig table{
      .name = "table", .vocabulary_size = 6, .embedding_dim = 3, .combiner = "mean"};
  const Layer layer = keras_rs::layers::DistributedEmbedding{
      .feature_configs = {{.name = "one", .table = table}, {.name = "many", .table = table}}};
  const auto call = [&](const std::vector<Tensor>& xs) {
    const Symbol one = input({.shape = Shape{}, .dtype = DType::i32});
    const Symbol many = input({.shape = {2}, .dtype = DType::i32});
    std::vector<Symbol> inputs{one, many};
    if (xs.size() == 4) {
      inputs.push_back(input({.shape = Shape{}}));
      inputs.push_back(input({.shape = {2}}));
    }
    const Network network(inputs, layer.outputs(inputs));
    if (!layer.weights().empty()) layer.weights().front().set(table_values());
    return network.outputs(xs);
  };
  const Tensor one = Literal::of<int32_t>({2, 1}), many = Literal::of<int32_t>({{4, 1}, {0, 5}});
  call({one, many});
  ASSERT_EQ(layer.weights().size(), 1u);
  const auto plain = call({one, many});
  expect_values(plain[0].literal(), {-0.1, 0.2, 0.5, 0.3, 0.6, -0.2});
  expect_values(plain[1].literal(), {0.25, 0.55, -0.25, -0.3, 0, 0.3});
  const Tensor weights = Literal::of<float>({1, 1}), more = Literal::of<float>({{1, 3}, {0, 2}});
  const auto weighted = call({one, many, weights, more});
  expect_values(weighted[1].literal(), {0.275, 0.575, -0.225, -0.2, 0.1, 0.4});
}

}  // namespace
}  // namespace systolic
