// Embedding tables in fit: by rows over all cores, moved by their own optimizers.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/embedding/tpu_embedding_layer.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/variable_state.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

namespace embedding = tpu::experimental::embedding;
using tfrs::layers::embedding::TPUEmbedding;

constexpr int64_t known_users = 40, known_movies = 23, vector_width = 4, samples = 64;

struct RatedPairs {
  Literal user, movie, rating;
};

// Only the first half of the users rates.
RatedPairs rated_pairs() {
  RatedPairs pairs{Literal(DType::i32, {samples}), Literal(DType::i32, {samples}),
                   Literal(DType::f32, {samples, 1})};
  for (size_t i = 0; i < static_cast<size_t>(samples); ++i) {
    pairs.user.mutable_data<int32_t>()[i] = static_cast<int32_t>(i * i % (known_users / 2));
    pairs.movie.mutable_data<int32_t>()[i] = static_cast<int32_t>(i * 7 % known_movies);
    pairs.rating.mutable_data<float>()[i] = std::sin(static_cast<float>(i));
  }
  return pairs;
}

// The rating is a Dense of both vectors. The same values wherever the tables lie.
Network rating_network(bool with_tables, const embedding::EmbeddingOptimizer& rule) {
  const Symbol user = input({.shape = Shape{}, .dtype = DType::i32, .name = "user"});
  const Symbol movie = input({.shape = Shape{}, .dtype = DType::i32, .name = "movie"});
  std::vector<Symbol> vectors;
  if (with_tables) {
    const embedding::TableConfig users{
        .vocabulary_size = known_users, .dim = vector_width, .name = "users"};
    const embedding::TableConfig movies{
        .vocabulary_size = known_movies, .dim = vector_width, .name = "movies"};
    vectors = TPUEmbedding{
        .feature_config = {{.table = users, .name = "user"}, {.table = movies, .name = "movie"}},
        .optimizer = rule}({user, movie});
  } else {
    vectors = {Embedding{.input_dim = embedding::table_rows(known_users),
                         .output_dim = vector_width}(user),
               Embedding{.input_dim = embedding::table_rows(known_movies),
                         .output_dim = vector_width}(movie)};
  }
  return Network({user, movie}, Dense{.units = 1}(Concatenate{}(vectors)));
}

std::vector<Literal> start_values(const Model& model) {
  std::vector<Literal> values;
  for (const Variable& weight : model.weights()) {
    Literal value(DType::f32, weight.shape());
    for (size_t i = 0; i < static_cast<size_t>(value.size()); ++i)
      value.mutable_data<float>()[i] = 0.3f * std::cos(static_cast<float>(3 * i + 1));
    values.push_back(value);
  }
  return values;
}

struct TrainedTables {
  std::vector<double> losses;
  std::vector<Literal> before, after;
};

TrainedTables train_tables(Model model, const Optimizer& optimizer,
                           int64_t steps_per_execution = 1) {
  model.compile({.optimizer = optimizer,
                 .loss = MeanSquaredError{},
                 .metrics = {},
                 .steps_per_execution = steps_per_execution});
  TrainedTables result;
  result.before = start_values(model);
  model.set_weights(result.before);
  const RatedPairs pairs = rated_pairs();
  const History history =
      model.fit({{"user", pairs.user}, {"movie", pairs.movie}}, pairs.rating,
                {.epochs = 3, .batch_size = 16, .shuffle = false, .verbose = 0});
  result.losses.assign(history.step_losses.begin(), history.step_losses.end());
  result.after = model.get_weights();
  return result;
}

