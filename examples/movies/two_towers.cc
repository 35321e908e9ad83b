#include "examples/movies/two_towers.h"

#include <algorithm>
#include <map>
#include <set>

namespace examples {

using namespace systolic;
namespace embedding = tpu::experimental::embedding;
using tfrs::layers::embedding::TPUEmbedding;

namespace {

constexpr int64_t width = 32;

// user_vectors movie_vectors^T, sharpened.
struct Fits {
  Tensor call(const std::vector<Tensor>& xs, CallContext&) const {
    return matmul(xs.at(0), transpose(xs.at(1)));
  }
};

Example element_of(const Watching& one) {
  const auto count = static_cast<int64_t>(one.watched.size());
  return Example{
      {"user", one.user}, {"watched", Literal::from(one.watched, {count})}, {"movie", one.movie}};
}

data::Dataset elements_of(const std::vector<Watching>& watchings) {
  const auto shared = std::make_shared<const std::vector<Watching>>(watchings);
  return data::from_generator(
      [shared] {
        return [shared, next = size_t{0}]() mutable -> std::optional<Example> {
          if (next == shared->size()) return std::nullopt;
          return element_of((*shared)[next++]);
        };
      },
      {.output_signature = {
           {"user", {}, DType::i64}, {"watched", {-1}, DType::i64}, {"movie", {}, DType::i64}}});
}

}  // namespace

TwoTowers make_towers(int64_t users, int64_t movies, double learning_rate) {
  const embedding::EmbeddingOptimizer rule = embedding::Adagrad{.learning_rate = learning_rate};
  const embedding::TableConfig user_table{.vocabulary_size = users, .dim = width, .name = "users"};
  const embedding::TableConfig watched_table{
      .vocabulary_size = movies, .dim = width, .name = "watched"};
  const embedding::TableConfig movie_table{
      .vocabulary_size = movies, .dim = width, .name = "movies"};
  const std::vector<embedding::FeatureConfig> of_user{
      {.table = user_table, .name = "user"},
      {.table = watched_table, .name = "watched", .ragged = true}};
  const std::vector<embedding::FeatureConfig> of_movie{{.table = movie_table, .name = "movie"}};

  const Symbol user = input({.shape = Shape{}, .dtype = DType::i32, .name = "user"});
  const Symbol watched = input({.shape = {-1}, .dtype = DType::i32, .name = "watched"});
  const Symbol weights = input({.shape = {-1}, .name = "watched_weights"});
  const Symbol movie = input({.shape = Shape{}, .dtype = DType::i32, .name = "movie"});
  const std::vector<Symbol> known = TPUEmbedding{.feature_config = of_user,
                                                 .optimizer = rule,
                                                 .name = "user_tables"}({user, watched, weights});
  const Symbol user_vector = Dense{.units = width, .name = "user_vector"}(Concatenate{}(known));
  const Symbol movie_vector = Dense{.units = width, .name = "movie_vector"}(
      TPUEmbedding{.feature_config = of_movie, .optimizer = rule, .name = "movie_tables"}(movie));
  const Layer fits = Fits{};
  std::vector<embedding::FeatureConfig> features = of_user;
  features.push_back(of_movie.front());
  return {
      .user = Model(Network({user, watched, weights}, user_vector)),
      .movie = Model(Network(movie, movie_vector)),
      .model = Model(Network({user, watched, weights, movie}, fits({user_vector, movie_vector}))),
      .features = features};
}

data::Dataset batches_of(const std::vector<Watching>& watchings, const TwoTowers& towers,
                         int64_t batch, int64_t most_watched) {
  const auto pad = embedding::padded_ids(towers.features, {.max_ids = most_watched});
  return elements_of(watchings)
      .shuffle(4096, {.seed = 7})
      .ragged_batch(batch, {.drop_remainder = true})
      .map([pad](const Example& element) -> Example {
        Example padded = pad(element);
        std::vector<int64_t> places(static_cast<size_t>(padded["user"].size()));
        for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
        padded.set("label", Literal::from(places, {padded["user"].size()}));
        return padded;
      })
      .prefetch(2);
}

double recall_at_10(const TwoTowers& towers, const std::vector<Watching>& watchings,
                    const Ratings& ratings, int64_t most_watched) {
  std::map<int64_t, std::set<int64_t>> seen;
  for (const Rating& one : ratings.all) seen[one.user].insert(one.movie);
  const auto pad = embedding::padded_ids({towers.features.begin(), towers.features.begin() + 2},
                                         {.max_ids = most_watched});
  const Literal users = towers.user.predict(
      elements_of(watchings).ragged_batch(64).map([pad](const Example& element) -> Example {
        const Example padded = pad(element);
        return Example{{"user", padded["user"]},
                       {"watched", padded["watched"]},
                       {"watched_weights", padded["watched_weights"]}};
      }));
  std::vector<int32_t> all(static_cast<size_t>(ratings.movies));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
  const Literal movies = towers.movie.predict(Literal::from(all, {ratings.movies}));
  const Literal scores = matmul(Tensor(users), transpose(Tensor(movies))).literal();
  int64_t found = 0;
  for (size_t row = 0; row < watchings.size(); ++row) {
    const Watching& one = watchings[row];
    const auto score = [&](int64_t movie) {
      return scores.number_at(static_cast<int64_t>(row) * ratings.movies + movie);
    };
    int64_t better = 0;
    for (int64_t movie = 0; movie < ratings.movies; ++movie) {
      const bool watched = movie != one.movie && seen[one.user].count(movie) > 0;
      better += !watched && score(movie) > score(one.movie) ? 1 : 0;
    }
    found += better < 10 ? 1 : 0;
  }
  return static_cast<double>(found) / static_cast<double>(std::max<size_t>(1, watchings.size()));
}

}  // namespace examples
