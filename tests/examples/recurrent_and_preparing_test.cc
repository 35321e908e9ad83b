// Recurrent layers and those that prepare data, with results worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
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

// A cell of one's own: the running sum of its inputs.
struct SumCell {
  static constexpr const char* kind = "SumCell";
  std::vector<Shape> state_shapes(const Shape& step) const { return {{step[-1]}}; }
  RecurrentSteps over(const Tensor& sequence, CellContext&) const {
    return {.inputs = sequence, .step = [](const Tensor& x, const std::vector<Tensor>& states) {
              const Tensor total = states[0] + x;
              return std::vector<Tensor>{total, total};
            }};
  }
};

TEST(RecurrentExamples, CellsOfOnesOwn) {
  static_assert(RecurrentCellSpec<SumCell> && RecurrentStackSpec<StackedRNNCells>);
  const RecurrentCell cell = SumCell{};
  EXPECT_EQ(cell.kind(), "SumCell");
  const Layer sums = RNN{.cell = cell, .return_sequences = true};
  expect_numbers(sums(reshape(constant({1.f, 2.f, 4.f}), {1, 3, 1})), {1, 3, 7});

  const std::vector<NamedCell> named = cells_in(cell, "");
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(named.front().cell.kind(), "SumCell");
}

TEST(RecurrentExamples, OptionsThatAllShare) {
  const LSTM lstm{.units = 3, .return_sequences = true};
  const RecurrenceOptions shared = recurrence_options(lstm);
  EXPECT_TRUE(shared.return_sequences);
  EXPECT_FALSE(shared.stateful);
  static_assert(std::tuple_size_v<decltype(recurrence_fields<LSTM>())> > 0);
  static_assert(std::tuple_size_v<decltype(common_fields<LSTM>())> > 0);
  static_assert(std::tuple_size_v<decltype(bias_fields<Dense>())> > 0);
  static_assert(std::tuple_size_v<decltype(transformer_fields<TransformerEncoder>())> > 0);
}

// The recurrence by itself, inside a layer of one's own.
struct LastSum {
  Tensor call(const Tensor& x, CallContext& context) const {
    const RecurrenceOptions backwards{.go_backwards = true};
    return run_recurrence(SumCell{}, {x}, backwards, context).at(0);
  }
};

TEST(RecurrentExamples, RecurrencesInsideOtherLayers) {
  const Layer last = LastSum{};
  expect_numbers(last(reshape(constant({1.f, 2.f, 4.f}), {1, 3, 1})), {7});
}

TEST(PreparingExamples, CategoriesAsRowsOfZerosAndOnes) {
  const CategoryOutput counts = "count";
  expect_numbers(encode_categories(constant({{0, 2, 2}}), counts, 3, DType::f32), {1, 0, 2});
}

TEST(PreparingExamples, BoundariesOfBins) {
  const Literal ages = Literal::of<float>({1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<double> halves = bin_boundaries_of(ages, 2);
  ASSERT_EQ(halves.size(), 1U);
  EXPECT_GE(halves[0], 4);
  EXPECT_LE(halves[0], 5);

  QuantileSummary summary;
  summary.add(ages);
  EXPECT_EQ(summary.boundaries(2), halves);
}

TEST(PreparingExamples, FeaturesOfATable) {
  const RescaledOptions to_unit{.scale = 0.01, .offset = -0.5};
  const DiscretizedOptions in_bins{.bin_boundaries = {10, 20}};
  const CategoricalOptions few{.max_tokens = 10, .num_oov_indices = 1};
  const HashedOptions in_four{.num_bins = 4};
  const CrossOptions in_eight{.crossing_dim = 8};
  const FeatureCross cross = FeatureSpace::cross({"age", "color"}, in_eight);
  EXPECT_EQ(cross.name(), "age_X_color");

  FeatureSpace space{.features = {{"age", FeatureSpace::float_discretized(in_bins)},
                                  {"color", FeatureSpace::string_categorical(few)},
                                  {"height", FeatureSpace::float_rescaled(to_unit)},
                                  {"street", FeatureSpace::string_hashed(in_four)}}};
  const Example table{{"age", Literal::of<float>({5, 15})},
                      {"color", Literal::strings({"red", "red"})},
                      {"height", Literal::of<float>({50, 150})},
                      {"street", Literal::strings({"a", "b"})}};
  space.adapt(table);
  const Example each = space.each(table);
  expect_numbers(numbers(each["age"]), {1, 0, 0, 0, 1, 0});
  expect_numbers(numbers(each["color"]), {0, 1, 0, 1});  // [unknown, red]
  expect_numbers(numbers(each["height"]), {0, 1});
  EXPECT_EQ(each["street"].shape(), (Shape{2, 4}));
}

TEST(PreparingExamples, LookupsRunOnTheHost) {
  EXPECT_THROW(raise_runs_on_host("StringLookup", SourceLocation::current()), Unimplemented);
  EXPECT_FALSE(silent_entries_of_lookups().empty());
}

}  // namespace
}  // namespace systolic
