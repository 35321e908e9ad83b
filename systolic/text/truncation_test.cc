// What stays of a text that is cut, and what does not.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/text/tokenizer.h"

namespace systolic {
namespace {

Tokenizer digits() {
  std::string vocabulary = R"("?":0)";
  for (int i = 1; i < 40; ++i) vocabulary += ",\"" + std::to_string(i) + "\":" + std::to_string(i);
  return Tokenizer::from_json(
      R"({"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"WordLevel","unk_token":"?",)"
      R"("vocab":{)" +
      vocabulary + "}}}");
}

std::string numbers(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += std::to_string(i) + " ";
  return text;
}

// Every token of the text is in a part, each part begins `stride` tokens before the last one's end.
TEST(Truncation, KeepsAllThatItCutsOff) {
  struct Row {
    int tokens;
    int64_t max_length, stride;
  };
  const Row table[] = {{30, 8, 2}, {30, 8, 0}, {9, 8, 3}, {8, 8, 3}, {30, 1, 0}, {39, 10, 9}};
  for (const Row& row : table) {
    Tokenizer tokenizer = digits();
    tokenizer.set_truncation(
        TruncationParameters{.max_length = row.max_length, .stride = row.stride});
    for (const bool offsets : {true, false}) {
      const Encoding first = tokenizer.encode(numbers(row.tokens), {.offsets = offsets});
      std::vector<int32_t> seen = first.ids;
      for (const Encoding& part : first.overflowing) {
        ASSERT_LE(static_cast<int64_t>(part.size()), row.max_length);
        ASSERT_GT(static_cast<int64_t>(part.size()), row.stride);
        const auto shared = static_cast<std::ptrdiff_t>(row.stride);
        EXPECT_TRUE(std::equal(part.ids.begin(), part.ids.begin() + shared, seen.end() - shared));
        seen.insert(seen.end(), part.ids.begin() + shared, part.ids.end());
      }
      std::vector<int32_t> all(static_cast<size_t>(row.tokens));
      for (int i = 0; i < row.tokens; ++i) all[static_cast<size_t>(i)] = i + 1;
      EXPECT_EQ(seen, all) << row.tokens << " tokens in parts of " << row.max_length;
    }
  }
}

// Calls read long texts no further than they must, and cut them as if they had.
TEST(Truncation, OfTwoLongTextsTheLongerKeepsTheOddToken) {
  Tokenizer tokenizer = Tokenizer::from_json(
      R"({"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"BPE","merges":[],)"
      R"("vocab":{"a":0,"b":1}}})");
  tokenizer.set_truncation(TruncationParameters{.max_length = 5});
  const struct {
    std::string text, pair;
    std::vector<int32_t> ids;
  } table[] = {{"aaaaaaaaa", "bbbbb bbbbbbbbb", {0, 0, 1, 1, 1}},
               {"aaaaa aaaaaaaaa", "bbbbbbbbb", {0, 0, 0, 1, 1}},
               {"aaaaaa a", "bbbbbbb", {0, 0, 1, 1, 1}},
               {"aaaaaaaaa", "bb bb", {0, 0, 0, 1, 1}}};
  for (const auto& [text, pair, ids] : table) {
    EXPECT_EQ(tokenizer.encode_pair(text, pair).ids, ids) << text << ", " << pair;
    const BatchEncoding batch = tokenizer({text}, {pair}, {.truncation = true, .max_length = 5});
    EXPECT_EQ(batch.encodings[0].ids, ids) << text << ", " << pair;
    EXPECT_TRUE(batch.encodings[0].overflowing.empty());
    EXPECT_FALSE(tokenizer.encode_pair(text, pair).overflowing.empty());
  }
}

TEST(Truncation, AStrideIsBelowWhatSpecialTokensLeave) {
  Tokenizer tokenizer = Tokenizer::from_json(
      R"({"pre_tokenizer":{"type":"WhitespaceSplit"},)"
      R"("post_processor":{"type":"BertProcessing","sep":["b",1],"cls":["b",1]},)"
      R"("model":{"type":"BPE","merges":[],"vocab":{"a":0,"b":1}}})");
  const auto call = [&](const char* text, int64_t stride, bool special) {
    tokenizer(
        {text},
        {.truncation = true, .max_length = 5, .stride = stride, .add_special_tokens = special});
  };
  call("a", 3, true);
  EXPECT_THROW(call("a a a a", 3, true), InvalidArgument);  // it is cut
  EXPECT_THROW(call("a", 4, true), InvalidArgument);
  call("a", 5, false);
  EXPECT_THROW(call("a", 6, false), InvalidArgument);
  tokenizer.set_truncation(TruncationParameters{.max_length = 5, .stride = 3});
  EXPECT_THROW(tokenizer.set_truncation(TruncationParameters{.max_length = 5, .stride = 4}),
               InvalidArgument);
  tokenizer({"a"}, {.stride = 9});  // cuts nothing
  // Parts that nobody asks for are not made, however many they would be.
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a ";
  tokenizer({text}, {.truncation = true, .max_length = 16'384, .stride = 16'380});
}

// Whichever way a text of this length takes, it is cut to the beginning of what it is uncut.
TEST(Truncation, LongAndShortTextsAreCutAlike) {
  const Tokenizer tokenizer = Tokenizer::from_json(
      R"({"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,)"
      R"("strip_accents":null,"lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},)"
      R"("model":{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"##",)"
      R"("max_input_chars_per_word":100,"vocab":{"?":0,"a":1,"##a":2,"b":3,"##b":4}}})");
  std::string text;
  for (const char* more : {"A", "ab aab c", "b\xC3\xA4 ", " ba", "ab ", "a b "}) {
    for (int i = 0; i < 20; ++i) text += more;
    const std::vector<int32_t> all = tokenizer.encode(text).ids;
    for (const int64_t most : {1, 2, 5, 60}) {
      const BatchEncoding batch = tokenizer({text}, {.truncation = true, .max_length = most});
      const size_t size = std::min<size_t>(all.size(), static_cast<size_t>(most));
      EXPECT_EQ(batch.encodings[0].ids,
                std::vector<int32_t>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)));
    }
  }
}

TEST(Truncation, MaxLengthAloneCuts) {
  constexpr auto left_out = TruncationChoice::left_out,
                 longest_first = TruncationChoice::longest_first,
                 only_first = TruncationChoice::only_first,
                 none = TruncationChoice::do_not_truncate;
  const std::pair<TokenizeOptions, TruncationChoice::Kind> table[] = {
      {{}, none},
      {{.max_length = 4}, longest_first},
      {{.padding = true, .max_length = 4}, none},
      {{.padding = "max_length", .max_length = 4}, none},
      {{.padding = true, .truncation = true, .max_length = 4}, longest_first},
      {{.truncation = false, .max_length = 4}, none},
      {{.truncation = "only_first"}, only_first},
      {{.truncation = left_out, .max_length = 4}, longest_first},
  };
  for (size_t row = 0; row < std::size(table); ++row) {
    EXPECT_EQ(table[row].first.how_to_cut().kind(), table[row].second) << "row " << row;
  }
}

}  // namespace
}  // namespace systolic
