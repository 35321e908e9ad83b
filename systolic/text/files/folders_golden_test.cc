// What `transformers` makes of folders, against ours: of those without a tokenizer.json
// (tests/text/make_older_golden.py), and of tokenizer.json by the files beside it
// (tests/text/make_configured_golden.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/io/encoding/base64.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using Json = nlohmann::json;

class FoldersGoldenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"configured.json", "older_files.json"}) {
      std::ifstream file(test::source_path(str("tests/text/data/", name)));
      for (Json& one : Json::parse(file)) cases_.push_back(std::move(one));
    }
  }
  // The folder of a case, alone.
  Tokenizer read(const Json& one) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const auto& [name, bytes] : one.at("files").items())
      put_file(folder_ + "/" + name, io::from_base64(bytes.get<std::string>()).value());
    return AutoTokenizer::from_pretrained(folder_);
  }
  static Encoding encoded(const Tokenizer& tokenizer, const Json& text) {
    const auto given = text[0].get<std::vector<std::string>>();
    return given.size() == 1 ? tokenizer.encode(given[0])
                             : tokenizer.encode_pair(given[0], given[1]);
  }

  Json cases_ = Json::array();
  TemporaryFolder own_;
  std::string folder_ = own_ / "model";
};

TEST_F(FoldersGoldenTest, IdsTypesAndOffsetsAreThoseOfTransformers) {
  for (const Json& one : cases_) {
    const Tokenizer tokenizer = read(one);
    for (const Json& text : one.at("texts")) {
      const Encoding encoding = encoded(tokenizer, text);
      std::vector<uint32_t> offsets;
      for (const auto& [begin, end] : encoding.offsets) {
        offsets.push_back(begin);
        offsets.push_back(end);
      }
      const std::string what = one.at("name").get<std::string>() + ": " + text[0].dump();
      EXPECT_EQ(encoding.ids, text[1].get<std::vector<int32_t>>()) << what;
      EXPECT_EQ(encoding.type_ids, text[2].get<std::vector<int32_t>>()) << what;
      EXPECT_EQ(offsets, text[3].get<std::vector<uint32_t>>()) << what;
    }
  }
}

TEST_F(FoldersGoldenTest, PaddingIsThatOfTransformers) {
  for (const Json& one : cases_) {
    const Tokenizer tokenizer = read(one);
    const Json& padding = one.at("padding");
    if (padding[1].is_null()) continue;  // ours may know one by its usual name
    EXPECT_EQ(tokenizer.padding().left, padding[0] == "left") << one.at("name");
    EXPECT_EQ(tokenizer.padding().token, padding[1].get<std::string>()) << one.at("name");
    EXPECT_EQ(tokenizer.padding().id, padding[2].get<int32_t>()) << one.at("name");
  }
}

// A padded call: which arrays, and what is in them.
TEST_F(FoldersGoldenTest, BatchesAreThoseOfTransformers) {
  for (const Json& one : cases_) {
    if (!one.contains("batch")) continue;
    const Tokenizer tokenizer = read(one);
    EXPECT_EQ(tokenizer.vocab_size(), one.at("size").get<size_t>()) << one.at("name");
    const Json& batch = one.at("batch");
    const bool pads = !one.at("padding")[1].is_null();
    std::vector<std::string> texts = {"the"};
    if (pads) texts.push_back("the fox none");
    const Example arrays = tokenizer(texts, {.padding = pads});
    EXPECT_EQ(arrays.size(), batch.size()) << one.at("name");
    for (const auto& [name, rows] : batch.items()) {
      ASSERT_TRUE(arrays.contains(name)) << one.at("name") << name;
      for (size_t i = 0; i < texts.size(); ++i) {
        const Literal row = arrays[name].row(static_cast<int64_t>(i));
        const auto values = row.data<int32_t>();
        EXPECT_EQ(std::vector<int32_t>(values.begin(), values.end()),
                  rows[i].get<std::vector<int32_t>>())
            << one.at("name") << name;
      }
    }
  }
}

