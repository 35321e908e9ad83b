// CSV, as RFC 4180 has it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "tools/systolic/tfrecord/source.h"
#include "tools/systolic/tfrecord/text_file.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

// From `at` to the quote that closes, doubled ones made single.
std::string quoted_field(const TextFile& file, size_t& at) {
  const std::string_view text = file.text();
  const size_t open = at++;
  std::string field;
  for (;;) {
    const size_t close = text.find('"', at);
    if (close == std::string_view::npos) {
      file.damaged(open, "this quote is never closed", "\" at the end of the field");
    }
    field += text.substr(at, close - at);
    at = close + 1;
    if (at == text.size() || text[at] != '"') break;
    field += '"';
    ++at;
  }
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] != ',' && text[at] != '\n') {
    file.damaged(at, "text after the quote that closes a field", "a comma or the end of the line",
                 "inside a field in quotes, a quote is written twice");
  }
  return field;
}

std::string plain_field(const TextFile& file, size_t& at) {
  const std::string_view text = file.text();
  const size_t begin = at;
  at = std::min(text.find_first_of(",\n", at), text.size());
  std::string_view field = text.substr(begin, at - begin);
  if (!field.empty() && field.back() == '\r' && (at == text.size() || text[at] == '\n')) {
    field.remove_suffix(1);
  }
  const size_t quote = field.find('"');
  if (quote == std::string_view::npos) return std::string(field);
  file.damaged(begin + quote, "a quote in a field that does not begin with one", "quotes around it",
               "inside a field in quotes, a quote is written twice");
}

// `at` becomes the beginning of the next record.
std::vector<std::string> read_record(const TextFile& file, size_t& at) {
  const std::string_view text = file.text();
  std::vector<std::string> fields;
  for (;;) {
    const bool quoted = at < text.size() && text[at] == '"';
    fields.push_back(quoted ? quoted_field(file, at) : plain_field(file, at));
    if (at == text.size()) return fields;
    if (text[at++] == '\n') return fields;
  }
}

// Empty lines are none.
bool find_record(const TextFile& file, size_t& at) {
  while (at < file.text().size()) {
    size_t next = at;
    if (!file.line(next).empty()) return true;
    at = next;
  }
  return false;
}

Kind kind_of(const std::string& field) {
  int64_t integer = 0;
  double number = 0;
  if (parse_number(field, integer)) return Kind::integer;
  if (!parse_number(field, number)) return Kind::text;
  const bool fits = !std::isfinite(number) || std::abs(number) <= std::numeric_limits<float>::max();
  return fits ? Kind::number : Kind::text;
}

Literal value_of(const std::string& field, Kind kind) {
  int64_t integer = 0;
  double number = 0;
  if (kind == Kind::text) return Literal::scalar(std::string_view(field));
  if (kind == Kind::integer && parse_number(field, integer)) return Literal::scalar(integer);
  parse_number(field, number);
  return Literal::scalar(static_cast<float>(number));
}

std::vector<std::string> read_names(const TextFile& file, size_t& at) {
  if (!find_record(file, at)) {
    raise<InvalidArgument>(
        {.what = str("'", file.path(), "' is empty"), .wanted = "a line of names"});
  }
  const size_t begin = at;
  std::vector<std::string> names = read_record(file, at);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    file.damaged(begin, str("two columns have the name '", *twice, "'"), "a name for each column");
  }
  if (sorted.front().empty()) file.damaged(begin, "a column has no name", "a name for each column");
  return names;
}

}  // namespace

Source csv_source(const std::string& path) {
  const auto file = std::make_shared<const TextFile>(path);
  size_t at = 0;
  const std::vector<std::string> names = read_names(*file, at);
  std::vector<Kind> kinds(names.size(), Kind::integer);
  std::vector<size_t> begins;
  while (find_record(*file, at)) {
    begins.push_back(at);
    const std::vector<std::string> fields = read_record(*file, at);
    if (fields.size() != names.size()) {
      file->damaged(begins.back(), str(fields.size(), fields.size() == 1 ? " field" : " fields"),
                    str(names.size(), ": ", join(names)));
    }
    for (size_t j = 0; j < names.size(); ++j) kinds[j] = std::max(kinds[j], kind_of(fields[j]));
  }
  Source source;
  source.records = static_cast<int64_t>(begins.size());
  source.bytes = file->text().size();
  for (size_t j = 0; j < names.size(); ++j) source.features[names[j]] = feature_of(kinds[j], false);
  source.at = [file, names, kinds, begins = std::move(begins)](int64_t i) {
    size_t begin = begins[static_cast<size_t>(i)];
    const std::vector<std::string> fields = read_record(*file, begin);
    Example example;
    for (size_t j = 0; j < names.size(); ++j) example.set(names[j], value_of(fields[j], kinds[j]));
    return example;
  };
  return source;
}

}  // namespace tool::tfrecord
