// Tokenizers of folders, in each form that AutoTokenizer knows.
#include "systolic/text/files/auto_tokenizer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

class AutoTokenizerTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    put_file(folder_ + "/" + name, text);
  }
  TemporaryFolder own_;
  std::string folder_ = own_ / ".";
};

constexpr const char* bert_vocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nworld\n##s\n!\n";

TEST_F(AutoTokenizerTest, VocabTxtIsBert) {
  write("vocab.txt", bert_vocabulary);
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  const Encoding encoding = tokenizer.encode("Hello  worlds! \xC3\xA9 [MASK]");
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{2, 5, 6, 7, 8, 1, 4, 3}));
  EXPECT_EQ(encoding.offsets[2], (Offsets{7, 12}));
  EXPECT_EQ(encoding.offsets[6], (Offsets{17, 23}));
  EXPECT_EQ(tokenizer.decode(encoding.ids), "hello worlds!");
}

// A pipe to which nobody writes, a folder, and a device that never ends.
TEST_F(AutoTokenizerTest, OnlyRegularFilesAreRead) {
  write("vocab.json", "{}");
  for (const char* name :
       {"tokenizer.json", "vocab.txt", "merges.txt", "spiece.model", "tokenizer_config.json",
        "special_tokens_map.json", "added_tokens.json", "config.json"}) {
    const std::string path = folder_ + "/" + name;
    const std::pair<const char*, std::function<int()>> kinds[] = {
        {"a pipe", [&] { return ::mkfifo(path.c_str(), 0600); }},
        {"a directory", [&] { return ::mkdir(path.c_str(), 0700); }},
        {"a device", [&] { return ::symlink("/dev/zero", path.c_str()); }}};
    for (const auto& [kind, make] : kinds) {
      ASSERT_EQ(make(), 0);
      EXPECT_CONTAINS(error_of([&] { AutoTokenizer::from_pretrained(folder_); }),
                      str("InvalidArgument: '", path, "' is ", kind, ", expected a file"));
      std::filesystem::remove(path);
    }
  }
}

TEST_F(AutoTokenizerTest, CallsPadAndCut) {
  write("vocab.txt", bert_vocabulary);
  write("tokenizer_config.json", R"({"do_lower_case": false, "model_max_length": 4})");
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  const std::vector<std::string> texts = {"hello", "hello worlds world"};
  const auto ids = [](const BatchEncoding& batch) {
    const auto data = batch.input_ids.data<int32_t>();
    return std::vector<int32_t>(data.begin(), data.end());
  };
  EXPECT_EQ(ids(tokenizer(texts, {.padding = true, .truncation = true})),
            (std::vector<int32_t>{2, 5, 3, 0, 2, 5, 6, 3}));
  const BatchEncoding batch = tokenizer(
      texts,
      {.padding = "max_length", .truncation = true, .max_length = 5, .pad_to_multiple_of = 4});
  EXPECT_EQ(ids(batch), (std::vector<int32_t>{2, 5, 3, 0, 0, 0, 0, 0, 2, 5, 6, 7, 3, 0, 0, 0}));
  EXPECT_EQ(batch.attention_mask.shape(), (Shape{2, 8}));
  EXPECT_EQ(batch.attention_mask.at<int32_t>({1, 4}), 1);
  EXPECT_EQ(batch.attention_mask.at<int32_t>({1, 5}), 0);
  EXPECT_THROW(tokenizer(texts, {.truncation = true, .max_length = 1}), InvalidArgument);
  // As in `transformers`, max_length alone cuts; beside padding it does not.
  EXPECT_EQ(ids(tokenizer(texts, {.max_length = 4})),
            (std::vector<int32_t>{2, 5, 3, 0, 2, 5, 6, 3}));
  EXPECT_EQ(tokenizer(texts, {.padding = true, .max_length = 4}).input_ids.shape(), (Shape{2, 6}));
  EXPECT_EQ(tokenizer(texts, {.truncation = false, .max_length = 4}).input_ids.shape(),
            (Shape{2, 6}));
}

