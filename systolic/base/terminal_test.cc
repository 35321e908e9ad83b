#include "systolic/base/terminal.h"

#include <gtest/gtest.h>

#include "systolic/base/text.h"

namespace systolic {
namespace {

TEST(Terminal, TextsAreCutBetweenCharacters) {
  EXPECT_EQ(cut_to_columns("━━━━", 4), "━━━━");
  EXPECT_EQ(cut_to_columns("━━━━", 3), "━━…");
  EXPECT_EQ(cut_to_columns("abc", 0), "abc");
}

TEST(Terminal, BarsAreFilledByTheShareThatIsDone) {
  EXPECT_EQ(bar_text(4, 0, 10), "────");
  EXPECT_EQ(bar_text(4, 7, 10), "━━──");
  for (const auto& [done, total] : {std::pair(10, 10), std::pair(11, 10), std::pair(0, 0)})
    EXPECT_EQ(bar_text(4, done, total), "━━━━");
  EXPECT_EQ(bar_text(0, 1, 2), "");
}

TEST(Terminal, TextsAreWrappedAtSpacesAndElseBetweenCharacters) {
  struct Row {
    const char* text;
    int columns;
    const char* wanted;  // rows, between bars
  };
  const Row table[] = {
      {"", 5, ""},
      {"dense (Dense)", 13, "dense (Dense)"},
      {"dense (Dense)", 12, "dense|(Dense)"},
      {"a[0], b[0], c[0]", 11, "a[0], b[0],|c[0]"},
      {"dense (Dense)", 4, "dens|e|(Den|se)"},
      {"━━━━━", 2, "━━|━━|━"},
      {"ab", 1, "a|b"},
  };
  for (const Row& row : table)
    EXPECT_EQ(join(wrapped_to_columns(row.text, row.columns), "|"), row.wanted) << row.text;
}

}  // namespace
}  // namespace systolic
