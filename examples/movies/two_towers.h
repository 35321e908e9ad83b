// A recommender of two towers: one makes a vector of a user and what they watched, the other of a
// movie, and their product says how well these fit (tensorflow.org/recommenders).
#pragma once

#include "examples/movies/ratings.h"
#include "systolic/systolic.h"

namespace examples {

struct TwoTowers {
  systolic::Model user, movie;  // vectors [batch, 32]
  // Both: how well each user of a batch fits each of its movies, [batch, batch].
  systolic::Model model;
  std::vector<systolic::tpu::experimental::embedding::FeatureConfig> features;
};

// With tables that lie over the cores of the strategy at hand.
TwoTowers make_towers(int64_t users, int64_t movies, double learning_rate);

// Batches as `model` takes them: user, watched, movie, and as label each movie's place.
systolic::data::Dataset batches_of(const std::vector<Watching>& watchings, const TwoTowers& towers,
                                   int64_t batch, int64_t most_watched);

// The share of `watchings` whose movie is among the ten that fit best of those not watched before.
double recall_at_10(const TwoTowers& towers, const std::vector<Watching>& watchings,
                    const Ratings& ratings, int64_t most_watched);

}  // namespace examples