TrainedTables train_on_cores(int cores, const embedding::EmbeddingOptimizer& rule) {
  const TPUClusterResolver resolver("v3-8", {.cores = cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  const Model model = strategy.scope([&] { return Model(rating_network(true, rule)); });
  return train_tables(model, SGD{.learning_rate = 0.1});
}

TEST(EmbeddingTables, TrainAsADenseModelDoes) {
  const TrainedTables tables = train_tables(
      Model(rating_network(true, embedding::SGD{.learning_rate = 0.1})), SGD{.learning_rate = 0.1});
  const TrainedTables dense =
      train_tables(Model(rating_network(false, embedding::SGD{})), SGD{.learning_rate = 0.1});
  ASSERT_EQ(tables.losses.size(), dense.losses.size());
  for (size_t i = 0; i < dense.losses.size(); ++i)
    EXPECT_NEAR(tables.losses[i], dense.losses[i], 1e-5) << i;
  ASSERT_EQ(tables.after.size(), dense.after.size());
  for (size_t w = 0; w < dense.after.size(); ++w) {
    ASSERT_EQ(tables.after[w].shape(), dense.after[w].shape()) << w;
    for (int64_t i = 0; i < dense.after[w].size(); ++i)
      EXPECT_NEAR(tables.after[w].number_at(i), dense.after[w].number_at(i), 1e-5) << w << " " << i;
  }
  EXPECT_LT(tables.losses.back(), tables.losses.front());
}

TEST(EmbeddingTables, AreTheSameBitsOnOneCoreAndOnEight) {
  for (const embedding::EmbeddingOptimizer& rule : std::vector<embedding::EmbeddingOptimizer>{
           embedding::SGD{.learning_rate = 0.1}, embedding::Adagrad{.learning_rate = 0.1},
           embedding::Adam{.learning_rate = 0.1}}) {
    const TrainedTables one = train_on_cores(1, rule), eight = train_on_cores(8, rule);
    EXPECT_EQ(one.losses, eight.losses) << rule.index();
    EXPECT_EQ(one.after, eight.after) << rule.index();
  }
  set_default_client(nullptr);
}

TEST(EmbeddingTables, KeepTheRowsThatNoStepLooksUp) {
  const TrainedTables trained =
      train_tables(Model(rating_network(
                       true, embedding::Adam{.learning_rate = 0.1, .weight_decay_factor = 0.1})),
                   SGD{.learning_rate = 0.1});
  const Literal &before = trained.before.front(), &after = trained.after.front();
  int64_t moved = 0;
  for (int64_t i = 0; i < before.size(); ++i) {
    if (i >= known_users / 2 * vector_width) {
      EXPECT_EQ(before.number_at(i), after.number_at(i)) << i;
    } else if (before.number_at(i) != after.number_at(i)) {
      ++moved;
    }
  }
  EXPECT_GT(moved, 0);
}

TEST(EmbeddingTables, LieByRowsOverTheCores) {
  const TPUClusterResolver resolver("v3-8", {.cores = 8});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  const Model model = strategy.scope(
      [&] { return Model(rating_network(true, embedding::Adagrad{.learning_rate = 0.1})); });
  train_tables(model, SGD{.learning_rate = 0.1});
  const Variable users = model.weights().front();
  EXPECT_EQ(users.shape(), (Shape{48, vector_width}));
  const runtime::BufferPtr buffer = users.state()->ready({});
  EXPECT_EQ(buffer->placement().kind, runtime::Placement::Kind::sharded);
  EXPECT_EQ(buffer->placement().sharding.tiles, (std::vector<int64_t>{8, 1}));
  for (const auto& [name, slot] : model.optimizer().named_variables()) {
    if (name.find("users/accumulator") == std::string::npos) continue;
    EXPECT_EQ(slot.state()->ready({})->placement().sharding.tiles, (std::vector<int64_t>{8, 1}));
  }
  set_default_client(nullptr);
}

TEST(EmbeddingTables, NameTheFeatureOfAnIdOutsideOfItsTable) {
  Model model(rating_network(true, embedding::SGD{}));
  model.compile({.optimizer = "sgd", .loss = MeanSquaredError{}, .metrics = {}});
  for (const int32_t id : {-1, static_cast<int32_t>(known_movies)}) {
    RatedPairs pairs = rated_pairs();
    pairs.movie.mutable_data<int32_t>()[5] = id;
    const std::string text = error_of([&] {
      model.fit({{"user", pairs.user}, {"movie", pairs.movie}}, pairs.rating,
                {.batch_size = 16, .shuffle = false, .verbose = 0});
    });
    expect_parts(text, {"InvalidArgument", "movie", std::to_string(id), "0 to 22"});
  }
}

}  // namespace
}  // namespace systolic
