// Models with embedding tables as files: what eight cores saved by rows, one core reads whole, and
// the reverse, with what the tables' own optimizers keep.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/io/hdf5/test_hdf5.h"
#include "systolic/systolic.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/variable_state.h"

namespace systolic {
namespace {

namespace embedding = tpu::experimental::embedding;
using tfrs::layers::embedding::TPUEmbedding;

class TableFiles : public NeedsHdf5 {};

constexpr int64_t users = 40, movies = 23, samples = 64, most_watched = 3;

ModelArrays watched_movies() {
  Literal user(DType::i32, {samples}), movie(DType::i32, {samples}),
      watched(DType::i32, {samples, most_watched}), weights(DType::f32, {samples, most_watched});
  for (size_t i = 0; i < static_cast<size_t>(samples); ++i) {
    user.mutable_data<int32_t>()[i] = static_cast<int32_t>(i * i % users);
    movie.mutable_data<int32_t>()[i] = static_cast<int32_t>(i * 7 % movies);
    for (size_t k = i * most_watched; k < (i + 1) * most_watched; ++k) {
      watched.mutable_data<int32_t>()[k] = static_cast<int32_t>(k * 5 % movies);
      weights.mutable_data<float>()[k] = static_cast<float>(k % 3);
    }
  }
  return {{"user", user}, {"movie", movie}, {"watched", watched}, {"watched_weights", weights}};
}

Literal ratings() {
  Literal values(DType::f32, {samples, 1});
  for (size_t i = 0; i < static_cast<size_t>(samples); ++i)
    values.mutable_data<float>()[i] = std::sin(static_cast<float>(i));
  return values;
}

// Two features share a table; each table has another optimizer, and what is no table a third.
Model new_rater() {
  set_seed(3);
  const embedding::TableConfig user_table{
      .vocabulary_size = users,
      .dim = 4,
      .optimizer =
          embedding::Adam{.learning_rate = 0.05, .clipvalue = embedding::ClipValue{{}, 0.5}},
      .name = "users"};
  const embedding::TableConfig movie_table{
      .vocabulary_size = movies, .dim = 4, .combiner = "sqrtn", .name = "movies"};
  const Symbol user = input({.shape = Shape{}, .dtype = DType::i32, .name = "user"});
  const Symbol movie = input({.shape = Shape{}, .dtype = DType::i32, .name = "movie"});
  const Symbol watched = input({.shape = {most_watched}, .dtype = DType::i32, .name = "watched"});
  const Symbol weights = input({.shape = {most_watched}, .name = "watched_weights"});
  const std::vector<Symbol> vectors = TPUEmbedding{
      .feature_config = {{.table = user_table, .name = "user"},
                         {.table = movie_table, .name = "movie"},
                         {.table = movie_table, .name = "watched", .ragged = true}},
      .optimizer = embedding::Adagrad{
          .learning_rate = ExponentialDecay{.initial_learning_rate = 0.1,
                                            .decay_steps = 4,
                                            .decay_rate = 0.5}}}({user, movie, watched, weights});
  Model model(Network({user, movie, watched, weights}, Dense{.units = 1}(Concatenate{}(vectors))));
  model.compile({.optimizer = "adam", .loss = MeanSquaredError{}, .metrics = {}});
  return model;
}

template <class Make>
Model made_on(int cores, const Make& make) {
  const TPUClusterResolver resolver("v3-8", {.cores = cores});
  initialize_tpu_system(resolver);
  return TPUStrategy(resolver).scope(make);
}

std::vector<double> train_rater(Model& model) {
  const History history = model.fit(
      watched_movies(), ratings(), {.epochs = 2, .batch_size = 16, .shuffle = false, .verbose = 0});
  return {history.step_losses.begin(), history.step_losses.end()};
}

struct Saved {
  Literal predictions;
  std::vector<Literal> weights;
  std::vector<double> losses;  // of the epochs after
};

Saved state_and_more(Model& model) {
  Saved saved{model.predict(watched_movies()), model.get_weights(), {}};
  saved.losses = train_rater(model);
  return saved;
}

void expect_equal(const Saved& got, const Saved& wanted) {
  EXPECT_EQ(got.predictions, wanted.predictions);
  EXPECT_EQ(got.weights, wanted.weights);
  EXPECT_EQ(got.losses, wanted.losses);
}

TEST_F(TableFiles, OfWholeModelsGoFromEightCoresToOneAndBack) {
  const TemporaryFolder folder;
  for (const char* ending : {".keras", ".h5"}) {
    for (const auto& [first, then] : {std::pair(8, 1), std::pair(1, 8), std::pair(8, 8)}) {
      SCOPED_TRACE(str(ending, " from ", first, " to ", then));
      const std::string path = folder / str(first, "_", then, ending);
      Model model = made_on(first, new_rater);
      train_rater(model);
      model.save(path);
      const Saved wanted = state_and_more(model);
      Model again = made_on(then, [&] { return load_model(path); });
      expect_equal(state_and_more(again), wanted);
    }
  }
  set_default_client(nullptr);
}

TEST_F(TableFiles, OfWeightsGoFromEightCoresToOneAndBack) {
  const TemporaryFolder folder;
  for (const char* ending : {".weights.h5", ".safetensors", ".npz", ".ckpt"}) {
    for (const auto& [first, then] : {std::pair(8, 1), std::pair(1, 8)}) {
      SCOPED_TRACE(str(ending, " from ", first, " to ", then));
      const std::string path = folder / str(first, "_", then, ending);
      Model model = made_on(first, new_rater);
      train_rater(model);
      model.save_weights(path);
      const Literal predictions = model.predict(watched_movies());
      Model again = made_on(then, new_rater);
      again.load_weights(path);
      EXPECT_EQ(again.predict(watched_movies()), predictions);
    }
  }
  set_default_client(nullptr);
}

TEST_F(TableFiles, LieByRowsAgainOnceTheyAreRead) {
  const TemporaryFolder folder;
  const std::string path = folder / "rater.keras";
  Model model = made_on(1, new_rater);
  train_rater(model);
  model.save(path);
  const Model again = made_on(8, [&] { return load_model(path); });
  const std::vector<int64_t> by_rows{8, 1};
  EXPECT_EQ(again.weights().front().state()->ready({})->placement().sharding.tiles, by_rows);
  int64_t slots = 0;
  for (const auto& [name, slot] : again.optimizer().named_variables()) {
    if (slot.shape().rank() != 2 || !slot.state()->rows_over_cores) continue;
    EXPECT_EQ(slot.state()->ready({})->placement().sharding.tiles, by_rows) << name;
    ++slots;
  }
  EXPECT_EQ(slots, 3);  // momentum, velocity and accumulator
  set_default_client(nullptr);
}

TEST_F(TableFiles, OfDistributedEmbeddingAreReadAgain) {
  const TemporaryFolder folder;
  const std::string path = folder / "distributed.keras";
  set_seed(5);
  const keras_rs::layers::TableConfig table{.name = "movies",
                                            .vocabulary_size = movies,
                                            .embedding_dim = 4,
                                            .optimizer = embedding::FTRL{.learning_rate = 0.1},
                                            .combiner = "sum"};
  const Symbol watched = input({.shape = {most_watched}, .dtype = DType::i32, .name = "watched"});
  const Symbol movie = input({.shape = Shape{}, .dtype = DType::i32, .name = "movie"});
  const std::vector<Symbol> vectors = keras_rs::layers::DistributedEmbedding{
      .feature_configs = {{.name = "watched", .table = table},
                          {.name = "movie", .table = table}}}({watched, movie});
  Model model(Network({watched, movie}, Dense{.units = 1}(Concatenate{}(vectors))));
  model.compile({.optimizer = "sgd", .loss = MeanSquaredError{}, .metrics = {}});
  const auto inputs = [] {
    Literal ids(DType::i32, {samples, most_watched}), one(DType::i32, {samples});
    for (size_t k = 0; k < static_cast<size_t>(ids.size()); ++k)
      ids.mutable_data<int32_t>()[k] = static_cast<int32_t>(k * 5 % movies);
    for (size_t k = 0; k < static_cast<size_t>(one.size()); ++k)
      one.mutable_data<int32_t>()[k] = static_cast<int32_t>(k % movies);
    return ModelArrays{{"watched", ids}, {"movie", one}};
  };
  const FitOptions options{.epochs = 2, .batch_size = 16, .shuffle = false, .verbose = 0};
  model.fit(inputs(), ratings(), options);
  model.save(path);
  Model again = load_model(path);
  EXPECT_EQ(again.get_weights(), model.get_weights());
  EXPECT_EQ(again.fit(inputs(), ratings(), options).step_losses,
            model.fit(inputs(), ratings(), options).step_losses);
}

TEST(TableConfigurations, NameWhatIsWrongInThem) {
  const auto layer_of = [](const std::string& config) {
    return error_of([&] {
      layer_from_config(
          Config::parse(R"({"class_name": "TPUEmbedding", "config": )" + config + "}"));
    });
  };
  const std::string table =
      R"({"name": "t", "vocabulary_size": 6, "dim": 3, "initializer": "zeros", "optimizer": null, "combiner": "sum"})";
  const auto feature = [](const std::string& number) {
    return R"({"name": "f", "table": )" + number +
           R"(, "max_sequence_length": 0, "validate_weights_and_indices": true, "ragged": false})";
  };
  const auto both = [&](const std::string& tables, const std::string& features) {
    return R"({"feature_config": {"tables": [)" + tables + R"(], "features": [)" + features + "]}}";
  };
  EXPECT_EQ(layer_of(both(table, feature("0"))), "no error");
  expect_parts(layer_of(both(table, feature("1"))), {"InvalidArgument", "looks up table 1"});
  expect_parts(layer_of(both(table, feature("-1"))), {"InvalidArgument", "looks up table -1"});
  expect_parts(layer_of(R"({"optimizer": {"name": "Lion"}})"),
               {"InvalidArgument", "a table's optimizer 'Lion'", "Adagrad"});
  expect_parts(layer_of(R"({"optimizer": {"name": "SGD", "rate": 1}})"),
               {"InvalidArgument", "'rate'", "SGD"});
  expect_parts(layer_of(R"({"feature_config": {"tables": []}})"), {"NotFound", "features"});
}

}  // namespace
}  // namespace systolic