// What lay in the folder before would count more than what is saved.
TEST_F(AutoTokenizerTest, SavingReplacesTheTokensOfATokenizerThatWasThere) {
  write("vocab.txt", bert_vocabulary);
  Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  write("special_tokens_map.json", R"({"cls_token": "[FOO]", "pad_token": "[BAR]"})");
  write("added_tokens.json", R"({"[FOO]": 20, "[BAR]": 21})");
  tokenizer.set_pad_token("[UNK]");
  tokenizer.save_pretrained(folder_);
  const Tokenizer again = AutoTokenizer::from_pretrained(folder_);
  EXPECT_EQ(again.padding().token, "[UNK]");
  EXPECT_EQ(again.vocab_size(), tokenizer.vocab_size());
  EXPECT_EQ(again("hello").input_ids, tokenizer("hello").input_ids);
  EXPECT_THROW(tokenizer.save_pretrained(""), InvalidArgument);
}

TEST_F(AutoTokenizerTest, LengthsOfFilesAndSettersHaveBounds) {
  write("vocab.txt", bert_vocabulary);
  for (const char* length : {"-5", "-1e300"}) {
    write("tokenizer_config.json", str(R"({"model_max_length": )", length, "}"));
    EXPECT_THROW(AutoTokenizer::from_pretrained(folder_), DataLoss) << length;
  }
  write("tokenizer_config.json", R"({"model_max_length": 999999999})");
  Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  EXPECT_THROW(tokenizer("hello", {.padding = "max_length"}), InvalidArgument);
  EXPECT_THROW(tokenizer.set_model_max_length(-5), InvalidArgument);
  EXPECT_THROW(tokenizer.set_truncation(TruncationParameters{.max_length = -1}), InvalidArgument);
  EXPECT_THROW(tokenizer.set_truncation(TruncationParameters{.stride = -1}), InvalidArgument);
  EXPECT_THROW(tokenizer.set_padding(PaddingParameters{.length = -1}), InvalidArgument);
  EXPECT_THROW(tokenizer.set_padding(PaddingParameters{.id = -5}), InvalidArgument);
  // A truncation that does not cut is none.
  tokenizer.set_truncation(TruncationParameters{.max_length = 2, .strategy = false});
  EXPECT_EQ(tokenizer.encode("hello worlds").ids.size(), 5u);
}

// A few bytes on a disk may stand for many gigabytes.
TEST_F(AutoTokenizerTest, FilesOfGigabytesAreNotRead) {
  for (const char* name : {"tokenizer.json", "tokenizer_config.json", "vocab.txt"}) {
    write("vocab.txt", bert_vocabulary);
    write(name, "{");
    std::filesystem::resize_file(folder_ + "/" + name, uint64_t{20} << 30);
    EXPECT_THROW(AutoTokenizer::from_pretrained(folder_), ResourceExhausted) << name;
    std::filesystem::remove(folder_ + "/" + name);
  }
}

TEST_F(AutoTokenizerTest, PairsComeAsTextsDo) {
  write("vocab.txt", bert_vocabulary);
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  const std::vector<std::string> texts = {"hello", "world"}, pairs = {"worlds", "hello"};
  const BatchEncoding batch = tokenizer(texts, pairs);
  EXPECT_EQ(tokenizer({"hello", "world"}, {"worlds", "hello"}).input_ids, batch.input_ids);
  EXPECT_EQ(tokenizer("hello", "worlds", {.padding = true}).input_ids.row(0),
            tokenizer({"hello"}, {"worlds"}).input_ids.row(0));
}

// What becomes of a text by tokenizer_config.json beside the same tokenizer.json.
struct ClassFields {
  const char* config;
  const char* tokens;
};

