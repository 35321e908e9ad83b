// Values are those of keras.utils 3.15.
#include "systolic/preprocessing/array_utilities.h"

#include <gtest/gtest.h>

#include <limits>

#include "systolic/base/error.h"

namespace systolic {
namespace {

TEST(ArrayUtilities, ToCategorical) {
  EXPECT_EQ(to_categorical(Literal::of<int64_t>({0, 2})),
            Literal::of<float>({{1, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(to_categorical(Literal::of<int32_t>({{1}, {0}}), 2),
            Literal::of<float>({{0, 1}, {1, 0}}));
  EXPECT_THROW(to_categorical(Literal::of<int64_t>({3}), 3), InvalidArgument);
  EXPECT_THROW(to_categorical(Literal::of<int64_t>({-1, 1})), InvalidArgument);
}

TEST(ArrayUtilities, PadSequences) {
  const std::vector<std::vector<int64_t>> sequences{{1}, {2, 3}, {4, 5, 6}};
  EXPECT_EQ(pad_sequences(sequences), Literal::of<int32_t>({{0, 0, 1}, {0, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(pad_sequences(sequences, {.padding = PadSide::post, .value = -1}),
            Literal::of<int32_t>({{1, -1, -1}, {2, 3, -1}, {4, 5, 6}}));
  EXPECT_EQ(pad_sequences(sequences, PadSequencesOptions{.maxlen = 2}),
            Literal::of<int32_t>({{0, 1}, {2, 3}, {5, 6}}));
  EXPECT_EQ(pad_sequences(sequences, {.maxlen = 2, .truncating = PadSide::post}),
            Literal::of<int32_t>({{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(pad_sequences(std::vector<std::vector<double>>{{0.5}, {}},
                          {.maxlen = 2, .dtype = DType::f32}),
            Literal::of<float>({{0, 0.5}, {0, 0}}));
  const std::vector<Literal> pairs{Literal::of<float>({{1, 2}}),
                                   Literal::of<float>({{3, 4}, {5, 6}})};
  EXPECT_EQ(pad_sequences(pairs, {.dtype = DType::f32}).reshape({8}),
            Literal::of<float>({0, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(
      pad_sequences(std::vector<Literal>{Literal::of<float>({1}), Literal::of<float>({{1, 2}})}),
      InvalidArgument);
}

TEST(ArrayUtilities, Normalize) {
  const Literal x = Literal::of<float>({{3, 4}, {0, 0}});
  EXPECT_EQ(normalize(x), Literal::of<float>({{0.6f, 0.8f}, {0, 0}}));
  EXPECT_EQ(normalize(x, 0, 1), Literal::of<float>({{1, 1}, {0, 0}}));
  EXPECT_EQ(normalize(x, 1, std::numeric_limits<double>::infinity()),
            Literal::of<float>({{0.75, 1}, {0, 0}}));
  EXPECT_THROW(normalize(x, 2), InvalidArgument);
}

}  // namespace
}  // namespace systolic
