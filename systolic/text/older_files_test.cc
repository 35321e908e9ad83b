// What `transformers` makes of folders without a tokenizer.json (tests/text/make_older_golden.py),
// against ours.
#include "systolic/text/older_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/io/base64.h"
#include "systolic/io/file.h"
#include "systolic/text/auto_tokenizer.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using Json = nlohmann::json;

class OlderFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(test::source_path("tests/text/data/older_files.json"));
    cases_ = Json::parse(file);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  // The folder of a case, alone.
  Tokenizer read(const Json& one) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const auto& [name, bytes] : one.at("files").items())
      io::write_file(folder_ + "/" + name, io::from_base64(bytes.get<std::string>()).value());
    return AutoTokenizer::from_pretrained(folder_);
  }
  static Encoding encoded(const Tokenizer& tokenizer, const Json& text) {
    const auto given = text[0].get<std::vector<std::string>>();
    return given.size() == 1 ? tokenizer.encode(given[0])
                             : tokenizer.encode_pair(given[0], given[1]);
  }

  Json cases_;
  std::string folder_ = ::testing::TempDir() + "older_files";
};

TEST_F(OlderFilesTest, IdsTypesAndOffsetsAreThoseOfTransformers) {
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

TEST_F(OlderFilesTest, PaddingIsThatOfTransformers) {
  for (const Json& one : cases_) {
    const Tokenizer tokenizer = read(one);
    const Json& padding = one.at("padding");
    if (padding[1].is_null()) {
      EXPECT_THROW(tokenizer.padding(), InvalidArgument) << one.at("name");
      continue;
    }
    EXPECT_EQ(tokenizer.padding().left, padding[0] == "left") << one.at("name");
    EXPECT_EQ(tokenizer.padding().token, padding[1].get<std::string>()) << one.at("name");
    EXPECT_EQ(tokenizer.padding().id, padding[2].get<int32_t>()) << one.at("name");
  }
}

// What is saved does the same, and names the same special tokens.
TEST_F(OlderFilesTest, WhatIsSavedDoesTheSame) {
  for (const Json& one : cases_) {
    const Tokenizer first = read(one);
    first.save_pretrained(folder_ + "/saved");
    const Tokenizer second = AutoTokenizer::from_pretrained(folder_ + "/saved");
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

// Of each case, its files cut short: an error, or a tokenizer.
TEST_F(OlderFilesTest, DamagedFilesEndInErrors) {
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

TEST_F(OlderFilesTest, WrongConfigurationsAreNamed) {
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
