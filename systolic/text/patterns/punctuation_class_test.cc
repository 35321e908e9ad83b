#include "systolic/text/patterns/punctuation_class.h"

#include <gtest/gtest.h>

#include "systolic/text/patterns/regex.h"

namespace systolic {
namespace {

TEST(PunctuationClass, StandsInClassesOnly) {
  const struct {
    std::string pattern, wanted;
  } table[] = {{"[[:punct:]]+", "[\\p{P}\\p{S}]+"},
               {"[a[:punct:]b]|[:punct:]", "[a\\p{P}\\p{S}b]|[:punct:]"},
               {"[^[:^punct:]x]", "[^[^\\p{P}\\p{S}]x]"},
               {"[[a][:punct:]]", "[[a]\\p{P}\\p{S}]"},
               {"\\[[:punct:]", "\\[[:punct:]"},
               {"[\\][:punct:]]", "[\\]\\p{P}\\p{S}]"},
               {"[][:punct:]]", "[]\\p{P}\\p{S}]"},
               {"[^][:punct:]]", "[^]\\p{P}\\p{S}]"},
               {"[[:space:]]", "[[:space:]]"},
               {"a]", "a]"},
               {"[", "["},
               {"\\", "\\"},
               {"", ""}};
  for (const auto& [pattern, wanted] : table)
    EXPECT_EQ(text::with_known_punctuation(pattern), wanted) << pattern;
}

TEST(PunctuationClass, TakesSymbolsWhicheverOnigurumaThereIs) {
  const std::string text =
      "a$b\xC2\xB4"
      "c-\xE2\x82\xAC";  // $, acute accent, hyphen, euro
  EXPECT_EQ(text::regex_pattern("[[:punct:]]")->find_all(text).size(), 4u);
  EXPECT_EQ(text::regex_pattern("[[:^punct:]]")->find_all(text).size(), 3u);
}

}  // namespace
}  // namespace systolic
