// Scores against those of Python's packages: golden/make_scores.py.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/text/scores/bleu.h"
#include "systolic/text/scores/glue.h"
#include "systolic/text/scores/porter_stemmer.h"
#include "systolic/text/scores/rouge.h"
#include "systolic/text/scores/squad.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

constexpr double rounding = 1e-12;

std::vector<std::string> split_by(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Lines of the recipe's table, each split at its tabs, with newlines as such.
std::vector<std::vector<std::string>> golden_rows(const std::string& name) {
  std::vector<std::vector<std::string>> rows;
  const std::string file = io::read_file(test::source_path("systolic/text/scores/golden/" + name));
  for (const std::string& line : split_by(file, '\n')) {
    if (line.empty()) continue;
    rows.push_back(split_by(line, '\t'));
    for (std::string& field : rows.back()) {
      for (size_t at = field.find("\\n"); at != std::string::npos; at = field.find("\\n", at))
        field.replace(at, 2, "\n");
    }
  }
  return rows;
}

TEST(RougeTest, IsThatOfRougeScore) {
  for (const bool use_stemmer : {false, true}) {
    const auto rows = golden_rows(use_stemmer ? "rouge_stemmed.tsv" : "rouge.tsv");
    ASSERT_EQ(rows.size(), use_stemmer ? 20 : 68);
    for (const auto& row : rows) {
      const RougeScores scores =
          rouge(row.at(0), row.at(1), RougeOptions{.use_stemmer = use_stemmer});
      size_t at = 2;
      for (const RougeScore& one :
           {scores.rouge1, scores.rouge2, scores.rougeL, scores.rougeLsum}) {
        for (const double got : {one.precision, one.recall, one.fmeasure}) {
          EXPECT_NEAR(got, std::stod(row.at(at)), rounding) << row[0] << " / " << row[1] << at;
          ++at;
        }
      }
    }
  }
}

TEST(RougeTest, StemsAreThoseOfNltk) {
  const auto rows = golden_rows("stems.tsv");
  ASSERT_EQ(rows.size(), 1511);
  for (const auto& row : rows) EXPECT_EQ(text::porter_stem(row[0]), row[1]) << row[0];
}

TEST(RougeTest, OfSeveralTextsIsTheMean) {
  const std::vector<std::string> predictions{"a boat", "b"}, references{"a boat", "c"};
  const RougeScores scores = rouge(predictions, references);
  EXPECT_EQ(scores.rouge1.fmeasure, 0.5);
  EXPECT_EQ(scores.rougeLsum.recall, 0.5);
  EXPECT_THROW(rouge(predictions, std::span(references).first(1)), InvalidArgument);
}

TEST(RougeTest, TextsThatAreTooLongAreNamed) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "a ";
  const std::string message = message_of<InvalidArgument>([&] { rouge(text, text); });
  EXPECT_NE(message.find("20000 and 20000 tokens"), std::string::npos) << message;
}

TEST(BleuTest, IsThatOfSacrebleu) {
  const auto rows = golden_rows("bleu.tsv");
  ASSERT_EQ(rows.size(), 60);
  for (const auto& row : rows) {
    const std::vector<std::string> given = split_by(row.at(2), '|'), first = split_by(row[3], '|'),
                                   second = split_by(row[4], '|');
    std::vector<std::vector<std::string>> references;
    for (size_t i = 0; i < given.size(); ++i) {
      references.push_back({first.at(i)});
      if (!row[4].empty()) references.back().push_back(second.at(i));
    }
    const BleuScore score =
        bleu(given, references, {.lowercase = row[0] == "1", .effective_order = row[1] == "1"});
    EXPECT_NEAR(score.score, std::stod(row[5]), 1e-9) << row[2];
    for (size_t n = 0; n < 4; ++n)
      EXPECT_NEAR(score.precisions[n], std::stod(row[6 + n]), 1e-9) << row[2];
    EXPECT_NEAR(score.brevity_penalty, std::stod(row[10]), rounding) << row[2];
    EXPECT_EQ(score.length, std::stol(row[11])) << row[2];
    EXPECT_EQ(score.reference_length, std::stol(row[12])) << row[2];
  }
}

