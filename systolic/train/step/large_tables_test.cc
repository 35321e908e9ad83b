// Embedding tables that are larger than one core's memory: they train over all cores, as a model
// that has them whole does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/client.h"
#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/nn/embedding/tpu_embedding_layer.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

namespace embedding = tpu::experimental::embedding;
using tfrs::layers::embedding::TPUEmbedding;

constexpr int64_t core_memory = 1 << 20;  // bytes of each of eight cores
constexpr int64_t row_width = 16, row_bytes = 4 * row_width;
constexpr int64_t rows_of_four_cores = 4 * core_memory / row_bytes;
constexpr int64_t looked_up = 64;

class LargeTables : public ::testing::Test {
 protected:
  LargeTables() {
    TpuKind kind = parse_tpu_kind("v3-8");
    kind.generation.memory_bytes_per_core = core_memory;
    small_ = cpu::open_software_tpu(kind, 8);
    small_core_ = cpu::open_software_tpu(kind, 1);
  }
  ~LargeTables() override { set_default_client(nullptr); }

  runtime::ClientPtr small_, small_core_;
};

// A Dense of a row's numbers. Both forms of a table have the same rows.
Network one_table(int64_t rows, bool as_table, const embedding::EmbeddingOptimizer& rule) {
  const Symbol id = input({.shape = Shape{}, .dtype = DType::i32, .name = "id"});
  if (!as_table)
    return Network(id, Dense{.units = 1}(Embedding{.input_dim = embedding::table_rows(rows),
                                                   .output_dim = row_width}(id)));
  const embedding::TableConfig table{.vocabulary_size = rows, .dim = row_width, .name = "large"};
  const Symbol vectors =
      TPUEmbedding{.feature_config = {{.table = table, .name = "id"}}, .optimizer = rule}(id);
  return Network(id, Dense{.units = 1}(vectors));
}

struct AfterTraining {
  std::vector<double> losses;
  std::vector<Literal> weights;
};

// Ids from all parts of the table, some of them twice.
AfterTraining train_with(Model model, int64_t rows) {
  model.compile(
      {.optimizer = SGD{.learning_rate = 0.1}, .loss = MeanSquaredError{}, .metrics = {}});
  std::vector<Literal> values;
  for (const Variable& weight : model.weights()) {
    Literal value(DType::f32, weight.shape());
    float i = 0;
    for (float& one : value.mutable_data<float>()) one = 0.3f * std::cos(3 * ++i);
    values.push_back(value);
  }
  model.set_weights(values);
  Literal ids(DType::i32, {looked_up}), wanted(DType::f32, {looked_up, 1});
  for (size_t i = 0; i < static_cast<size_t>(looked_up); ++i) {
    const auto place = static_cast<int64_t>(i % 48);
    ids.mutable_data<int32_t>()[i] = static_cast<int32_t>(place * (rows - 1) / 47);
    wanted.mutable_data<float>()[i] = std::sin(static_cast<float>(i));
  }
  const History history = model.fit(
      {{"id", ids}}, wanted, {.epochs = 3, .batch_size = 16, .shuffle = false, .verbose = 0});
  return {{history.step_losses.begin(), history.step_losses.end()}, model.get_weights()};
}

Model over_cores(const runtime::ClientPtr& client, int64_t rows,
                 const embedding::EmbeddingOptimizer& rule) {
  set_default_client(client);
  const TPUStrategy strategy(TPUClusterResolver("v3-8", {.cores = client->cores()}));
  return strategy.scope([&] { return Model(one_table(rows, true, rule)); });
}

TEST_F(LargeTables, OfFourCoresTrainOverEightAsADenseModelDoes) {
  const embedding::SGD rule{.learning_rate = 0.1};
  const AfterTraining table =
      train_with(over_cores(small_, rows_of_four_cores, rule), rows_of_four_cores);
  const int64_t peak = small_->counters(0).peak_memory_bytes;
  EXPECT_GT(peak, core_memory / 2);  // a core's part of the table
  EXPECT_LE(peak, core_memory);

  set_default_client(nullptr);  // a core that has room for all
  const AfterTraining dense =
      train_with(Model(one_table(rows_of_four_cores, false, rule)), rows_of_four_cores);
  ASSERT_EQ(table.losses.size(), dense.losses.size());
  for (size_t i = 0; i < dense.losses.size(); ++i)
    EXPECT_NEAR(table.losses[i], dense.losses[i], 1e-5) << i;
  EXPECT_LT(table.losses.back(), table.losses.front());
  ASSERT_EQ(table.weights.size(), dense.weights.size());
  for (size_t w = 0; w < dense.weights.size(); ++w) {
    ASSERT_EQ(table.weights[w].shape(), dense.weights[w].shape());
    double most = 0;
    for (int64_t i = 0; i < dense.weights[w].size(); ++i) {
      most =
          std::max(most, std::abs(table.weights[w].number_at(i) - dense.weights[w].number_at(i)));
    }
    EXPECT_LE(most, 1e-5) << w;
  }
}

TEST_F(LargeTables, ThatDoNotFitAreErrorsThatSayHowMuchIsMissing) {
  const embedding::EmbeddingOptimizer sgd = embedding::SGD{.learning_rate = 0.1},
                                      adagrad = embedding::Adagrad{.learning_rate = 0.1};
  struct Case {
    const char* name;
    runtime::ClientPtr client;
    int64_t rows;
    embedding::EmbeddingOptimizer rule;
    const char* parts;
  };
  const Case cases[] = {
      {"one core", small_core_, rows_of_four_cores, sgd, "4.00 MB parameters"},
      {"eight cores, too high", small_, 3 * rows_of_four_cores, sgd, "1.50 MB parameters"},
      {"eight cores, with accumulators", small_, 2 * rows_of_four_cores, adagrad,
       "1.00 MB optimizer state"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Model model = over_cores(one.client, one.rows, one.rule);
    expect_parts(error_of([&] { train_with(model, one.rows); }),
                 {"ResourceExhausted", "train_step needs ", one.parts, "expected at most 1.00 MB",
                  "the memory of a TPU v3 core", "the weights alone do not fit"});
  }
}

}  // namespace
}  // namespace systolic
