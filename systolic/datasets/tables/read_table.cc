#include "systolic/datasets/tables/read_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/base/log.h"
#include "systolic/datasets/tables/exact_integer.h"
#include "systolic/datasets/tables/read_json.h"
#include "systolic/datasets/tables/text_encoding.h"
#include "systolic/io/files/byte_source.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

constexpr size_t most_bytes = size_t{1} << 34;

using Fields = std::vector<std::string>;

// Splits a text into records, and these into fields.
class FieldReader {
 public:
  FieldReader(const std::string& path, std::string_view text, char delimiter, bool quotes)
      : path_(path), text_(text), delimiter_(delimiter), quotes_(quotes) {}

  // The fields of the next line that is not empty; false at the end.
  bool next(Fields& fields) {
    while (is_line_end(at_)) skip();
    if (at_ >= text_.size()) return false;
    record_line_ = line_;
    fields.assign(1, "");
    for (;;) {
      if (quotes_ && at_ < text_.size() && text_[at_] == '"') {
        read_quoted(fields.back());
      } else {
        const size_t end = end_of_field();
        fields.back() += text_.substr(at_, end - at_);
        at_ = end;
      }
      if (is_line_end(at_) && text_[at_] != line_end_) ++at_;
      if (at_ >= text_.size() || is_line_end(at_)) break;
      if (text_[at_] != delimiter_) damaged("text after a closing quote");
      ++at_;
      fields.emplace_back();
    }
    skip();
    return true;
  }
  int64_t line() const { return record_line_; }

  [[noreturn]] void damaged(const std::string& what, const std::string& wanted = "") const {
    raise<DataLoss>(
        {.what = str("'", path_, "', line ", record_line_, ": ", what), .wanted = wanted});
  }

 private:
  // Outside of quotes.
  bool has_line_feed() const {
    bool quoted = false;
    for (const char character : text_) {
      if (character == '\n' && !quoted) return true;
      if (character == '"' && quotes_) quoted = !quoted;
    }
    return false;
  }
  // A line feed, or a carriage return before one or before the end of the text; any other carriage
  // return is part of a field, except in a file of an old Macintosh, which has no line feed.
  bool is_line_end(size_t at) const {
    if (at >= text_.size() || text_[at] != '\r') return at < text_.size() && text_[at] == '\n';
    return line_end_ == '\r' || at + 1 == text_.size() || text_[at + 1] == '\n';
  }
  size_t end_of_field() const {
    for (size_t end = at_;; ++end) {
      end = std::min(text_.find_first_of(stops_, end), text_.size());
      if (end == text_.size() || text_[end] != '\r' || is_line_end(end)) return end;
    }
  }
  void skip() {
    if (at_ < text_.size() && text_[at_] == line_end_) ++line_;
    ++at_;
  }
  void read_quoted(std::string& field) {
    ++at_;
    for (;;) {
      const size_t close = text_.find('"', at_);
      if (close == std::string_view::npos) damaged("a quote that is never closed");
      field += text_.substr(at_, close - at_);
      line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                          text_.begin() + static_cast<std::ptrdiff_t>(close), line_end_);
      at_ = close + 1;
      if (at_ >= text_.size() || text_[at_] != '"') return;
      field += '"';
      ++at_;
    }
  }

  const std::string& path_;
  std::string_view text_;
  const char delimiter_;
  const bool quotes_;
  const std::string stops_{delimiter_, '\r', '\n'};
  const char line_end_ = has_line_feed() ? '\n' : '\r';
  size_t at_ = 0;
  int64_t line_ = 1, record_line_ = 1;
};

// Whether the first line is a header: it has a name that the columns are known by.
bool is_header(const Fields& first, const ColumnNames& known) {
  if (known.empty()) return true;
  for (const std::string& field : first) {
    for (const auto& names : known) {
      const bool named = std::find(names.begin(), names.end(), field) != names.end();
      if ((!field.empty() && named) || field == "index") return true;
    }
  }
  return false;
}

Fields names_without_header(const Fields& first, const ColumnNames& known,
                            const FieldReader& reader) {
  for (const auto& names : known) {
    if (names.size() == first.size()) return names;
  }
  std::vector<std::string> wanted;
  for (const auto& names : known) wanted.push_back(str(names.size(), ": ", join(names)));
  reader.damaged(str(first.size(), " columns and no line of names"), join(wanted, ", or "));
}

void check_names(const Fields& names, const FieldReader& reader) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!name.empty() && !seen.insert(name).second)
      reader.damaged(str("two columns are named '", name, "'"),
                     "a line with a name for each column");
  }
  if (seen.empty()) reader.damaged("no column has a name", "a line with a name for each column");
}

