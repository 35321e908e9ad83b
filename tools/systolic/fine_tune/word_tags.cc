#include "tools/systolic/fine_tune/word_tags.h"

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "tools/systolic/fine_tune/text_table.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

// Texts, or whole numbers as such.
std::vector<std::string> list_of(const TextTable& table, const std::string& column, int64_t row) {
  const Literal value = table.row(column, row);
  std::vector<std::string> list;
  const bool is_text = value.dtype() == DType::string;
  const bool is_empty = value.size() == 0;
  if (value.rank() != 1 || (!is_text && value.dtype() != DType::i64 && !is_empty))
    table.damaged(row, column, str("a value ", value.dtype(), value.shape()), "a list of texts");
  for (int64_t i = 0; i < value.size(); ++i)
    list.push_back(is_text ? std::string(value.string_at(i)) : str(value.integer_at(i)));
  return list;
}

std::vector<TaggedSentence> of_json(const std::string& path) {
  const TextTable table(path);
  const std::string words = table.require({"tokens", "words"});
  const std::string tags = table.find({"ner_tags", "tags", "labels", "pos_tags", "chunk_tags"});
  std::vector<TaggedSentence> sentences;
  for (int64_t row = 0; row < table.rows(); ++row) {
    sentences.push_back({list_of(table, words, row), {}});
    if (tags.empty()) continue;
    TaggedSentence& one = sentences.back();
    one.tags = list_of(table, tags, row);
    if (one.tags.size() != one.words.size()) {
      table.damaged(row, tags, str(one.tags.size(), " tags"),
                    str("one for each of the ", one.words.size(), " words of '", words, "'"));
    }
  }
  return sentences;
}

std::vector<TaggedSentence> of_conll(const std::string& path) {
  const std::string text = io::read_file(path);
  std::vector<TaggedSentence> sentences(1);
  int64_t line_number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1, ++line_number;
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line.starts_with("-DOCSTART-")) {
      if (!sentences.back().words.empty()) sentences.emplace_back();
      continue;
    }
    const size_t word_end = line.find_first_of(" \t", first);
    const size_t last = line.find_last_not_of(" \t\r");
    if (word_end == line.npos || word_end > last) {
      raise<DataLoss>({.what = str("'", path, "', line ", line_number, ", column ",
                                   std::min(line.size(), last + 1) + 1, ": a word without a tag"),
                       .wanted = "a word, a space and its tag"});
    }
    sentences.back().words.emplace_back(line.substr(first, word_end - first));
    const size_t tag = line.find_last_of(" \t", last) + 1;
    sentences.back().tags.emplace_back(line.substr(tag, last + 1 - tag));
  }
  if (sentences.back().words.empty()) sentences.pop_back();
  if (sentences.empty())
    raise<DataLoss>({.what = str("'", path, "', line 1: no words"), .wanted = "a word a line"});
  return sentences;
}

}  // namespace

std::vector<TaggedSentence> read_tagged_sentences(const std::string& path) {
  for (const char* ending : {".json", ".jsonl", ".ndjson"}) {
    if (path.ends_with(ending)) return of_json(path);
  }
  return of_conll(path);
}

}  // namespace tool::fine_tune
