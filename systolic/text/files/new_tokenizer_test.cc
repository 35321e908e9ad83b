// Tokenizers that are yet to be trained.
#include "systolic/text/files/new_tokenizer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/text/characters.h"
#include "systolic/text/files/auto_tokenizer.h"

namespace systolic {
namespace {

const std::vector<std::string> sentences = {"The boat sails to the Island",
                                            "a boat that sails comes back",
                                            "Émile sails to Paris, and back again"};

std::string folder_of(const char* name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(NewTokenizer, IsBerts) {
  Tokenizer tokenizer = NewTokenizer::bert_word_piece();
  tokenizer.train(sentences, {.vocab_size = 80});
  EXPECT_EQ(tokenizer.all_special_ids(), (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(tokenizer.special_token_id("mask_token"), 4);
  const Encoding pair = tokenizer.encode_pair("The boat", "sails");
  EXPECT_EQ(pair.tokens.front(), "[CLS]");
  EXPECT_EQ(pair.tokens.back(), "[SEP]");
  EXPECT_EQ(pair.type_ids.back(), 1);
  EXPECT_EQ(tokenizer.decode(pair.ids), "the boat sails");
  tokenizer.save_pretrained(folder_of("new_bert"));
  const Tokenizer again = AutoTokenizer::from_pretrained(folder_of("new_bert"));
  EXPECT_EQ(again.encode(sentences[2]).ids, tokenizer.encode(sentences[2]).ids);
  EXPECT_EQ(again.model_input_names().size(), 3u);

  Tokenizer cased = NewTokenizer::bert_word_piece({.lowercase = false, .strip_accents = true});
  cased.train(sentences, {.vocab_size = 90, .special_tokens = {"[CLS]", "[SEP]", "[UNK]"}});
  EXPECT_EQ(cased.encode("Émile").ids.front(), 0);
  EXPECT_EQ(cased.decode(cased.encode("Émile").ids), "Emile");
}

// No token_type_ids, which GPT-2 would add as words.
TEST(NewTokenizer, IsGPT2s) {
  Tokenizer tokenizer = NewTokenizer::byte_level_bpe();
  tokenizer.train(sentences, {.vocab_size = 300});
  EXPECT_EQ(tokenizer.token_to_id("<|endoftext|>"), 0);
  const std::string foreign = "\xf0\x9f\x90\x88 in 東京";  // of bytes that no line had
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(foreign).ids), foreign);
  EXPECT_EQ(tokenizer.model_input_names(),
            (std::vector<std::string>{"input_ids", "attention_mask"}));
  EXPECT_EQ(tokenizer.special_token_id("eos_token"), 0);
  tokenizer.save_pretrained(folder_of("new_gpt2"));
  const Tokenizer again = AutoTokenizer::from_pretrained(folder_of("new_gpt2"));
  EXPECT_EQ(again.encode(foreign).ids, tokenizer.encode(foreign).ids);
  EXPECT_EQ(again.model_input_names(), tokenizer.model_input_names());
  EXPECT_EQ(NewTokenizer::byte_level_bpe({.add_prefix_space = true}).to_json() ==
                NewTokenizer::byte_level_bpe().to_json(),
            false);
}

TEST(NewTokenizer, IsSentencePieces) {
  Tokenizer tokenizer = NewTokenizer::sentence_piece_unigram();
  tokenizer.train(sentences, {.vocab_size = 60});
  EXPECT_EQ(tokenizer.token_to_id("<pad>"), 0);
  EXPECT_EQ(tokenizer.token_to_id("<unk>"), 1);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a boat  sails").ids), "a boat sails");
  EXPECT_EQ(tokenizer.encode("東").ids.back(), 1);
  EXPECT_EQ(tokenizer.padding().token, "<pad>");
}

TEST(Characters, AreWhatOffsetsCount) {
  const std::string text = "Émile sails to Paris";
  Tokenizer tokenizer = NewTokenizer::bert_word_piece();
  tokenizer.train(sentences, {.vocab_size = 200});
  const Encoding encoding = tokenizer.encode(text);
  const uint32_t at = character_of(text, text.find("Paris"));
  EXPECT_EQ(at, 15u);
  const auto token = static_cast<size_t>(encoding.char_to_token(at));
  EXPECT_EQ(characters(text, {encoding.offsets[token].begin, 20}), "Paris");
  EXPECT_EQ(characters(text, {0, 5}), "Émile");
  EXPECT_EQ(characters(text, {18, 99}), "is");
  EXPECT_EQ(characters(text, {7, 3}), "");
  EXPECT_EQ(character_of(text, 0), 0u);
  EXPECT_EQ(character_of(text, 1), 0u);  // within it
  EXPECT_EQ(character_of(text, 2), 1u);
  EXPECT_EQ(character_of(text, std::string::npos), 20u);
  EXPECT_EQ(characters("a\xff"
                       "b",
                       {1, 3}),
            "\xef\xbf\xbd"
            "b");
}

// Ids alone are asked for by a call without offsets.
TEST(Characters, AreInNoTokenWithoutOffsets) {
  Tokenizer tokenizer = NewTokenizer::bert_word_piece();
  tokenizer.train(sentences, {.vocab_size = 80});
  const BatchEncoding batch = tokenizer(sentences, {.padding = true});
  try {
    batch.encodings[0].char_to_token(0, 0, {"user.cc", 7});
    FAIL() << "no error";
  } catch (const FailedPrecondition& error) {
    EXPECT_NE(std::string(error.what()).find(".return_offsets_mapping"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("user.cc:7"), std::string::npos);
  }
  const BatchEncoding with =
      tokenizer(sentences, {.padding = true, .return_offsets_mapping = true});
  EXPECT_EQ(with.encodings[0].char_to_token(0), 1);
}

}  // namespace
}  // namespace systolic
