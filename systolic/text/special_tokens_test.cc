// Special tokens: those of a training, by their roles, and what post-processors make of them.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"
#include "systolic/text/files/auto_tokenizer.h"

namespace systolic {
namespace {

const std::vector<std::string> lines = {"a fine film", "a film of films", "no film so fine"};

// Lower-cases, and its post-processor has ids of another vocabulary.
Tokenizer untrained() {
  return Tokenizer::from_json(R"({
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                   "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece", "prefix": "##",
                                                              "cleanup": true},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                 {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
      "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
      "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [101], "tokens": ["[CLS]"]},
                         "[SEP]": {"id": "[SEP]", "ids": [102], "tokens": ["[SEP]"]}}},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100, "vocab": {}}})");
}

Tokenizer trained() {
  Tokenizer tokenizer = untrained();
  tokenizer.train(
      lines, {.vocab_size = 60, .special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}});
  return tokenizer;
}

TEST(SpecialTokens, OfATrainingAreLeftOutByDecode) {
  const Tokenizer tokenizer = trained();
  EXPECT_EQ(tokenizer.all_special_ids(), (std::vector<int32_t>{0, 1, 2, 3, 4}));
  const Encoding encoding = tokenizer.encode("A [MASK] film");
  EXPECT_EQ(encoding.ids.front(), 2);
  EXPECT_EQ(encoding.ids.back(), 3);
  EXPECT_EQ(encoding.ids[2], 4);
  EXPECT_EQ(tokenizer.decode(encoding.ids), "a film");
  EXPECT_EQ(tokenizer.decode(tokenizer("A film")["input_ids"].row(0)), "a film");
}

TEST(SpecialTokens, OfAPostProcessorMustBeInTheVocabulary) {
  Tokenizer tokenizer = trained();
  const std::string before = tokenizer.to_json();
  const std::string message = error_of([&] {
    tokenizer.train(lines, {.vocab_size = 60, .special_tokens = {"[UNK]", "[CLS]"}},
                    {"user.cc", 7});
  });
  EXPECT_EQ(message, "no error");  // [SEP], which was added before, gets an id after the others
  EXPECT_EQ(tokenizer.encode("film").ids.back(), *tokenizer.token_to_id("[SEP]"));
  EXPECT_NE(tokenizer.to_json(), before);
  Tokenizer other = untrained();
  expect_parts(error_of([&] {
                 other.train(lines, {.vocab_size = 60, .special_tokens = {"[UNK]", "[CLS]"}},
                             {"user.cc", 7});
               }),
               {"no '[SEP]'", "post-processor", ".special_tokens", "user.cc:7"});
  EXPECT_EQ(other.vocab_size(), 0u);
}

TEST(SpecialTokens, ThatPadMustBeInTheVocabularyWhilePaddingIsOn) {
  Tokenizer tokenizer = untrained();
  tokenizer.train({}, {.special_tokens = {"[CLS]", "[SEP]", "[UNK]", "film"}});
  tokenizer.set_pad_token("film");
  tokenizer.set_padding({.length = 8});
  tokenizer.add_tokens(std::vector<std::string>{"a", "b"});
  EXPECT_EQ(tokenizer.encode("a").ids.back(), *tokenizer.token_to_id("film"));
  const auto train = [&] {
    return error_of([&] {
      Tokenizer fresh = Tokenizer::from_json(R"({"model":{"type":"WordLevel","unk_token":"?",
        "vocab":{"?":0,"pad":1}},"padding":{"strategy":{"Fixed":8},"direction":"Right",
        "pad_to_multiple_of":null,"pad_id":1,"pad_type_id":0,"pad_token":"pad"}})");
      fresh.train(lines, {.special_tokens = {"?"}});
    });
  };
  expect_parts(train(), {"no 'pad', which pads", ".special_tokens"});
}

TEST(SpecialTokens, AreDecodedARowAtATime) {
  const Tokenizer tokenizer = trained();
  const BatchEncoding batch = tokenizer({"a film", "fine"});
  EXPECT_EQ(tokenizer.decode(batch["input_ids"].row(1)), "fine");
  expect_parts(error_of([&] { tokenizer.decode(batch["input_ids"]); }),
               {"decode of i32(2, 4)", "integers [length]", "decode_batch()"});
}

