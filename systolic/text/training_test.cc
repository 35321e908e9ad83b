// Vocabularies that training makes.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/text/tokenizer.h"

namespace systolic {
namespace {

using Json = nlohmann::json;

constexpr const char* byte_level =
    R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true},)"
    R"("model":{"type":"BPE","vocab":{},"merges":[]}})";

// What the `tokenizers` package trains on the same lines (tests/text/make_golden.py).
TEST(Training, BytePairsAreThoseOfThePackage) {
  std::ifstream file(SYSTOLIC_SOURCE_DIR "/tests/text/data/tokenizers.json");
  for (const Json& one : Json::parse(file)) {
    if (one.at("name") != "bpe gpt2") continue;
    std::vector<std::string> lines;
    for (size_t i = 0; i < 6; ++i) lines.push_back(one.at("texts")[i][0].get<std::string>());
    Tokenizer tokenizer = Tokenizer::from_json(byte_level);
    TrainOptions options{.vocab_size = one.at("size").get<size_t>(),
                         .initial_alphabet = byte_level_alphabet()};
    for (const Json& token : one.at("tokenizer").at("added_tokens")) {
      options.special_tokens.push_back({.content = token.at("content").get<std::string>(),
                                        .normalized = false,
                                        .special = true});
    }
    tokenizer.train(lines, options);
    const Json ours = Json::parse(tokenizer.to_json());
    EXPECT_EQ(ours.at("model").at("vocab"), one.at("tokenizer").at("model").at("vocab"));
    EXPECT_EQ(ours.at("model").at("merges"), one.at("tokenizer").at("model").at("merges"));
    EXPECT_GT(ours.at("model").at("merges").size(), 20u);
    return;
  }
  FAIL() << "the golden file has no 'bpe gpt2'";
}

// Counted by hand: "ab" 5 times, then "c" with what is before it 3 times.
TEST(Training, WordPieceMergesWhatIsSeenMost) {
  Tokenizer tokenizer = Tokenizer::from_json(
      R"({"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"WordPiece",)"
      R"("unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,)"
      R"("vocab":{}}})");
  const std::vector<std::string> texts = {"abc abc abc ab ab d"};
  tokenizer.train(texts, {.vocab_size = 10, .special_tokens = {{.content = "[UNK]"}}});
  EXPECT_EQ(tokenizer.vocab_size(), 9u);  // [UNK] a b c d ##b ##c ab abc
  EXPECT_EQ(tokenizer.encode("abc ab d").tokens, (std::vector<std::string>{"abc", "ab", "d"}));
  EXPECT_EQ(tokenizer.encode("x").tokens, std::vector<std::string>{"[UNK]"});
}

TEST(Training, WordLevelKeepsTheMostFrequent) {
  Tokenizer tokenizer = Tokenizer::from_json(
      R"({"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"WordLevel","vocab":{},)"
      R"("unk_token":"?"}})");
  const std::vector<std::string> texts = {"b b b a a c"};
  tokenizer.train(texts, {.vocab_size = 3, .special_tokens = {{.content = "?"}}});
  EXPECT_EQ(tokenizer.encode("a b c").ids, (std::vector<int32_t>{2, 1, 0}));
}

TEST(Training, UnigramSaysThatItIsMissing) {
  Tokenizer tokenizer =
      Tokenizer::from_json(R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0]]}})");
  EXPECT_THROW(tokenizer.train({}, {}), Unimplemented);
}

}  // namespace
}  // namespace systolic
