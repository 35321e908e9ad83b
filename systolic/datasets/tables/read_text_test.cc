#include "systolic/datasets/tables/read_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace systolic {
namespace {

using datasets::SampleBy;

// What datasets 5.2 makes of the same text.
TEST(ReadText, RowsAsDatasetsCutsThem) {
  const std::string text = "a\r\nb c\n\n\nd\n\ne\rf\n";
  const std::pair<SampleBy, std::vector<std::string>> cases[] = {
      {SampleBy::line, {"a", "b c", "", "", "d", "", "e", "f"}},
      {SampleBy::paragraph, {"a\nb c", "\nd", "e\nf\n"}},
      {SampleBy::document, {"a\nb c\n\n\nd\n\ne\nf\n"}}};
  for (const auto& [sample_by, wanted] : cases)
    EXPECT_EQ(datasets::read_text(text, sample_by), Literal::strings(wanted));
  EXPECT_EQ(datasets::read_text("", SampleBy::line).size(), 0);
  EXPECT_EQ(datasets::read_text("x", SampleBy::line), Literal::strings({"x"}));
}

}  // namespace
}  // namespace systolic
