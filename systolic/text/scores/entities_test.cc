// Entities against seqeval: golden/make_entities.py.
#include "systolic/text/scores/entities.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using Json = nlohmann::json;

EntityOptions options_of(const Json& scheme) {
  static const std::map<std::string, EntityScheme> schemes{
      {"IOB1", EntityScheme("IOB1")},   {"IOB2", EntityScheme("IOB2")},
      {"IOE1", EntityScheme("IOE1")},   {"IOE2", EntityScheme("IOE2")},
      {"IOBES", EntityScheme("IOBES")}, {"BILOU", EntityScheme("BILOU")}};
  if (scheme.is_null()) return {};
  return {.strict = true, .scheme = schemes.at(scheme.get<std::string>())};
}

void expect_score(const EntityScore& got, const Json& wanted, const std::string& what) {
  EXPECT_NEAR(got.precision, wanted[0].get<double>(), 1e-12) << what;
  EXPECT_NEAR(got.recall, wanted[1].get<double>(), 1e-12) << what;
  EXPECT_NEAR(got.f1, wanted[2].get<double>(), 1e-12) << what;
  EXPECT_EQ(got.number, wanted[3].get<int64_t>()) << what;
}

TEST(EntitiesTest, AreThoseOfSeqeval) {
  const Json cases =
      Json::parse(io::read_file(test::source_path("systolic/text/scores/golden/entities.json")));
  ASSERT_EQ(cases.size(), 70);
  for (const Json& one : cases) {
    const std::string what = one.dump();
    const EntityOptions options = options_of(one["scheme"]);
    Json spans = Json::array();
    for (const EntitySpan& span : entity_spans(one["predictions"][0], options))
      spans.push_back({span.type, span.begin, span.end});
    EXPECT_EQ(spans, one["spans"]) << what;
    const EntityScores scores = entity_scores(one["predictions"], one["references"], options);
    EXPECT_EQ(scores.types.size(), one["types"].size()) << what;
    for (const auto& [type, score] : scores.types)
      expect_score(score, one["types"].at(type), type + what);
    expect_score(scores.overall, one["overall"], what);
    expect_score(scores.macro_average, one["macro"], what);
    expect_score(scores.weighted_average, one["weighted"], what);
    EXPECT_NEAR(scores.accuracy, one["accuracy"].get<double>(), 1e-12) << what;
  }
}

TEST(EntitiesTest, WhatCannotBeIsNamed) {
  EXPECT_EQ(entity_spans({"X-PER", "O"}), (std::vector<EntitySpan>{{"PER", 0, 1}}));
  EXPECT_TRUE(entity_spans({}).empty());
  EXPECT_THROW(entity_spans({"X-PER"}, {.strict = true}), InvalidArgument);
  EXPECT_THROW(entity_spans({"S-PER"}, {.strict = true, .scheme = "IOB2"}), InvalidArgument);
  EXPECT_THROW(entity_spans({""}), InvalidArgument);
  EXPECT_THROW(entity_scores({}, {}), InvalidArgument);
  EXPECT_THROW(entity_scores({{"O"}}, {{"O"}, {"O"}}), InvalidArgument);
  EXPECT_THROW(entity_scores({{"O"}}, {{"O", "O"}}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
