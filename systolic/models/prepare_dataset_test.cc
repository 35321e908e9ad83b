// Batches of texts: which columns, how long, in which order, what they waste.
#include "systolic/models/prepare_dataset.h"

#include <gtest/gtest.h>

#include <set>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/array_ops.h"
#include "systolic/nn/nn.h"

namespace systolic {
namespace {

// Words are single letters; [PAD] is 0, [CLS] 2, [SEP] 3.
Tokenizer letters() {
  std::string vocabulary = R"("[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3)";
  for (char letter = 'a'; letter <= 'z'; ++letter)
    vocabulary += str(",\"", letter, "\":", 4 + letter - 'a');
  const auto special = [](int id, const char* content) {
    return str(
        R"({"id":)", id, R"(,"content":")", content,
        R"(","special":true,"normalized":false,"single_word":false,"lstrip":false,"rstrip":false})");
  };
  Tokenizer tokenizer = Tokenizer::from_json(
      str(R"({"added_tokens":[)", special(0, "[PAD]"), ",", special(2, "[CLS]"), ",",
          special(3, "[SEP]"), R"(],"pre_tokenizer":{"type":"WhitespaceSplit"},)",
          R"("post_processor":{"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]},)",
          R"("model":{"type":"WordLevel","unk_token":"[UNK]","vocab":{)", vocabulary, "}}}"));
  tokenizer.pad_only_when_asked();
  return tokenizer;
}

// Text i has i % 13 letters and label i.
data::Dataset texts(int64_t count) {
  return data::range(count).map([](const Example& element) -> Example {
    const int64_t i = element["value"].integer_at(0);
    std::string text;
    for (int64_t letter = 0; letter < i % 13; ++letter) text += letter == 0 ? "a" : " b";
    return {{"index", Literal::scalar(i)},
            {"sentence", Literal::scalar(text)},
            {"label", Literal::scalar<int64_t>(i)}};
  });
}

int64_t tokens_of(int64_t label) { return label % 13 + 2; }

TEST(PrepareDataset, PadsEachBatchToAMultipleOfItsLongest) {
  const CaughtLog log;
  const auto prepared = prepare_dataset(
      texts(10), letters(), {.batch_size = 4, .shuffle = false, .pad_to_multiple_of = 4});
  std::vector<Example> batches;
  for (const Example& batch : prepared.dataset) batches.push_back(batch);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[0].names(),
            (std::vector<std::string>{"input_ids", "token_type_ids", "attention_mask", "label"}));
  EXPECT_EQ(batches[0]["input_ids"], Literal::of<int32_t>({{2, 3, 0, 0, 0, 0, 0, 0},
                                                           {2, 4, 3, 0, 0, 0, 0, 0},
                                                           {2, 4, 5, 3, 0, 0, 0, 0},
                                                           {2, 4, 5, 5, 3, 0, 0, 0}}));
  EXPECT_EQ(batches[0]["attention_mask"], Literal::of<int32_t>({{1, 1, 0, 0, 0, 0, 0, 0},
                                                                {1, 1, 1, 0, 0, 0, 0, 0},
                                                                {1, 1, 1, 1, 0, 0, 0, 0},
                                                                {1, 1, 1, 1, 1, 0, 0, 0}}));
  EXPECT_EQ(batches[0]["label"], Literal::of<int32_t>({0, 1, 2, 3}));
  EXPECT_EQ(batches[1]["input_ids"].shape(), (Shape{4, 12}));
  EXPECT_EQ(batches[2]["token_type_ids"].shape(), (Shape{2, 12}));
  // Tokens: 2 + 3 + ... + 11 = 65.
  EXPECT_EQ(prepared.tokens, 65);
  EXPECT_EQ(prepared.padded_tokens, 4 * 8 + 4 * 12 + 2 * 12);
  EXPECT_EQ(prepared.lengths, (std::vector<int64_t>{4, 8, 12}));
  EXPECT_CONTAINS(log.lines(), "10 texts, padded to 4, 8, 12: 37.5 % of 104 tokens are padding");
}

