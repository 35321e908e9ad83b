#include "systolic/datasets/tables/text_encoding.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using namespace std::string_view_literals;

TEST(TextEncoding, Utf8IsTaken) {
  for (const std::string_view text :
       {""sv, "a"sv, "caf\xc3\xa9"sv, "\xe2\x82\xac and eight more"sv, "\xf0\x9f\x98\x80"sv,
        "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"sv})
    EXPECT_EQ(datasets::utf8_text("x.csv", text), text);
  EXPECT_EQ(datasets::utf8_text("x.csv", "\xef\xbb\xbfname"), "name");
}

TEST(TextEncoding, OtherEncodingsAreSaid) {
  const std::pair<std::string_view, const char*> cases[] = {
      {"name\ncaf\xe9\n", "'x.csv', line 2: the byte 0xe9 is not UTF-8; the file may be Latin-1"},
      {"caf\xe9", "line 1: the byte 0xe9"},
      {"12345678\n\xc3", "line 2: the byte 0xc3"},
      {"\xff\xfen\0a\0"sv, "'x.csv' is UTF-16, expected UTF-8"},
      {"\xfe\xff\0n\0a"sv, "is UTF-16"},
      {"\xff\xfe\0\0n\0\0\0"sv, "is UTF-32"},
      {"n\0a\0"sv, "seems to be UTF-16 without a byte order mark"},
      {"\0n\0a"sv, "`iconv -f utf-16be -t utf-8"},
      {"\xc0\xaf", "0xc0"},         // longer than needed
      {"\xed\xa0\x80", "0xed"},     // half of a pair of UTF-16
      {"\xf4\x90\x80\x80", "0xf4"}  // beyond U+10FFFF
  };
  for (const auto& [text, message] : cases) {
    const std::string error = error_of([text = text] { datasets::utf8_text("x.csv", text); });
    EXPECT_CONTAINS(error, "DataLoss");
    EXPECT_CONTAINS(error, message);
  }
}

}  // namespace
}  // namespace systolic