TEST(SpecialTokens, AreKnownByTheirRoles) {
  Tokenizer tokenizer = trained();
  EXPECT_EQ(tokenizer.special_token("cls_token"), "[CLS]");
  EXPECT_EQ(tokenizer.special_token_id("mask_token"), 4);
  EXPECT_EQ(tokenizer.special_token("eos_token"), std::nullopt);
  tokenizer.set_pad_token("film");
  EXPECT_EQ(tokenizer.special_token("pad_token"), "film");
  expect_parts(error_of([&] { tokenizer.special_token("mask"); }), {"'mask'", "mask_token"});
  const TemporaryFolder folder;
  trained().save_pretrained(folder / "");
  const Tokenizer again = AutoTokenizer::from_pretrained(folder / "");
  EXPECT_EQ(again.special_token_id("sep_token"), 3);
  EXPECT_EQ(again.encode("a fine film").ids, trained().encode("a fine film").ids);
}

// One that was added is looked for in the text as it is given, unless it is normal text.
TEST(SpecialTokens, AreNotNormalized) {
  Tokenizer tokenizer = trained();
  EXPECT_EQ(tokenizer.add_special_tokens({"[USER]"}), 1u);
  EXPECT_EQ(tokenizer.add_tokens({"Films", "[BOT]"}), 2u);
  const int32_t user = *tokenizer.token_to_id("[USER]"), films = *tokenizer.token_to_id("Films");
  const auto has = [&](const char* text, int32_t id) {
    const std::vector<int32_t> ids = tokenizer.encode(text).ids;
    return std::count(ids.begin(), ids.end(), id) == 1;
  };
  EXPECT_TRUE(has("a [USER] film", user));
  EXPECT_FALSE(has("a [user] film", user));
  EXPECT_TRUE(has("no FILMS", films));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a [USER] film").ids), "a film");
}

// Roles of a vocabulary give what pads where nothing else is said.
TEST(SpecialTokens, PadWithTheirOwnId) {
  Tokenizer tokenizer = untrained();
  tokenizer.train(lines,
                  {.vocab_size = 60, .special_tokens = {"[UNK]", "[CLS]", "[SEP]", "[PAD]"}});
  tokenizer.set_padding({.length = 8});
  EXPECT_EQ(tokenizer.encode("film").ids.back(), 3);
  tokenizer.set_padding_side("left");
  EXPECT_EQ(tokenizer.encode("film").ids.front(), 3);
  tokenizer.set_padding({.id = 9, .token = "?"});
  EXPECT_EQ(tokenizer.padding().id, 9);
  tokenizer.set_padding({});
  const auto both = tokenizer.encode_batch(std::vector<std::string>{"film", "film film"});
  EXPECT_EQ(both[0].size(), both[1].size());
  tokenizer.set_padding({.length = 12, .id = 2, .token = "[SEP]"});
  tokenizer.no_padding();
  EXPECT_EQ(tokenizer(std::vector<std::string>{"film", "film film"}, {.padding = true})
                .input_ids.shape()[1],
            static_cast<int64_t>(both[0].size()));
  EXPECT_EQ(tokenizer.padding().id, 2);
  EXPECT_LT(tokenizer.encode_batch(std::vector<std::string>{"film", "film film"})[0].size(),
            both[0].size());
}

TEST(SpecialTokens, AreNotCutOffWithoutTruncation) {
  Tokenizer tokenizer = untrained();
  tokenizer.train(lines, {.vocab_size = 60, .special_tokens = {"[UNK]", "[CLS]", "[SEP]"}});
  tokenizer.set_truncation({.max_length = 3});
  EXPECT_EQ(tokenizer.encode("film film film").size(), 3u);
  tokenizer.no_truncation();
  EXPECT_GT(tokenizer.encode("film film film").size(), 4u);
}

}  // namespace
}  // namespace systolic
