// Tokenizers of folders, in each form that AutoTokenizer knows.
#include "systolic/text/auto_tokenizer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/io/file.h"

namespace systolic {
namespace {

class AutoTokenizerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "auto_tokenizer";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    io::write_file(folder_ + "/" + name, text);
  }
  std::string folder_;
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