// Columns with another delimiter are one here.
void warn_of_one_column(const Fields& names, const std::string& path) {
  if (names.size() > 1) return;
  const size_t at = names.front().find_first_of(";\t|,");
  if (at == std::string::npos) return;
  log_warning(str("'", path, "' has one column, '", excerpt(names.front(), 80),
                  "': a .csv is divided by commas, a .tsv by tabs."));
}

// A file without a header loses its first row to it.
void warn_of_numbers(const Fields& names, const std::string& path) {
  for (const std::string& name : names) {
    double number = 0;
    if (!parse_number(name, number)) continue;
    const char* hint = R"(load_dataset's {.column_names = {"text", "label"}} names the columns)";
    log_warning(str("'", path, "': the first line, which names the columns, holds the number ",
                    name, ". Hint: ", hint, " of a file that does not"));
    return;
  }
}

Literal texts_of(const Fields& fields) {
  const std::vector<std::string_view> views(fields.begin(), fields.end());
  return Literal::strings(views, Shape{static_cast<int64_t>(fields.size())});
}

Literal column_of(const Fields& fields) {
  const Shape shape{static_cast<int64_t>(fields.size())};
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  bool gaps = false, fractions = false, exact = true;
  for (const std::string& field : fields) {
    int64_t integer = 0;
    double number = std::numeric_limits<double>::quiet_NaN();
    if (field.empty()) {
      gaps = true;
    } else if (parse_number(field, integer)) {
      exact = exact && is_exact_in_double(integer);
      number = static_cast<double>(integer);
    } else if (field.find_first_not_of("+-0123456789") == std::string::npos) {
      return texts_of(fields);  // a whole number that no i64 holds: an identifier, f64 would round
    } else if (parse_number(field, number) && std::isfinite(number)) {
      fractions = true;
    } else {
      return texts_of(fields);
    }
    integers.push_back(integer);
    numbers.push_back(number);
  }
  if (!gaps && !fractions) return Literal::from(integers, shape);
  const bool empty = gaps && std::all_of(fields.begin(), fields.end(),
                                         [](const std::string& field) { return field.empty(); });
  // Integers that would be rounded because of an empty field stay as they are written.
  if (empty || (!fractions && !exact)) return texts_of(fields);
  return Literal::from(numbers, shape);
}

std::vector<std::pair<std::string, Column>> columns_of(FieldReader& reader, const std::string& path,
                                                       const ColumnNames& without_header) {
  Fields fields;
  if (!reader.next(fields)) reader.damaged("the file is empty", "a line of names");
  const bool header = is_header(fields, without_header);
  const Fields names = header ? fields : names_without_header(fields, without_header, reader);
  check_names(names, reader);
  warn_of_one_column(names, path);
  if (header && without_header.empty()) warn_of_numbers(names, path);
  std::vector<std::vector<std::string>> columns(names.size());
  bool more = !header || reader.next(fields);
  while (more) {
    if (fields.size() != names.size())
      reader.damaged(str(fields.size(), " fields"), str(names.size(), ": ", join(names)));
    for (size_t c = 0; c < names.size(); ++c) columns[c].push_back(std::move(fields[c]));
    more = reader.next(fields);
  }
  std::vector<std::pair<std::string, Column>> result;
  for (size_t c = 0; c < names.size(); ++c) {
    if (!names[c].empty()) result.emplace_back(names[c], Column(column_of(columns[c])));
  }
  return result;
}

}  // namespace

bool is_table_file(std::string_view path) {
  for (const char* end : {".tsv", ".csv", ".jsonl", ".ndjson", ".json"}) {
    if (path.ends_with(end)) return true;
  }
  return false;
}

std::vector<std::pair<std::string, Column>> read_fields(const std::string& path,
                                                        std::string_view text, bool tabs,
                                                        const ColumnNames& without_header) {
  FieldReader reader(path, text, tabs ? '\t' : ',', !tabs);
  return columns_of(reader, path, without_header);
}

std::vector<std::pair<std::string, Column>> read_table_file(const std::string& path,
                                                            const ColumnNames& without_header,
                                                            SourceLocation location,
                                                            const std::string& json_field) {
  const std::string bytes = io::read_possibly_gzipped(path, most_bytes, location);
  const std::string_view text = utf8_text(path, bytes, location);
  const bool tabs = path.ends_with(".tsv");
  if (tabs || path.ends_with(".csv")) return read_fields(path, text, tabs, without_header);
  return read_json(path, text, json_field);
}

}  // namespace datasets
}  // namespace systolic::inline v0
