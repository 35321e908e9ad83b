// ROUGE and BLEU against rouge_score and sacrebleu: golden/make_scores.py.
#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/text/scores/bleu.h"
#include "systolic/text/scores/rouge.h"
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
  const auto rows = golden_rows("rouge.tsv");
  ASSERT_EQ(rows.size(), 68);
  for (const auto& row : rows) {
    const RougeScores scores = rouge(row.at(0), row.at(1));
    size_t at = 2;
    for (const RougeScore& one : {scores.rouge1, scores.rouge2, scores.rougeL, scores.rougeLsum}) {
      for (const double got : {one.precision, one.recall, one.fmeasure}) {
        EXPECT_NEAR(got, std::stod(row.at(at)), rounding) << row[0] << " / " << row[1] << at;
        ++at;
      }
    }
  }
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

}  // namespace
}  // namespace systolic