TEST(BleuTest, WhatCannotBeIsNamed) {
  EXPECT_THROW(bleu({}, {}), InvalidArgument);
  EXPECT_THROW(bleu({"a"}, {{}}), InvalidArgument);
  EXPECT_THROW(bleu({"a"}, {{"a"}, {"b"}}), InvalidArgument);
}

TEST(BleuTest, TokensStandApart) {
  EXPECT_EQ(tokens_13a("It's 3.5 km-long, no?"),
            (std::vector<std::string>{"It's", "3.5", "km-long", ",", "no", "?"}));
}

std::vector<double> numbers_of(const std::string& list) {
  std::vector<double> numbers;
  for (const std::string& one : split_by(list, '|')) numbers.push_back(std::stod(one));
  return numbers;
}

TEST(GlueScoresTest, AreThoseOfScikitLearnAndSciPy) {
  const auto rows = golden_rows("glue.tsv");
  ASSERT_EQ(rows.size(), 40);
  for (const auto& row : rows) {
    const NamedScores scores = glue_scores(row[0], numbers_of(row[1]), numbers_of(row[2]));
    ASSERT_EQ(scores.size() + 3, row.size()) << row[0];
    for (size_t i = 0; i < scores.size(); ++i)
      EXPECT_NEAR(scores[i].second, std::stod(row[3 + i]), rounding) << row[0] << row[1];
  }
}

TEST(GlueScoresTest, EachTaskHasItsOwn) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> names{
      {"cola", {"matthews_correlation"}},
      {"sst2", {"accuracy"}},
      {"mrpc", {"accuracy", "f1"}},
      {"qqp", {"accuracy", "f1"}},
      {"stsb", {"pearson", "spearmanr"}},
      {"mnli", {"accuracy"}},
      {"qnli", {"accuracy"}},
      {"rte", {"accuracy"}},
      {"wnli", {"accuracy"}}};
  for (const auto& [task, wanted] : names) {
    std::vector<std::string> got;
    for (const auto& [name, value] : glue_scores(task, {0, 1}, {0, 1})) {
      got.push_back(name);
      EXPECT_EQ(value, 1) << task;
    }
    EXPECT_EQ(got, wanted) << task;
  }
  EXPECT_TRUE(std::isnan(glue_scores("stsb", {1, 1}, {0, 1})[0].second));
  EXPECT_THROW(glue_scores("hans", {1}, {1}), InvalidArgument);
  EXPECT_THROW(glue_scores("cola", {}, {}), InvalidArgument);
  EXPECT_THROW(glue_scores("cola", {1}, {1, 0}), InvalidArgument);
}

nlohmann::json golden_json(const std::string& name) {
  return nlohmann::json::parse(
      io::read_file(test::source_path("systolic/text/scores/golden/" + name)));
}

void expect_scores(const NamedScores& got, const nlohmann::json& wanted, const std::string& what) {
  EXPECT_EQ(got.size(), wanted.size()) << what;
  for (const auto& [name, value] : got)
    EXPECT_NEAR(value, wanted.at(name).get<double>(), 1e-9) << what << name;
}

TEST(SquadScoresTest, AreThoseOfTheOfficialPrograms) {
  const nlohmann::json cases = golden_json("squad.json");
  ASSERT_EQ(cases.size(), 24);
  for (const auto& one : cases) {
    std::vector<SquadPrediction> predictions;
    for (const auto& given : one["predictions"])
      predictions.push_back({.id = given[0], .text = given[1], .no_answer_probability = given[2]});
    std::vector<SquadReference> references;
    for (const auto& given : one["references"])
      references.push_back({.id = given[0], .answers = given[1]});
    if (one.contains("v1"))
      expect_scores(squad_scores(predictions, references), one["v1"], one.dump());
    else
      expect_scores(squad_v2_scores(predictions, references, one["threshold"]), one["v2"],
                    one.dump());
  }
}

TEST(SquadScoresTest, OfOneAnswer) {
  EXPECT_EQ(squad_exact_match("The  Boat!", "boat"), 1);
  EXPECT_EQ(squad_exact_match("boats", "boat"), 0);
  EXPECT_NEAR(squad_f1("a big boat", "boat sails"), 0.5, rounding);
  EXPECT_THROW(squad_scores({}, {}), InvalidArgument);
  EXPECT_THROW(squad_scores({}, {{.id = "1"}}), InvalidArgument);
  EXPECT_THROW(squad_v2_scores({}, {{.id = "1"}}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
