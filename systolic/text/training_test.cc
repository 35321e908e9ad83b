// Vocabularies that training makes.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/text/tokenizer.h"
#include "systolic/text/trainers/unigram_trainer.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using Json = nlohmann::json;

constexpr const char* byte_level =
    R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true},)"
    R"("model":{"type":"BPE","vocab":{},"merges":[]}})";

// What the `tokenizers` package trains on the same lines (tests/text/make_golden.py).
TEST(Training, BytePairsAreThoseOfThePackage) {
  std::ifstream file(test::source_path("tests/text/data/tokenizers.json"));
  for (const Json& one : Json::parse(file)) {
    if (one.at("name") != "bpe gpt2") continue;
    std::vector<std::string> lines;
    for (size_t i = 0; i < 6; ++i) lines.push_back(one.at("texts")[i][0].get<std::string>());
    Tokenizer tokenizer = Tokenizer::from_json(byte_level);
    TrainOptions options{.vocab_size = one.at("size").get<size_t>(),
                         .initial_alphabet = byte_level_alphabet()};
    for (const Json& token : one.at("tokenizer").at("added_tokens")) {
      options.special_tokens.push_back(
          {.content = token.at("content").get<std::string>(), .special = true});
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

// The suffixes of "aba", "abab": "ab" stands in 3 places and is followed by "a" or the end, "ba" in
// 2 and by the end or "b", "aba" in 2 likewise. Weights: places x length, of distinct words.
TEST(UnigramTraining, StartsWithSubstringsThatGoOnInTwoWays) {
  using Seeds = std::vector<std::pair<std::string, uint64_t>>;
  const text::PieceCounts words = {{"aba", 2}, {"abab", 1}};
  EXPECT_EQ(text::seed_pieces(words, 16, 100),
            (Seeds{{"a", 6}, {"b", 4}, {"aba", 6}, {"ab", 6}, {"ba", 4}}));
  EXPECT_EQ(text::seed_pieces(words, 2, 100), (Seeds{{"a", 6}, {"b", 4}, {"ab", 6}, {"ba", 4}}));
  EXPECT_EQ(text::seed_pieces(words, 16, 3).size(), 3u);
  EXPECT_EQ(text::seed_pieces(words, 16, 1).size(), 2u) << "characters are always in";
  EXPECT_TRUE(text::seed_pieces({}, 16, 100).empty());
}

// -Euler's constant, and psi(x + 1) = psi(x) + 1/x; psi(1/2) = -Euler's constant - 2 ln 2.
TEST(UnigramTraining, Digamma) {
  constexpr double euler = 0.57721566490153286061;
  EXPECT_NEAR(text::digamma(1), -euler, 1e-12);
  EXPECT_NEAR(text::digamma(2), 1 - euler, 1e-12);
  EXPECT_NEAR(text::digamma(0.5), -euler - 2 * std::log(2.0), 1e-12);
  EXPECT_NEAR(text::digamma(1e6), std::log(1e6) - 0.5e-6, 1e-12);
}

Tokenizer unigram() {
  return Tokenizer::from_json(R"({"pre_tokenizer":{"type":"WhitespaceSplit"},)"
                              R"("model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0]]}})");
}

// "a" and "b" alone: seeds are "b" 3 times and "a" once, as no two characters are in two places.
// Each word can be cut in one way, so what is expected is what is counted: 3 and 1 of 4.
TEST(UnigramTraining, ScoresAreThoseCountedByHand) {
  Tokenizer tokenizer = unigram();
  tokenizer.train(std::vector<std::string>{"b a b b"}, {.vocab_size = 8});
  const Json vocab = Json::parse(tokenizer.to_json()).at("model").at("vocab");
  ASSERT_EQ(vocab.size(), 3u);
  EXPECT_EQ(vocab[0][0], "<unk>");
  EXPECT_EQ(vocab[1][0], "b");
  EXPECT_EQ(vocab[2][0], "a");
  constexpr double euler = 0.57721566490153286061;
  const double four = 1 + 1 / 2.0 + 1 / 3.0 - euler;  // psi(4)
  EXPECT_NEAR(vocab[1][1].get<double>(), 1 + 1 / 2.0 - euler - four, 1e-5);
  EXPECT_NEAR(vocab[2][1].get<double>(), -euler - four, 1e-5);
}

TEST(UnigramTraining, PrunesToTheSizeAndKeepsWhatIsFrequent) {
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back("lower lowest lowly newer newest newly slower anew");
  Tokenizer tokenizer = unigram();
  tokenizer.train(texts,
                  {.vocab_size = 16,
                   .special_tokens = {{.content = "<s>", .special = true}, {.content = "<unk>"}}});
  EXPECT_EQ(tokenizer.vocab_size(), 16u);
  EXPECT_EQ(tokenizer.token_to_id("<s>"), 0);
  EXPECT_EQ(tokenizer.token_to_id("<unk>"), 1);
  EXPECT_EQ(tokenizer.encode("?").ids, std::vector<int32_t>{1});
  EXPECT_LE(tokenizer.encode("lower newest").ids.size(), 6u) << "12 characters";
  for (const char character : std::string("lowerstnya")) {
    EXPECT_TRUE(tokenizer.token_to_id(std::string(1, character))) << character;
  }
}

TEST(UnigramTraining, WhatCannotBe) {
  Tokenizer tokenizer = unigram();
  const std::vector<std::string> texts = {"abcdefgh"};
  EXPECT_THROW(tokenizer.train(texts, {.vocab_size = 8}), InvalidArgument);  // and <unk>
  EXPECT_THROW(tokenizer.train(texts, {.vocab_size = 20, .shrinking_factor = 1}), InvalidArgument);
  tokenizer.train(texts, {.vocab_size = 9});
  EXPECT_EQ(tokenizer.vocab_size(), 9u);
  tokenizer.train({}, {.vocab_size = 9});
  EXPECT_EQ(tokenizer.vocab_size(), 1u);
}

}  // namespace
}  // namespace systolic