TEST_F(AutoTokenizerTest, FieldsOfTheConfigurationCountMoreThanTokenizerJson) {
  write("tokenizer.json", R"({"added_tokens": [],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                   "strip_accents": false, "lowercase": false},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {"type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"?": 0, "\u00c4": 1, "\u00e4": 2, "a": 3, "A": 4, "\u4e2d": 5, "##\u4e2d": 6}}})");
  const ClassFields cases[] = {
      {R"({"tokenizer_class": "BertTokenizer"})", "a a \u4e2d \u4e2d"},
      {R"({"tokenizer_class": "BertTokenizerFast", "do_lower_case": true})", "a a \u4e2d \u4e2d"},
      {R"({"tokenizer_class": "ElectraTokenizer", "do_lower_case": false})",
       "\u00c4 A \u4e2d \u4e2d"},
      {R"({"tokenizer_class": "BertTokenizer", "strip_accents": false})", "\u00e4 a \u4e2d \u4e2d"},
      {R"({"tokenizer_class": "DistilBertTokenizer", "do_lower_case": false,
           "strip_accents": true})",
       "A A \u4e2d \u4e2d"},
      {R"({"tokenizer_class": "BertTokenizer", "tokenize_chinese_chars": false})",
       "a a \u4e2d ##\u4e2d"},
      {R"({"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": true})",
       "\u00c4 A \u4e2d \u4e2d"},
      {"{}", "\u00c4 A \u4e2d \u4e2d"}};
  for (const ClassFields& one : cases) {
    write("tokenizer_config.json", one.config);
    const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
    const EncodeOptions plain{.add_special_tokens = false};
    const std::vector<std::string> tokens = tokenizer.encode("\u00c4 A \u4e2d\u4e2d", plain).tokens;
    EXPECT_EQ(join(tokens, " "), one.tokens) << one.config;
    tokenizer.save_pretrained(folder_ + "/saved");
    const Tokenizer again = AutoTokenizer::from_pretrained(folder_ + "/saved");
    EXPECT_EQ(again.encode("\u00c4 A \u4e2d\u4e2d", plain).tokens, tokens) << one.config;
  }
}

// ALBERT's and XLNet's steps, and the space in front.
TEST_F(AutoTokenizerTest, FieldsOfSentencePieceClasses) {
  write("tokenizer.json", R"({"added_tokens": [],
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Replace", "pattern": {"String": "``"}, "content": "\""},
      {"type": "Replace", "pattern": {"String": "''"}, "content": "\""},
      {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]},
    "pre_tokenizer": {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"},
    "decoder": {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"},
    "model": {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0], ["_a", -1], ["_A", -1],
      ["_\u00c4", -1], ["_\u00e4", -1], ["a", -2], ["_.", -1]]}})");
  const ClassFields cases[] = {
      {R"({"tokenizer_class": "AlbertTokenizer"})", "_a _."},
      {R"({"tokenizer_class": "AlbertTokenizer", "do_lower_case": false})", "_A _."},
      {R"({"tokenizer_class": "AlbertTokenizer", "keep_accents": true})", "_\u00e4 _."},
      {R"({"tokenizer_class": "AlbertTokenizer", "keep_accents": true, "do_lower_case": false})",
       "_\u00c4 _."},
      {R"({"tokenizer_class": "AlbertTokenizer", "add_prefix_space": false})", "a _."},
      {R"({"tokenizer_class": "XLNetTokenizer"})", "_A _."},
      {R"({"tokenizer_class": "XLNetTokenizer", "do_lower_case": true})", "_a _."}};
  for (const ClassFields& one : cases) {
    write("tokenizer_config.json", one.config);
    const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
    const Encoding encoding = tokenizer.encode("\u00c4 .", {.add_special_tokens = false});
    EXPECT_EQ(join(encoding.tokens, " "), one.tokens) << one.config;
    EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{1, 6}), "a .");
  }
  write("tokenizer_config.json", R"({"clean_up_tokenization_spaces": true})");
  EXPECT_EQ(AutoTokenizer::from_pretrained(folder_).decode(std::vector<int32_t>{1, 6}), "a.");
  write("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0, ".": 1}, "merges": []}})");
  EXPECT_EQ(AutoTokenizer::from_pretrained(folder_).decode(std::vector<int32_t>{0, 1}), "a .");
}