TEST(PrepareDataset, BucketsPadAsLittleAsTheySay) {
  const CaughtLog log;
  for (const bool shuffle : {false, true}) {
    const auto prepared = prepare_dataset(
        texts(100), letters(),
        {.batch_size = 8, .shuffle = shuffle, .seed = 3, .pad_to_multiple_of = 2, .buckets = 3});
    int64_t tokens = 0, padded = 0;
    std::set<int64_t> labels, lengths;
    for (const Example& batch : prepared.dataset) {
      const Literal &ids = batch["input_ids"], &mask = batch["attention_mask"];
      lengths.insert(ids.shape()[1]);
      padded += ids.size();
      for (int64_t row = 0; row < ids.shape()[0]; ++row) {
        const int64_t label = batch["label"].integer_at(row);
        EXPECT_TRUE(labels.insert(label).second);
        int64_t real = 0;
        for (int64_t i = 0; i < ids.shape()[1]; ++i)
          real += mask.integer_at(row * ids.shape()[1] + i);
        EXPECT_EQ(real, tokens_of(label));
        tokens += real;
      }
    }
    EXPECT_EQ(labels.size(), 100u);
    EXPECT_EQ(tokens, prepared.tokens);
    EXPECT_EQ(padded, prepared.padded_tokens);
    EXPECT_EQ((std::vector<int64_t>(lengths.begin(), lengths.end())), prepared.lengths);
    EXPECT_EQ(prepared.lengths.size(), 3u);
  }
}

TEST(PrepareDataset, TakesColumnsThatWereTokenizedBefore) {
  const CaughtLog log;
  const Tokenizer tokenizer = letters();
  const auto tokenized = texts(6).map([tokenizer](const Example& element) -> Example {
    const std::vector<std::string> text = {std::string(element["sentence"].string_at(0))};
    const BatchEncoding batch = tokenizer(text, {.padding = "max_length", .max_length = 16});
    return {{"input_ids", data::reshape(batch.input_ids, {-1})},
            {"attention_mask", data::reshape(batch.attention_mask, {-1})},
            {"label", element["label"]}};
  });
  const PrepareOptions options{.batch_size = 3, .shuffle = false, .pad_to_multiple_of = 4};
  auto plain = prepare_dataset(texts(6), tokenizer, options).dataset.begin();
  for (const Example& batch : prepare_dataset(tokenized, tokenizer, options).dataset) {
    EXPECT_EQ(batch, *plain);
    ++plain;
  }
}

TEST(PrepareDataset, PicksWhatTheModelTakesByName) {
  const CaughtLog log;
  const auto symbol = [](const char* name) {
    return input({.shape = {-1}, .dtype = DType::i32, .name = name});
  };
  const Symbol mask = symbol("attention_mask"), ids = symbol("input_ids");
  const Symbol hidden = Add{}({Embedding{.input_dim = 30, .output_dim = 4}(ids),
                               Embedding{.input_dim = 2, .output_dim = 4}(mask)});
  Model model({mask, ids}, {Dense{.units = 1}(GlobalAveragePooling1D{}(hidden))});
  const auto prepared = prepare_dataset(model, texts(4), letters(), {.batch_size = 2});
  EXPECT_EQ(prepared.dataset.first().names(),
            (std::vector<std::string>{"attention_mask", "input_ids", "label"}));
}

TEST(PrepareDataset, RefusesWhatItCannotPrepare) {
  const CaughtLog log;
  const Tokenizer tokenizer = letters();
  const auto with = [&](const data::Dataset& dataset, const PrepareOptions& options) {
    return message_of<InvalidArgument>([&] { prepare_dataset(dataset, tokenizer, options); });
  };
  EXPECT_CONTAINS(with(data::range(3), {}), "0 columns of texts");
  EXPECT_CONTAINS(with(texts(3), {.text = "label"}), "has no texts 'label'");
  EXPECT_CONTAINS(with(texts(3).repeat(), {}), "without end");
  EXPECT_CONTAINS(with(texts(3).take(0), {}), "empty");
  EXPECT_CONTAINS(with(texts(3), {.label = "sentence"}), "is a text");
  EXPECT_CONTAINS(with(texts(3), {.batch_size = 0}), "batch_size = 0");
  EXPECT_CONTAINS(with(texts(3), {.input_names = {"pixel_values"}}), "'pixel_values'");
}

}  // namespace
}  // namespace systolic
