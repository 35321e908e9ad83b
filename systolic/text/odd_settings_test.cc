// Settings that few tokenizers have, and what the `tokenizers` package 0.23.3 makes of them: found
// by tests/text/compare_random_tokenizers.py.
#include <gtest/gtest.h>

#include "systolic/text/models/stored_score.h"
#include "systolic/text/tokenizer.h"

namespace systolic {
namespace {

struct Token {
  int32_t id;
  uint32_t begin, end;
  int32_t word;
};

struct OddSetting {
  const char* what;
  const char* json;
  const char* text;
  std::vector<Token> tokens;
};

constexpr const char* suffix_of_bytes = R"({"pre_tokenizer":{"type":"WhitespaceSplit"},
  "model":{"type":"BPE","byte_fallback":true,"end_of_word_suffix":"</w>","merges":[],"vocab":{"<0xC3>":0,
    "<0xA9>":1,"<0x3C>":2,"<0x2F>":3,"<0x77>":4,"<0x3E>":5,"a":6}}})";
constexpr const char* space_token = R"({"added_tokens":[{"id":2,"content":" ","single_word":false,
    "lstrip":true,"rstrip":true,"normalized":false,"special":false}],
  "model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1}}})";
constexpr const char* equal_sums = R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["?",0],
  ["a",-12.51440608216108],["b",-1.310577184796262],["ab",-13.824983266957343]]}})";

TEST(OddSettings, GiveWhatThePackageGives) {
  const OddSetting table[] = {
      {"the bytes of a suffix lie after the word, counted from the beginning of the text",
       suffix_of_bytes,
       "a aé",
       {{6, 2, 3, 1},
        {0, 3, 4, 1},
        {1, 3, 4, 1},
        {2, 3, 3, 1},
        {3, 3, 4, 1},
        {4, 5, 6, 1},
        {5, 6, 7, 1}}},
      {"spaces that a token took are none of the next",
       space_token,
       "a   a",
       {{1, 0, 1, 0}, {2, 1, 4, 1}, {1, 4, 5, 2}}},
      {"spaces alone", space_token, "   ", {{2, 0, 3, 0}}},
      {"spaces at the end", space_token, "a    ", {{1, 0, 1, 0}, {2, 1, 5, 1}}},
      {"two ways whose sums differ in the last bit",
       equal_sums,
       "ab",
       {{1, 0, 1, 0}, {2, 1, 2, 0}}},
  };
  for (const OddSetting& one : table) {
    const Encoding encoding = Tokenizer::from_json(one.json).encode(one.text);
    ASSERT_EQ(encoding.size(), one.tokens.size()) << one.what;
    for (size_t i = 0; i < encoding.size(); ++i) {
      const Token& token = one.tokens[i];
      EXPECT_EQ(encoding.ids[i], token.id) << one.what << " at " << i;
      EXPECT_EQ(encoding.offsets[i], (Offsets{token.begin, token.end})) << one.what << " at " << i;
      EXPECT_EQ(encoding.word_ids[i], token.word) << one.what << " at " << i;
    }
  }
}

// Without a post-processor the parts that were cut off have no range of their own.
TEST(OddSettings, PartsOfPairsAreOfTheFirstText) {
  const Tokenizer tokenizer = Tokenizer::from_json(R"({"pre_tokenizer":{"type":"WhitespaceSplit"},
    "truncation":{"direction":"Right","max_length":3,"strategy":"OnlyFirst","stride":0},
    "model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1}}})");
  const Encoding encoding = tokenizer.encode_pair("a a a a", "a");
  EXPECT_EQ(encoding.sequence_ids(), (std::vector<int32_t>{0, 0, 1}));
  ASSERT_EQ(encoding.overflowing.size(), 1u);
  EXPECT_EQ(encoding.overflowing[0].sequence_ids(), (std::vector<int32_t>{0, 0, 0}));
}

TEST(OddSettings, ReplacingInDecodersLeavesEmptyTokens) {
  const Tokenizer tokenizer = Tokenizer::from_json(
      R"({"decoder":{"type":"Replace","pattern":{"Regex":"a*"},"content":"x"},
    "model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"":1,"a":2,"b":3}}})");
  const std::pair<int32_t, const char*> table[] = {{1, ""}, {2, "x"}, {3, "xbx"}};
  for (const auto& [id, text] : table) EXPECT_EQ(tokenizer.decode({id}), text) << id;
}

TEST(OddSettings, ScoresAreReadAsThePackageReadsThem) {
  const std::pair<double, double> table[] = {{-15.275492379532281, -15.27549237953228},
                                             {-9.908701741838819, -9.90870174183882},
                                             {-1.8771917354846979, -1.877191735484698},
                                             {-13.436424411240122, -13.436424411240122},
                                             {0, 0},
                                             {-5, -5},
                                             {1e-7, 1e-7},
                                             {-1.5e300, -1.5e300},
                                             {5e-324, 5e-324}};
  for (const auto& [score, read] : table) EXPECT_EQ(text::stored_score(score), read);
}

}  // namespace
}  // namespace systolic
