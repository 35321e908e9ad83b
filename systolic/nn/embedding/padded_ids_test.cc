#include "systolic/nn/embedding/padded_ids.h"

#include <gtest/gtest.h>

#include <limits>

#include "systolic/base/test_errors.h"
#include "systolic/core/sparse_tensor.h"

namespace systolic {
namespace {

namespace embedding = tpu::experimental::embedding;

std::vector<embedding::FeatureConfig> watched_and_user() {
  const embedding::TableConfig movies{.vocabulary_size = 10, .dim = 2, .name = "movies"};
  const embedding::TableConfig users{.vocabulary_size = 5, .dim = 2, .name = "users"};
  return {{.table = users, .name = "user"}, {.table = movies, .name = "watched", .ragged = true}};
}

Example batch_of(const RaggedTensor& watched) {
  Example batch{{"user", Literal::from(std::vector<int64_t>(static_cast<size_t>(watched.rows())),
                                       {watched.rows()})}};
  watched.put_in(batch, "watched");
  batch.set("rating", Literal::of<float>({1, 2, 3}));
  return batch;
}

TEST(PaddedIds, StandFromTheLeftWithTheirWeights) {
  const auto pad = embedding::padded_ids(watched_and_user(), {.max_ids = 4});
  const Example padded = pad(batch_of(RaggedTensor::from_rows<int64_t>({{3, 1}, {}, {9}})));
  EXPECT_EQ(padded.names(),
            (std::vector<std::string>{"user", "watched", "rating", "watched_weights"}));
  EXPECT_EQ(padded["user"], Literal::of<int32_t>({0, 0, 0}));
  EXPECT_EQ(padded["watched"], Literal::of<int32_t>({{3, 1, 0, 0}, {0, 0, 0, 0}, {9, 0, 0, 0}}));
  EXPECT_EQ(padded["watched_weights"],
            Literal::of<float>({{1, 1, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}}));
}

TEST(PaddedIds, AreAsWideAsAPowerOfTwo) {
  struct Case {
    std::vector<std::vector<int64_t>> rows;
    int64_t width;
  };
  const Case cases[] = {{{{}, {}, {}}, 1},
                        {{{1}, {2}, {3}}, 1},
                        {{{1, 2, 3}, {}, {}}, 4},
                        {{{1, 2, 3, 4}, {}, {}}, 4}};
  const auto pad = embedding::padded_ids(watched_and_user());
  for (const Case& one : cases)
    EXPECT_EQ(pad(batch_of(RaggedTensor::from_rows(one.rows)))["watched"].shape(),
              (Shape{3, one.width}));
}

TEST(PaddedIds, OfASparseTensorAreThoseOfItsRows) {
  const auto pad = embedding::padded_ids(watched_and_user());
  Example batch{{"user", Literal::of<int32_t>({1, 2})}};
  const Literal places = Literal::of<int64_t>({{0, 5}, {1, 0}, {1, 7}});
  SparseTensor::from(places, Literal::of<int64_t>({4, 5, 6}), {2, 9}).put_in(batch, "watched");
  SparseTensor::from(places, Literal::of<float>({0.5, 2, -1}), {2, 9})
      .put_in(batch, "watched_weights");
  const Example padded = pad(batch);
  EXPECT_EQ(padded.size(), 3u);
  EXPECT_EQ(padded["watched"], Literal::of<int32_t>({{4, 0}, {5, 6}}));
  EXPECT_EQ(padded["watched_weights"], Literal::of<float>({{0.5, 0}, {2, -1}}));
}

// A row of 10^6 ids is an array of that width, or an error where fewer were announced.
TEST(PaddedIds, OfAMillionInARowArePaddedOrRefused) {
  std::vector<std::vector<int64_t>> rows(3);
  rows[1].assign(1'000'000, 7);
  const Example batch = batch_of(RaggedTensor::from_rows(rows));
  EXPECT_EQ(embedding::padded_ids(watched_and_user())(batch)["watched"].shape(),
            (Shape{3, 1 << 20}));
  const auto pad = embedding::padded_ids(watched_and_user(), {.max_ids = 50});
  expect_parts(
      error_of([&] { pad(batch); }),
      {"InvalidArgument", "feature 'watched', row 1: 1000000 ids", "at most max_ids = 50"});
}

TEST(PaddedIds, OfAnEmptyBatchAreNone) {
  const auto pad = embedding::padded_ids(watched_and_user());
  EXPECT_EQ(pad(batch_of(RaggedTensor::from_rows<int64_t>({})))["watched"].shape(), (Shape{0, 1}));
}

TEST(PaddedIds, NameTheFeatureAndTheRowOfWhatIsWrong) {
  struct Case {
    const char* name;
    Example batch;
    std::vector<std::string> parts;
  };
  const auto with_weights = [](const std::vector<std::vector<float>>& weights) {
    Example batch = batch_of(RaggedTensor::from_rows<int64_t>({{3, 1}, {}, {9}}));
    RaggedTensor::from_rows(weights).put_in(batch, "watched_weights");
    return batch;
  };
  Example user = batch_of(RaggedTensor::from_rows<int64_t>({{}, {}, {}}));
  user.set("user", Literal::of<int64_t>({0, 5, 1}));
  Example floats = batch_of(RaggedTensor::from_rows<float>({{1}, {}, {}}));
  const Case cases[] = {
      {"past",
       batch_of(RaggedTensor::from_rows<int64_t>({{3}, {}, {4, 10}})),
       {"feature 'watched', row 2: id 10", "0 to 9: table 'movies' knows 10"}},
      {"below",
       batch_of(RaggedTensor::from_rows<int64_t>({{3}, {-1}, {4}})),
       {"feature 'watched', row 1: id -1"}},
      {"dense", user, {"feature 'user', row 1: id 5", "table 'users' knows 5"}},
      {"floats", floats, {"feature 'watched' is f32"}},
      {"too few weights",
       with_weights({{1}, {}, {1}}),
       {"feature 'watched', row 0: 1 weights", "one for each of 2 ids"}},
      {"no weight",
       with_weights({{1, std::numeric_limits<float>::quiet_NaN()}, {}, {1}}),
       {"feature 'watched', row 0: weight nan"}},
      {"nothing", Example{{"user", Literal::of<int64_t>({0})}}, {"watched"}},
  };
  const auto pad = embedding::padded_ids(watched_and_user());
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    expect_parts(error_of([&] { pad(one.batch); }), one.parts);
  }
}

}  // namespace
}  // namespace systolic
