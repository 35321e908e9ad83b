// Batches of texts: which columns, how long, in which order, what they waste.
#include "systolic/transformers/prepare_dataset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/data/arrays/array_ops.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/nn/nn.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_letters.h"

namespace systolic {
namespace {

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

// Texts of 2 to 11 tokens; what was tokenized before is not cut.
TEST(PrepareDataset, TextsThatFillMaxLengthAreCounted) {
  const CaughtLog log;
  const auto prepared = prepare_dataset(texts(10), letters(), {.max_length = 9});
  EXPECT_EQ(prepared.full, 3);
  EXPECT_CONTAINS(log.lines(), "are padding; 3 have 9 tokens, where longer ones are cut");
  EXPECT_EQ(prepare_dataset(texts(10), letters(), {.max_length = 12}).full, 0);
  const std::vector<int32_t> ids(9, 5);
  const data::Dataset tokenized =
      data::from_tensor_slices(Example{{"input_ids", Literal::from(ids, Shape{1, 9})}});
  EXPECT_EQ(prepare_dataset(tokenized, letters(), {.max_length = 9}).full, 0);
}

// What is predicted of texts stands beside them.
TEST(PrepareDataset, TextsWithoutLabelsStayInOrder) {
  const CaughtLog log;
  std::vector<std::string> words;
  for (int64_t i = 0; i < 40; ++i) words.emplace_back(1, static_cast<char>('a' + i % 26));
  const data::Dataset rows = data::from_tensor_slices(Example{{"text", words}});
  const Literal ids =
      (*prepare_dataset(rows, letters(), {.batch_size = 40}).dataset.begin())["input_ids"];
  for (int64_t i = 0; i < 40; ++i) EXPECT_EQ(ids.at<int32_t>({i, 1}), 4 + i % 26);
}

TEST(PrepareDataset, ColumnsThatCouldBeLabelsAreNamed) {
  const CaughtLog log;
  const std::vector<std::string> words = {"a", "b"};
  const std::vector<int32_t> target = {0, 1};
  const data::Dataset rows = data::from_tensor_slices({{"text", words}, {"target", target}});
  prepare_dataset(rows, letters());
  EXPECT_CONTAINS(log.lines(), "target is ignored. Labels are named by .label = \"target\"");
}

// A model of one's own whose input has a length gets that length.
TEST(PrepareDataset, AnInputOfAFixedLengthIsFilled) {
  const CaughtLog log;
  const Symbol ids = input({.shape = {7}, .dtype = DType::i32, .name = "input_ids"});
  const Model model(ids, Flatten{}(Embedding{.input_dim = 40, .output_dim = 2}(ids)));
  const auto prepared = prepare_dataset(model, texts(12), letters(), {.batch_size = 4});
  EXPECT_EQ(prepared.lengths, (std::vector<int64_t>{7}));
  const std::vector<std::string> text = {"a b c"};
  EXPECT_EQ(model.predict(letters()(text, {.padding = "max_length", .max_length = 7})).shape(),
            (Shape{1, 14}));
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

// Each is a program still, which a line counts.
TEST(PrepareDataset, LengthsThatWereAnnouncedAreNoWarning) {
  const CaughtLog log;
  PretrainedModel model = BertForSequenceClassification::from_config({.vocab_size = 30,
                                                                      .hidden_size = 8,
                                                                      .num_hidden_layers = 1,
                                                                      .num_attention_heads = 2,
                                                                      .intermediate_size = 8},
                                                                     {.num_labels = 26});
  model.compile({.optimizer = "sgd"});
  const auto prepared = model.prepare_dataset(
      texts(26), letters(), {.batch_size = 2, .pad_to_multiple_of = 4, .buckets = 3});
  EXPECT_EQ(prepared.lengths.size(), 3u);
  model.fit(prepared, {.verbose = 0});
  EXPECT_EQ(log.warnings(), "");
  EXPECT_CONTAINS(log.lines(), "is compiled again");
  EXPECT_CONTAINS(log.lines(), ", 3 programs so far");
  const Literal ids = Literal::filled(DType::i32, {2, 9}, 5);
  model.fit(ids, Literal::of<int32_t>({1, 2}), {.verbose = 0});
  EXPECT_CONTAINS(log.warnings(), ", 4 programs so far");
  EXPECT_CONTAINS(log.warnings(), "is i32[2,9]");
  model.compile({.optimizer = "sgd", .strict_shapes = true});
  EXPECT_NO_THROW(model.fit(prepared, {.verbose = 0}));
  EXPECT_THROW(model.fit(ids, Literal::of<int32_t>({1, 2}), {.verbose = 0}), FailedPrecondition);
}

// What is predicted stands beside its text.
TEST(PrepareDataset, BucketsAndTheDatasetsOrderDoNotGoTogether) {
  const CaughtLog log;
  const data::Dataset unlabelled = texts(20).map([](const Example& row) {
    return Example{{"sentence", row["sentence"]}};
  });
  expect_parts(error_of([&] { prepare_dataset(unlabelled, letters(), {.buckets = 2}); }),
               {"next to other texts", ".buckets", ".shuffle = true"});
  prepare_dataset(unlabelled, letters(), {.shuffle = true, .buckets = 2});
  EXPECT_EQ(log.lines().find("not in the dataset's order"), std::string::npos);
  prepare_dataset(texts(20), letters(), {.shuffle = false, .buckets = 2});
  EXPECT_NE(log.lines().find("not in the dataset's order"), std::string::npos);
}

TEST(PrepareDataset, RefusesIdsThatAreNoIntegers) {
  const Example row{{"input_ids", Literal::of<float>({{5.7F, 1}})}};
  expect_parts(error_of([&] { prepare_dataset(data::from_tensor_slices(row), letters()); }),
               {"'input_ids' is f32(2,)", "integers [tokens]", "a null among integers"});
}

TEST(PrepareDataset, PadsToMultiplesOf32AndBucketsOf8) {
  const CaughtLog log;
  const auto lengths = [](const PrepareOptions& options) {
    return prepare_dataset(texts(26), letters(), options).lengths;
  };
  EXPECT_EQ(lengths({}), (std::vector<int64_t>{32}));
  EXPECT_EQ(lengths({.buckets = 4}), (std::vector<int64_t>{8, 16}));
}

// A tokenizer of a model that takes no types gives none, as in `transformers`.
TEST(PrepareDataset, TypesAreThoseThatTheTokenizerGives) {
  const CaughtLog log;
  const TemporaryFolder temporary;
  const std::string folder = temporary / "types_of_pairs";
  const auto pairs =
      data::from_tensor_slices({{"a", Literal::strings({"a b"})}, {"b", Literal::strings({"c"})}});
  const PretrainedModel bert = BertModel::from_config({.vocab_size = 40,
                                                       .hidden_size = 8,
                                                       .num_hidden_layers = 1,
                                                       .num_attention_heads = 2,
                                                       .intermediate_size = 8});
  const std::pair<const char*, std::vector<int32_t>> classes[] = {
      {"BertTokenizer", {0, 0, 0, 0, 1, 1}}, {"RobertaTokenizer", {0, 0, 0, 0, 0, 0}}};
  for (const auto& [name, types] : classes) {
    letters().save_pretrained(folder);
    io::write_file(folder + "/tokenizer_config.json", str(R"({"tokenizer_class":")", name, "\"}"));
    const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder);
    const auto prepared = prepare_dataset(pairs, tokenizer, {.pad_to_multiple_of = 1});
    const Literal row = (*prepared.dataset.begin())["token_type_ids"].row(0);
    const auto values = row.data<int32_t>();
    EXPECT_EQ(std::vector<int32_t>(values.begin(), values.end()), types) << name;
    // A model that can do without them fills in what it takes them to be.
    const bool given =
        (*prepare_dataset(bert, pairs, tokenizer).dataset.begin()).contains("token_type_ids");
    EXPECT_EQ(given, types.back() == 1) << name;
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

const PrepareOptions in_order{.batch_size = 2, .shuffle = false, .pad_to_multiple_of = 4};

// Rows that lie in a scratch folder are those that lie in memory; nothing is seen of them there.
TEST(PrepareDataset, AScratchFolderChangesNothing) {
  const CaughtLog log;
  // Tokens and their labels; the types are 0 in the first rows.
  const data::Dataset tokenized = data::range(20).map([](const Example& element) -> Example {
    const int64_t i = element["value"].integer_at(0);
    std::vector<int32_t> ids, types, labels;
    for (int64_t token = 0; token <= i % 5; ++token) {
      ids.push_back(static_cast<int32_t>(4 + token));
      types.push_back(i < 7 ? 0 : static_cast<int32_t>(token % 2));
      labels.push_back(static_cast<int32_t>(i + token));
    }
    const Shape shape{static_cast<int64_t>(ids.size())};
    return {{"input_ids", Literal::from(ids, shape)},
            {"token_type_ids", Literal::from(types, shape)},
            {"labels", Literal::from(labels, shape)}};
  });
  const data::Dataset scored = texts(20).map([](const Example& row) -> Example {
    const float score = static_cast<float>(row["label"].integer_at(0)) / 4;
    return {{"text", row["sentence"]}, {"label", Literal::of<float>({score, -score})}};
  });
  for (const data::Dataset& dataset : {tokenized, texts(20), scored}) {
    const TemporaryFolder folder;
    PrepareOptions options{.batch_size = 3, .seed = 4, .pad_to_multiple_of = 2};
    const auto all = [&] {
      std::vector<Example> batches;
      for (const Example& batch : prepare_dataset(dataset, letters(), options).dataset) {
        EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
        batches.push_back(batch);
      }
      return batches;
    };
    const std::vector<Example> in_memory = all();
    options.scratch_folder = folder / "";
    EXPECT_EQ(all(), in_memory);
  }
  EXPECT_CONTAINS(
      error_of([] { prepare_dataset(texts(3), letters(), {.scratch_folder = "/no/such/folder"}); }),
      "prepare_dataset's scratch_folder");
}

TEST(PrepareDataset, PadsNoFurtherThanTheModelTakes) {
  const CaughtLog log;
  const auto lengths = [&](PrepareOptions options) {
    options.pad_to_multiple_of = 8;
    return prepare_dataset(texts(10), letters(), options).lengths;  // of 2 to 11 tokens
  };
  EXPECT_EQ(lengths({}), (std::vector<int64_t>{8, 16}));
  EXPECT_EQ(lengths({.max_length = 11}), (std::vector<int64_t>{8, 11}));
  EXPECT_EQ(lengths({.max_length = 10, .buckets = 2}), (std::vector<int64_t>{8, 10}));
  Tokenizer limited = letters();
  limited.set_model_max_length(9);
  EXPECT_EQ(prepare_dataset(texts(10), limited, {.pad_to_multiple_of = 8}).lengths,
            (std::vector<int64_t>{8, 9}));
  const auto bert = BertModel::from_config({.hidden_size = 4,
                                            .num_hidden_layers = 0,
                                            .num_attention_heads = 1,
                                            .max_position_embeddings = 10});
  const PreparedDataset prepared =
      prepare_dataset(bert, texts(10), letters(), {.batch_size = 4, .pad_to_multiple_of = 8});
  EXPECT_EQ(prepared.lengths, (std::vector<int64_t>{8, 10}));
  EXPECT_EQ(prepared.dataset.first().names()[1], "attention_mask");
  EXPECT_EQ(
      str(bert.prepare_dataset(texts(10), letters(), {.batch_size = 4, .pad_to_multiple_of = 8})),
      str(prepared));
  // Texts are cut, ids are not.
  const data::Dataset ids = tokenized({2, 11}, [](int64_t, int64_t) -> Example { return {}; });
  expect_parts(
      message_of<InvalidArgument>([&] { bert.prepare_dataset(ids, letters()); }),
      {"sample 1 has 11 tokens", "at most 10", ".max_length = 10", "prepare_dataset_test.cc:"});
  expect_parts(
      message_of<InvalidArgument>([&] { prepare_dataset(ids, letters(), {.max_length = 5}); }),
      {"sample 1 has 11 tokens", "at most 5", "ids are not", "prepare_dataset_test.cc:"});
  EXPECT_EQ(AutoModel::from_config(RobertaConfig{}).config().architecture().max_tokens(), 510);
}

TEST(PrepareDataset, SaysWhetherItKeepsTheOrder) {
  const CaughtLog log;
  const auto texts = data::from_tensor_slices(
      {{"text", std::vector<std::string>{"a", "b"}}, {"label", std::vector<int32_t>{1, 0}}});
  EXPECT_FALSE(prepare_dataset(texts, letters()).in_order);
  EXPECT_TRUE(prepare_dataset(texts, letters(), in_order).in_order);
}

// As those that were added to a tokenizer: to be looked up, or to pad.
TEST(PrepareDataset, TokensThatTheModelLacksAreNamed) {
  const CaughtLog log;
  const SourceLocation here{"user.cc", 7};
  Tokenizer tokenizer = letters();
  tokenizer.add_tokens({{.content = "<name>"}});
  const PretrainedModel model = BertModel::from_config({.vocab_size = 30,
                                                        .hidden_size = 8,
                                                        .num_hidden_layers = 0,
                                                        .num_attention_heads = 2,
                                                        .intermediate_size = 8});
  PretrainedModel resized = BertModel::from_config(
      {.vocab_size = 30, .hidden_size = 8, .num_hidden_layers = 0, .num_attention_heads = 2});
  resized.resize_token_embeddings(static_cast<int64_t>(tokenizer.vocab_size()));
  const data::Dataset some =
      data::from_tensor_slices({{"text", Literal::strings({"a b", "a <name> b"})}});
  expect_parts(error_of([&] { model.prepare_dataset(some, tokenizer, {}, here); }),
               {"sample 1 has the token 30 ('<name>')", "0 to 29",
                "model.resize_token_embeddings(31)", "user.cc:7"});
  resized.prepare_dataset(some, tokenizer);
  const data::Dataset of_another =
      data::from_tensor_slices({{"input_ids", Literal::of<int32_t>({{1, 99}})}});
  expect_parts(error_of([&] { model.prepare_dataset(of_another, tokenizer, {}, here); }),
               {"sample 0 has the token 99,", "the tokenizer that belongs to the model"});

  tokenizer.set_pad_token("<name>");
  const data::Dataset letters_only =
      data::from_tensor_slices({{"text", Literal::strings({"a b", "a"})}});
  expect_parts(error_of([&] { model.prepare_dataset(letters_only, tokenizer, {}, here); }),
               {"texts are padded with the token 30 ('<name>')", "resize_token_embeddings(31)"});
  resized.prepare_dataset(letters_only, tokenizer);
}

TEST(PrepareDataset, RefusesWhatItCannotPrepare) {
  const CaughtLog log;
  const Tokenizer tokenizer = letters();
  const auto with = [&](const data::Dataset& dataset, const PrepareOptions& options) {
    return message_of<InvalidArgument>([&] { prepare_dataset(dataset, tokenizer, options); });
  };
  EXPECT_CONTAINS(with(data::range(3), {}), "no column of texts");
  EXPECT_CONTAINS(with(texts(3), {.text = "label"}), "has no texts 'label'");
  EXPECT_CONTAINS(with(texts(3).repeat(), {}), "without end");
  EXPECT_CONTAINS(with(texts(3).take(0), {}), "empty");
  EXPECT_CONTAINS(with(texts(3), {.label = "sentence"}), "is a text");
  EXPECT_CONTAINS(with(texts(3), {.label = "lable"}), "has no label 'lable'");
  EXPECT_CONTAINS(with(texts(3), {.batch_size = 0}), "batch_size = 0");
  EXPECT_CONTAINS(with(texts(3), {.input_names = {"pixel_values"}}), "'pixel_values'");
}

}  // namespace
}  // namespace systolic
