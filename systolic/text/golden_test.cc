// What the `tokenizers` package makes of texts (tests/text/make_golden.py), against ours.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "systolic/text/tokenizer.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using Json = nlohmann::json;

Json golden_cases() {
  std::ifstream file(test::source_path("tests/text/data/tokenizers.json"));
  return Json::parse(file);
}

TEST(TokenizersGolden, SameIdsOffsetsAndDecodedTexts) {
  size_t texts = 0;
  for (const Json& one : golden_cases()) {
    const std::string name = one.at("name");
    const Tokenizer tokenizer = Tokenizer::from_json(one.at("tokenizer").dump(), name);
    for (const Json& text : one.at("texts")) {
      const Encoding encoding = tokenizer.encode(text[0].get<std::string>());
      std::vector<uint32_t> offsets;
      for (const auto& [begin, end] : encoding.offsets) {
        offsets.push_back(begin);
        offsets.push_back(end);
      }
      EXPECT_EQ(encoding.ids, text[1].get<std::vector<int32_t>>()) << name << ": " << text[0];
      EXPECT_EQ(offsets, text[2].get<std::vector<uint32_t>>()) << name << ": " << text[0];
      EXPECT_EQ(tokenizer.decode(encoding.ids), text[3].get<std::string>()) << name;
      ++texts;
    }
  }
  EXPECT_GT(texts, 200u);
}

// What is saved reads back to the same.
TEST(TokenizersGolden, SavedTokenizersDoTheSame) {
  for (const Json& one : golden_cases()) {
    const Tokenizer first = Tokenizer::from_json(one.at("tokenizer").dump());
    const Tokenizer second = Tokenizer::from_json(first.to_json());
    for (const Json& text : one.at("texts")) {
      const std::string given = text[0];
      EXPECT_EQ(first.encode(given).ids, second.encode(given).ids) << one.at("name");
    }
    EXPECT_EQ(first.to_json(), second.to_json());
  }
}

}  // namespace
}  // namespace systolic
