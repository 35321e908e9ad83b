#include "tools/systolic/fine_tune/squad_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/text/characters.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

using Json = nlohmann::json;

class SquadFile {
 public:
  explicit SquadFile(const std::string& path) : path_(path), text_(io::read_file(path)) {}

  std::vector<QaExample> read() {
    const Json root = Json::parse(text_, nullptr, false);
    if (root.is_discarded()) return read_lines();
    const Json& rows = root.is_object() && root.contains("data") ? root["data"] : root;
    if (rows.is_array()) {
      for (const Json& row : rows)
        row.is_object() && row.contains("paragraphs") ? read_article(row) : add(row, row);
    } else {
      add(rows, rows);
    }
    return finish();
  }

 private:
  std::vector<QaExample> read_lines() {
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = std::string_view(text_).substr(begin, end - begin);
      at_ = begin;
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
        const Json row = parsed(line, begin);
        add(row, row);
      }
      begin = end + 1;
    }
    return finish();
  }

  Json parsed(std::string_view line, size_t begin) {
    try {
      return Json::parse(line);
    } catch (const Json::parse_error& error) {
      at_ = begin + std::min(line.size(), error.byte == 0 ? 0 : error.byte - 1);
      damaged("not JSON", "SQuAD's file, or an object a line");
    }
  }

  std::vector<QaExample> finish() {
    at_ = 0;
    if (examples_.empty()) damaged("no questions", "\"qas\" in \"paragraphs\" of \"data\"");
    return std::move(examples_);
  }

  void read_article(const Json& article) {
    for (const Json& paragraph : list(article, "paragraphs")) {
      for (const Json& question : list(paragraph, "qas")) add(question, paragraph);
    }
  }

  void add(const Json& question, const Json& paragraph) {
    if (!question.is_object()) damaged("not a question", "an object with \"question\"");
    find_place(question);
    QaExample example{.id = text(question, "id"),
                      .question = text(question, "question"),
                      .context = text(paragraph, "context")};
    if (question.contains("answers")) add_answers(example, question["answers"]);
    examples_.push_back(std::move(example));
  }

  void add_answers(QaExample& example, const Json& answers) {
    if (answers.is_array()) {
      for (const Json& one : answers) add_answer(example, one, "text", "answer_start");
      return;
    }
    const Json &texts = list(answers, "text"), &starts = list(answers, "answer_start");
    if (texts.size() != starts.size())
      damaged("answers.text and answers.answer_start differ in length", "as many of each");
    for (size_t i = 0; i < texts.size(); ++i)
      add_answer(example, Json{{"text", texts[i]}, {"answer_start", starts[i]}}, "text",
                 "answer_start");
  }

  void add_answer(QaExample& example, const Json& one, const char* answer, const char* start) {
    if (!one.is_object() || !one.contains(start) || !one[start].is_number_integer())
      damaged("an answer without answer_start", "the character at which it begins");
    const std::string said = text(one, answer);
    const auto begin = one[start].get<int64_t>();
    const auto size = int64_t{character_of(said, said.size())};
    const auto most = int64_t{character_of(example.context, example.context.size())};
    if (begin < 0 || begin > most - size) {
      damaged(str("the answer \"", said, "\" begins at character ", begin),
              str("a place in its context of ", most, " characters"));
    }
    const auto from = static_cast<uint32_t>(begin);
    if (characters(example.context, {from, from + static_cast<uint32_t>(size)}) != said) {
      damaged(str("the answer \"", said, "\" does not stand at character ", begin),
              "answer_start, counted in characters from 0");
    }
    example.answers.push_back(said);
    example.answer_starts.push_back(begin);
  }

  const Json& list(const Json& object, const char* name) {
    if (!object.is_object() || !object.contains(name) || !object[name].is_array())
      damaged(str("no list \"", name, "\""), "SQuAD's file, version 1 or 2");
    return object[name];
  }
  std::string text(const Json& object, const char* name) {
    if (!object.is_object() || !object.contains(name) || !object[name].is_string())
      damaged(str("no text \"", name, "\""), "\"id\", \"question\" and \"context\" of a question");
    return object[name].get<std::string>();
  }

  // Errors name the place of the question's id: a parsed value does not know its own.
  void find_place(const Json& question) {
    if (!question.contains("id") || !question["id"].is_string()) return;
    const size_t found = text_.find(question["id"].dump(), at_);
    if (found != std::string::npos) at_ = found;
  }
  [[noreturn]] void damaged(const std::string& what, const std::string& wanted) const {
    const std::string_view before = std::string_view(text_).substr(0, at_);
    const size_t begin = before.rfind('\n') + 1;  // 0 in the first line
    raise<DataLoss>({.what = str("'", path_, "', line ", 1 + std::ranges::count(before, '\n'),
                                 ", column ", 1 + before.size() - begin, ": ", what),
                     .wanted = wanted});
  }

  const std::string& path_;
  std::string text_;
  size_t at_ = 0;
  std::vector<QaExample> examples_;
};

}  // namespace

std::vector<QaExample> read_squad_file(const std::string& path) { return SquadFile(path).read(); }

}  // namespace tool::fine_tune