TEST_F(AutoTokenizerTest, TextsInArraysKeepTheirAxes) {
  write("vocab.txt", bert_vocabulary);
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  const TokenizeOptions four{.padding = "max_length", .truncation = true, .max_length = 4};
  const Example one = tokenizer(Literal::scalar("hello world"), four);
  EXPECT_EQ(one["input_ids"], Literal::of<int32_t>({2, 5, 6, 3}));
  const Literal texts = Literal::strings({"hello world", "hello"});
  EXPECT_EQ(tokenizer(texts, four).input_ids, Literal::of<int32_t>({{2, 5, 6, 3}, {2, 5, 3, 0}}));
  EXPECT_EQ(tokenizer(texts.reshape({2, 1}), four).attention_mask.shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(tokenizer(texts, texts, {.padding = true}).token_type_ids,
            Literal::of<int32_t>({{0, 0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1, 0, 0}}));
  EXPECT_THROW(tokenizer(Literal::of<int32_t>({1})), InvalidArgument);
}

std::vector<int32_t> numbers(const Literal& array) {
  const auto data = array.data<int32_t>();
  return {data.begin(), data.end()};
}

// A batch of texts of one and of three tokens, cut to two.
struct Padded {
  const char* config;
  std::vector<int32_t> ids, types;
};

TEST_F(AutoTokenizerTest, TheConfigurationSaysWhatPadsAndAtWhichSide) {
  const std::string tokenizer = R"({"model":{"type":"WordLevel","unk_token":"?","vocab":)"
                                R"({"?":0,"a":1,"b":2,"c":3,"<pad>":4,"none":5}},)"
                                R"("pre_tokenizer":{"type":"Whitespace"}})";
  const Padded cases[] = {
      {"{}", {1, 4, 1, 2}, {0, 0, 0, 0}},
      {R"({"pad_token": "none"})", {1, 5, 1, 2}, {0, 0, 0, 0}},
      {R"({"pad_token": {"content": "none"}, "padding_side": "left"})", {5, 1, 1, 2}, {0, 0, 0, 0}},
      {R"({"pad_token": "unheard of", "pad_token_type_id": 3})", {1, 6, 1, 2}, {0, 0, 0, 0}},
      {R"({"truncation_side": "left"})", {1, 4, 2, 3}, {0, 0, 0, 0}},
      {R"({"tokenizer_class": "XLNetTokenizerFast"})", {4, 1, 1, 2}, {0, 0, 0, 0}},
  };
  write("tokenizer.json", tokenizer);
  for (const Padded& one : cases) {
    write("tokenizer_config.json", one.config);
    const Tokenizer read = AutoTokenizer::from_pretrained(folder_);
    const BatchEncoding batch =
        read({"a", "a b c"}, {.padding = true, .truncation = true, .max_length = 2});
    EXPECT_EQ(numbers(batch.input_ids), one.ids) << one.config;
    EXPECT_EQ(numbers(batch.token_type_ids), one.types) << one.config;
    read.save_pretrained(folder_ + "/saved");
    const BatchEncoding again = AutoTokenizer::from_pretrained(folder_ + "/saved")(
        {"a", "a b c"}, {.padding = true, .truncation = true, .max_length = 2});
    EXPECT_EQ(again.arrays(), batch.arrays()) << one.config;
  }
  for (const char* wrong :
       {R"({"padding_side": "top"})", R"({"padding_side": 3})", "[]", "{", R"({"pad_token": []})",
        R"({"model_input_names": 3})", R"({"model_max_length": "many"})"}) {
    write("tokenizer_config.json", wrong);
    EXPECT_THROW(AutoTokenizer::from_pretrained(folder_), DataLoss) << wrong;
  }
}

TEST_F(AutoTokenizerTest, OlderFoldersNameThePaddingTokenElsewhere) {
  write("tokenizer.json",
        R"({"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"x":1}}})");
  write("special_tokens_map.json", R"({"pad_token": "x"})");
  EXPECT_EQ(AutoTokenizer::from_pretrained(folder_).padding().id, 1);
  write("tokenizer_config.json", R"({"pad_token": "?"})");
  EXPECT_EQ(AutoTokenizer::from_pretrained(folder_).padding().id, 1);
  write("tokenizer_config.json", R"({"pad_token": "?", "added_tokens_decoder": {"0": "?"}})");
  EXPECT_EQ(AutoTokenizer::from_pretrained(folder_).padding().id, 0);
}

