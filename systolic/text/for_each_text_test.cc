// Many texts at a time: on threads what one after the other gives, and the line that shows how far.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/text/tokenizer.h"

namespace systolic {
namespace {

// Words of the letters a, b and c, each a token.
Tokenizer letters(const std::string& unk_token = "?") {
  return Tokenizer::from_json(R"({"pre_tokenizer":{"type":"Whitespace"},
    "model":{"type":"WordPiece","continuing_subword_prefix":"","max_input_chars_per_word":100,
             "unk_token":")" + unk_token +
                              R"(","vocab":{"?":0,"a":1,"b":2,"c":3,"ab":4}}})");
}

std::vector<std::string> many_texts() {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i)
    texts.push_back(std::string(static_cast<size_t>(i % 13), "abcx"[i % 4]) + " ab " +
                    std::string(static_cast<size_t>(i % 7), 'b'));
  return texts;
}

TEST(EncodeBatch, GivesWhatEncodeGives) {
  const Tokenizer tokenizer = letters();
  const std::vector<std::string> texts = many_texts();
  const std::vector<std::string> pairs(texts.rbegin(), texts.rend());
  const auto singles = tokenizer.encode_batch(texts);
  const auto doubles = tokenizer.encode_batch(texts, pairs);
  ASSERT_EQ(singles.size(), texts.size());
  ASSERT_EQ(doubles.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const Encoding one = tokenizer.encode(texts[i]);
    EXPECT_EQ(singles[i].ids, one.ids) << texts[i];
    EXPECT_EQ(singles[i].offsets, one.offsets) << texts[i];
    EXPECT_EQ(doubles[i].ids, tokenizer.encode_pair(texts[i], pairs[i]).ids) << texts[i];
  }
}

TEST(EncodeBatch, ShowsHowFarItIs) {
  const Tokenizer tokenizer = letters();
  testing::internal::CaptureStderr();
  tokenizer.encode_batch(many_texts(), {.show_progress = true});
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_NE(shown.find("tokenizing 1,000/1,000"), std::string::npos) << shown;
  EXPECT_NE(shown.find("100 %"), std::string::npos) << shown;
  testing::internal::CaptureStderr();
  tokenizer.encode_batch(many_texts());
  tokenizer.encode_batch(std::vector<std::string>{}, {.show_progress = true});
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("1,000"), std::string::npos);
}

// An unknown letter without an unknown token, in one text of a thousand.
TEST(EncodeBatch, AnErrorInOneTextIsThrownHere) {
  const Tokenizer tokenizer = letters("[UNK]");
  std::vector<std::string> texts(1000, "ab c");
  EXPECT_EQ(tokenizer.encode_batch(texts).size(), 1000u);
  texts[700] = "x";
  EXPECT_THROW(tokenizer.encode_batch(texts), InvalidArgument);
  EXPECT_THROW(tokenizer.encode_batch(texts, {.show_progress = true}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
