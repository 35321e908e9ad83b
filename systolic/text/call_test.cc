// What calls give beside ids: parts that were cut off, offsets, words. Against encode(), whose
// results are compared with the `tokenizers` package.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/text/tokenizer.h"

namespace systolic {
namespace {

// Words are letters and their ids; [PAD] is 0, [CLS] 27, [SEP] 28.
Tokenizer alphabet() {
  std::string vocabulary = R"("[PAD]":0)";
  for (char letter = 'a'; letter <= 'z'; ++letter)
    vocabulary += str(",\"", letter, "\":", letter - 'a' + 1);
  return Tokenizer::from_json(
      str(R"({"pre_tokenizer":{"type":"WhitespaceSplit"},)",
          R"("post_processor":{"type":"BertProcessing","sep":["[SEP]",28],"cls":["[CLS]",27]},)",
          R"("model":{"type":"WordLevel","unk_token":"[PAD]","vocab":{)", vocabulary,
          R"(,"[CLS]":27,"[SEP]":28}}})"));
}

Literal integers(std::initializer_list<std::initializer_list<int32_t>> rows) {
  return Literal::of<int32_t>(rows);
}

TEST(Call, GivesThePartsThatAreCutOffAsRows) {
  const Tokenizer tokenizer = alphabet();
  const TokenizeOptions options{
      .truncation = true, .max_length = 5, .stride = 1, .return_overflowing_tokens = true};
  const BatchEncoding batch = tokenizer({"a", "b c d e f"}, options);
  EXPECT_EQ(batch["input_ids"],
            integers({{27, 1, 28, 0, 0}, {27, 2, 3, 4, 28}, {27, 4, 5, 6, 28}}));
  EXPECT_EQ(batch["overflow_to_sample_mapping"], Literal::of<int32_t>({0, 1, 1}));
  EXPECT_EQ(batch.encodings.size(), 3u);
  // Without parts a row for each.
  EXPECT_EQ(tokenizer({"a b"}, options)["overflow_to_sample_mapping"], Literal::of<int32_t>({0}));
  EXPECT_EQ(tokenizer(std::span<const std::string>{}, options)["overflow_to_sample_mapping"].size(),
            0);
  // Whatever the shape of the texts.
  EXPECT_EQ(tokenizer(Literal::scalar(std::string("b c d e f")), options)["input_ids"].shape(),
            Shape({2, 5}));
}

// A question with the parts of its context.
TEST(Call, GivesOffsetsOfEachPart) {
  const Tokenizer tokenizer = alphabet();
  const BatchEncoding batch = tokenizer({"q"}, {"a  b c d"},
                                        {.truncation = "only_second",
                                         .max_length = 6,
                                         .stride = 1,
                                         .return_overflowing_tokens = true,
                                         .return_offsets_mapping = true,
                                         .return_special_tokens_mask = true});
  const Literal offsets = batch["offset_mapping"];
  EXPECT_EQ(offsets.shape(), Shape({3, 6, 2}));
  EXPECT_EQ(offsets.row(1), integers({{0, 0}, {0, 1}, {0, 0}, {3, 4}, {5, 6}, {0, 0}}));
  EXPECT_EQ(batch["special_tokens_mask"].row(2), Literal::of<int32_t>({1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(batch.encodings[2].sequence_ids(), (std::vector<int32_t>{-1, 0, -1, 1, 1, -1}));
  // The model's arrays are those of before.
  EXPECT_EQ(batch.arrays().names(),
            (std::vector<std::string>{"input_ids", "token_type_ids", "attention_mask"}));
}

// What one of two texts would lose alone is more than it has.
TEST(Call, SaysWhichTextIsTooShortToBeCut) {
  const Tokenizer tokenizer = alphabet();
  try {
    tokenizer({"a b c d e f"}, {"b c"}, {.truncation = "only_second", .max_length = 8});
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    for (const char* part : {"second text has 2 tokens", "max_length of 8", "3 special tokens"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(Call, PadsOffsetsAtTheSideOfTheRows) {
  Tokenizer tokenizer = alphabet();
  tokenizer.set_padding_side("left");
  const BatchEncoding batch = tokenizer(
      {"a", "b c"},
      {.padding = true, .return_offsets_mapping = true, .return_special_tokens_mask = true});
  EXPECT_EQ(batch["offset_mapping"].row(0), integers({{0, 0}, {0, 0}, {0, 1}, {0, 0}}));
  EXPECT_EQ(batch["special_tokens_mask"].row(0), Literal::of<int32_t>({1, 1, 0, 1}));
  EXPECT_EQ(tokenizer(Literal::strings({"a"}), {.return_offsets_mapping = true})["offset_mapping"]
                .shape(),
            Shape({1, 3, 2}));
}

TEST(Call, KnowsTheWordsOfTextsThatAreSplit) {
  const std::vector<std::vector<std::string>> texts = {{"a b", "c"}, {"d"}};
  const BatchEncoding batch = alphabet()(texts, {.padding = true});
  EXPECT_EQ(batch["input_ids"], integers({{27, 1, 2, 3, 28}, {27, 4, 28, 0, 0}}));
  EXPECT_EQ(batch.encodings[0].word_ids, (std::vector<int32_t>{-1, 0, 0, 1, -1}));
  EXPECT_EQ(batch.encodings[0].word_ids, alphabet().encode_words({"a b", "c"}).word_ids);
}

TEST(Call, SaysHowToAskForWhatIsNotThere) {
  const BatchEncoding batch = alphabet()("a");
  expect_parts(error_of([&] { batch["offset_mapping"]; }),
               {"'offset_mapping'", "input_ids", ".return_offsets_mapping"});
  EXPECT_EQ(error_of([&] { batch["labels"]; }).find("ask for it"), std::string::npos);
}

}  // namespace
}  // namespace systolic