TEST_F(AutoTokenizerTest, PaddingNeedsAToken) {
  Tokenizer tokenizer = Tokenizer::from_json(
      R"({"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1,"<|endoftext|>":2}},)"
      R"("pre_tokenizer":{"type":"WhitespaceSplit"}})");
  EXPECT_EQ(numbers(tokenizer({"a a", "a b"}, {.padding = true}).input_ids),
            (std::vector<int32_t>{1, 1, 1, 0}));
  try {
    tokenizer({"a", "a a"}, {.padding = true});
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    for (const char* part : {"no padding token", "set_pad_token(\"<|endoftext|>\")", "_test.cc"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_THROW(tokenizer.set_pad_token("<pad>"), NotFound);
  tokenizer.set_pad_token("<|endoftext|>");
  EXPECT_EQ(numbers(tokenizer({"a", "a a"}).input_ids), (std::vector<int32_t>{1, 2, 1, 1}));
  EXPECT_EQ(tokenizer.encode("a").ids, std::vector<int32_t>{1});
}

TEST_F(AutoTokenizerTest, LengthsAreNumbersOfTokens) {
  write("vocab.txt", bert_vocabulary);
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  const TokenizeOptions wrong[] = {{.truncation = true, .max_length = -3},
                                   {.padding = "max_length", .max_length = 1'000'000'000'000},
                                   {.padding = true, .pad_to_multiple_of = -4},
                                   {.truncation = true, .max_length = 4, .stride = -1}};
  for (const TokenizeOptions& options : wrong) {
    try {
      tokenizer("hello", options);
      FAIL();
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("from 0 to"), std::string::npos) << error.what();
    }
  }
}

TEST_F(AutoTokenizerTest, OneTextIsABatchOfOne) {
  write("vocab.txt", bert_vocabulary);
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  const BatchEncoding one = tokenizer("hello world", {.padding = true, .pad_to_multiple_of = 6});
  EXPECT_EQ(one.input_ids, Literal::of<int32_t>({{2, 5, 6, 3, 0, 0}}));
  EXPECT_EQ(one["attention_mask"], Literal::of<int32_t>({{1, 1, 1, 1, 0, 0}}));
  try {
    one[{"pixel_values", SourceLocation{"user.cc", 12}}];
    FAIL();
  } catch (const NotFound& error) {
    for (const char* part : {"no 'pixel_values'", "input_ids, token_type_ids", "user.cc:12"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  EXPECT_EQ(one.arrays().names(),
            (std::vector<std::string>{"input_ids", "token_type_ids", "attention_mask"}));
  const BatchEncoding two = tokenizer({"hello world", "world"});
  EXPECT_EQ(two.input_ids, Literal::of<int32_t>({{2, 5, 6, 3}, {2, 6, 3, 0}}));
  EXPECT_EQ(tokenizer.decode_batch(two.input_ids),
            (std::vector<std::string>{"hello world", "world"}));
  EXPECT_EQ(tokenizer.decode_batch(two.input_ids, false)[1], "[CLS] world [SEP] [PAD]");
  EXPECT_EQ(tokenizer.decode_batch(Literal::of<int64_t>({{-100, 5, int64_t{1} << 40}}))[0],
            "hello");
  EXPECT_THROW(tokenizer.decode_batch(Literal::of<float>({{1}})), InvalidArgument);
  EXPECT_THROW(tokenizer.decode_batch(Literal::of<int32_t>({1})), InvalidArgument);
  EXPECT_EQ(tokenizer(std::vector<std::string>{}).input_ids.shape(), (Shape{0, 0}));
  EXPECT_EQ(tokenizer("").input_ids, Literal::of<int32_t>({{2, 3}}));
}

TEST_F(AutoTokenizerTest, WhatIsSavedKeepsTheConfiguration) {
  write("vocab.txt", bert_vocabulary);
  write("tokenizer_config.json",
        R"({"tokenizer_class": "BertTokenizer", "do_lower_case": true, "model_max_length": 7})");
  AutoTokenizer::from_pretrained(folder_).save_pretrained(folder_ + "/saved");
  const std::string config = io::read_file(folder_ + "/saved/tokenizer_config.json");
  for (const char* part : {R"("tokenizer_class": "BertTokenizer")", R"("do_lower_case": true)",
                           R"("model_max_length": 7)", R"("mask_token": "[MASK]")",
                           R"("pad_token": "[PAD]")", R"("padding_side": "right")"})
    EXPECT_NE(config.find(part), std::string::npos) << part << config;
  const Tokenizer again = AutoTokenizer::from_pretrained(folder_ + "/saved");
  EXPECT_EQ(again.model_max_length(), 7);
  EXPECT_EQ(again.encode("Hello worlds!").ids, (std::vector<int32_t>{2, 5, 6, 7, 8, 3}));
}

// transformers fills it in; another tokenizer's goes with that.
TEST_F(AutoTokenizerTest, WhatIsSavedKeepsTheChatTemplate) {
  write("vocab.txt", bert_vocabulary);
  const std::string saved = folder_ + "/saved", file = saved + "/chat_template.jinja";
  const Tokenizer without = AutoTokenizer::from_pretrained(folder_);
  write("chat_template.jinja", "{{ messages }}");
  AutoTokenizer::from_pretrained(folder_).save_pretrained(saved);
  EXPECT_EQ(io::read_file(file), "{{ messages }}");
  AutoTokenizer::from_pretrained(saved).save_pretrained(saved);
  EXPECT_EQ(io::read_file(file), "{{ messages }}");
  without.save_pretrained(saved);
  EXPECT_FALSE(io::exists(file));
}

TEST_F(AutoTokenizerTest, PairsHaveTypes) {
  write("vocab.txt", bert_vocabulary);
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  const std::vector<std::string> texts = {"hello"}, pairs = {"world"};
  const BatchEncoding batch = tokenizer(texts, pairs);
  EXPECT_EQ(batch.token_type_ids.at<int32_t>({0, 2}), 0);
  EXPECT_EQ(batch.token_type_ids.at<int32_t>({0, 3}), 1);
  const std::vector<std::string> two = {"a", "b"};
  EXPECT_THROW(tokenizer(two, pairs), InvalidArgument);
}

TEST_F(AutoTokenizerTest, VocabJsonAndMergesAreByteLevel) {
  std::string vocabulary = "{";
  for (char c = 'a'; c <= 'z'; ++c) {
    vocabulary += std::string("\"") + c + "\":" + std::to_string(c - 'a') + ",";
  }
  write("vocab.json", vocabulary + R"("Ġ":26,"Ġa":27,"he":28})");
  write("merges.txt", "#version: 0.2\nĠ a\nh e\n");
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
  const Encoding encoding = tokenizer.encode("he a");
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{28, 27}));
  EXPECT_EQ(tokenizer.decode(encoding.ids), "he a");
}

std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

// A model of SentencePiece by hand: piece 0 is <unk>, scores are 0 but for one.
TEST_F(AutoTokenizerTest, SentencePieceModels) {
  const auto piece = [](const std::string& text, char type, const std::string& score) {
    return field(1, field(1, text) + "\x15" + score + "\x18" + type);
  };
  const std::string zero(4, '\0'), low("\0\0\x80\xBF", 4);
  const std::string pieces = piece("<unk>", 2, zero) + piece("\u2581", 1, low) +
                             piece("a", 1, low) + piece("b", 1, low) + piece("\u2581a", 1, zero) +
                             piece("</s>", 3, zero);
  const struct {
    char type;
    std::vector<int32_t> ids;
  } cases[] = {{1, {4, 3, 1, 0, 5}}, {2, {4, 3, 1, 0, 5}}};
  for (const auto& [type, ids] : cases) {
    const std::string trainer = std::string("\x18") + type;
    write("spiece.model", pieces + field(2, trainer));
    const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder_);
    EXPECT_EQ(tokenizer.encode("ab x</s>").ids, ids) << int{type};
  }
  for (size_t size = 0; size < pieces.size(); ++size) {  // cut anywhere: an error, or fewer pieces
    write("spiece.model", pieces.substr(0, size));
    try {
      AutoTokenizer::from_pretrained(folder_).encode("ab");
    } catch (const Error&) {
    }
  }
}

TEST_F(AutoTokenizerTest, AnEmptyFolderIsNotFound) {
  EXPECT_THROW(AutoTokenizer::from_pretrained(folder_), NotFound);
}

}  // namespace
}  // namespace systolic