TEST_F(FoldersGoldenTest, SpecialTokensAreLeftOutOfDecodedTexts) {
  for (const Json& one : cases_) {
    const Tokenizer tokenizer = read(one);
    for (size_t i = 0; one.contains("plain") && i < one.at("plain").size(); ++i) {
      const auto ids = one.at("texts")[i][1].get<std::vector<int32_t>>();
      EXPECT_EQ(tokenizer.decode(ids), one.at("plain")[i].get<std::string>()) << one.at("name");
    }
  }
}

// What is saved does the same, and names the same special tokens.
TEST_F(FoldersGoldenTest, WhatIsSavedDoesTheSame) {
  for (const Json& one : cases_) {
    const Tokenizer first = read(one);
    first.save_pretrained(folder_ + "/saved");
    const Tokenizer second = AutoTokenizer::from_pretrained(folder_ + "/saved");
    EXPECT_EQ(first.model_input_names(), second.model_input_names()) << one.at("name");
    for (const Json& text : one.at("texts"))
      EXPECT_EQ(encoded(first, text).ids, encoded(second, text).ids) << one.at("name");
    const Json config = Json::parse(io::read_file(folder_ + "/saved/tokenizer_config.json"));
    for (const auto& [role, token] : one.at("roles").items()) {
      ASSERT_TRUE(config.contains(role)) << one.at("name") << role;
      const Json& saved = config.at(role);
      EXPECT_EQ(saved.is_object() ? saved.at("content") : saved, token) << one.at("name") << role;
    }
  }
}

// The files of each case, cut short: an error, or a tokenizer.
TEST_F(FoldersGoldenTest, DamagedFilesEndInErrors) {
  for (const Json& one : cases_) {
    for (const auto& [name, bytes] : one.at("files").items()) {
      const std::string whole = io::from_base64(bytes.get<std::string>()).value();
      for (size_t part = 0; part < 4; ++part) {
        Json damaged = one;
        damaged["files"][name] = io::base64(whole.substr(0, whole.size() * part / 4));
        try {
          read(damaged).encode("The quick fox");
        } catch (const Error&) {
        }
      }
    }
  }
}

TEST_F(FoldersGoldenTest, WrongConfigurationsAreNamed) {
  const Json bert = cases_.back();
  const struct {
    const char *file, *content, *part;
  } table[] = {
      {"tokenizer_config.json", R"({"cls_token": 3})", "cls_token"},
      {"tokenizer_config.json", R"({"cls_token": ""})", "''"},
      {"tokenizer_config.json", R"({"added_tokens_decoder": {"x": "[A]"}})",
       "under the token's id"},
      {"tokenizer_config.json", R"({"added_tokens_decoder": []})", "added_tokens_decoder"},
      {"tokenizer_config.json", R"({"extra_special_tokens": 1})", "extra_special_tokens"},
      {"tokenizer_config.json", R"({"tokenizer_class": 1})", "tokenizer_class"},
      {"tokenizer_config.json", R"({"model_input_names": ["input_ids", 1]})", "model_input_names"},
      {"special_tokens_map.json", R"({"extra_special_tokens": [{}]})", "content"},
      {"special_tokens_map.json", R"({"mask_token": []})", "mask_token"},
      {"added_tokens.json", R"({"[A]": "1"})", "[A]"},
      {"added_tokens.json", "[]", "an object"},
      {"config.json", "[]", "an object"},
      {"config.json", R"({"model_type": 5})", "model_type"},
  };
  for (const auto& row : table) {
    Json wrong = bert;
    wrong["files"][row.file] = io::base64(row.content);
    try {
      read(wrong);
      FAIL() << row.content;
    } catch (const DataLoss& error) {
      EXPECT_NE(std::string(error.what()).find(row.part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace systolic
