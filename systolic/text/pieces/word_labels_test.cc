#include "systolic/text/pieces/word_labels.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic {
namespace {

using Labels = std::vector<int32_t>;

TEST(WordLabelsTest, TheFirstTokenOfAWordHasItsLabel) {
  const Labels words{-1, 0, 0, 1, 2, 2, 2, -1, -1};
  EXPECT_EQ(align_labels(words, {1, 0, 4}), (Labels{-100, 1, -100, 0, 4, -100, -100, -100, -100}));
  EXPECT_EQ(align_labels(words, {1, 0, 4}, AlignLabelsOptions{.label_all_tokens = true}),
            (Labels{-100, 1, 1, 0, 4, 4, 4, -100, -100}));
  const Labels inside = inside_labels({"O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-X"});
  EXPECT_EQ(inside, (Labels{0, 2, 2, 4, 4, 5}));
  EXPECT_EQ(align_labels(words, {1, 0, 3}, {.label_all_tokens = true, .inside = inside}),
            (Labels{-100, 1, 2, 0, 3, 4, 4, -100, -100}));
  // Words of two texts: the number is the same again, but after a token of none.
  EXPECT_EQ(align_labels({0, -1, 0}, {1}), (Labels{1, -100, 1}));
  EXPECT_THROW(align_labels(words, {1, 0}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
