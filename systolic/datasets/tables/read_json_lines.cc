#include "systolic/datasets/tables/read_json_lines.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/datasets/tables/exact_integer.h"
#include "systolic/datasets/tables/json_bounds.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Json = nlohmann::ordered_json;

enum class Kind { unknown, integer, number, text };

struct Values {
  std::string name;
  Kind kind = Kind::unknown;  // the widest of its values
  bool has_null = false;
  std::vector<Json> values = {};
};

class LineError {
 public:
  LineError(const std::string& path, int64_t line) : path_(path), line_(line) {}
  [[noreturn]] void damaged(const std::string& what, const std::string& wanted = "") const {
    raise<DataLoss>({.what = str("'", path_, "', line ", line_, ": ", what), .wanted = wanted});
  }

 private:
  const std::string& path_;
  int64_t line_;
};

Kind kind_of(const Json& value, const std::string& name, const LineError& error) {
  if (value.is_string()) return Kind::text;
  if (value.is_boolean() || value.is_number_integer()) {
    const bool large = value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX};
    if (large) error.damaged(str("'", name, "' is beyond int64"));
    return Kind::integer;
  }
  if (value.is_number()) return Kind::number;
  if (value.is_null()) return Kind::unknown;
  error.damaged(str("'", name, "' is a JSON ", value.type_name()),
                "numbers, texts, true, false, null, or lists of them");
}

void note(Values& column, const Json& value, const LineError& error) {
  const auto join = [&](const Json& item) {
    const Kind kind = kind_of(item, column.name, error);
    const bool known = kind != Kind::unknown && column.kind != Kind::unknown;
    if (known && (kind == Kind::text) != (column.kind == Kind::text))
      error.damaged(str("'", column.name, "' holds numbers and texts"), "one of them");
    column.kind = std::max(column.kind, kind);
    column.has_null = column.has_null || item.is_null();
  };
  if (!column.values.empty() && column.values.front().is_array() != value.is_array())
    error.damaged(str("'", column.name, "' is a list in some lines only"));
  if (value.is_array()) {
    for (const Json& item : value) join(item);
  } else {
    join(value);
  }
  column.values.push_back(value);
}

double number_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_null() ? std::nan("") : value.get<double>();
}

int64_t integer_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.get<int64_t>();
}

Literal row_of(const Json& value, Kind kind) {
  const Json items = value.is_array() ? value : Json::array({value});
  const Shape shape = value.is_array() ? Shape{static_cast<int64_t>(items.size())} : Shape{};
  if (kind == Kind::text) {
    std::vector<std::string> texts;
    for (const Json& item : items) texts.push_back(item.is_null() ? "" : item.get<std::string>());
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    return Literal::strings(views, shape);
  }
  if (kind == Kind::integer) {
    std::vector<int64_t> numbers;
    for (const Json& item : items) numbers.push_back(integer_of(item));
    return Literal::from(numbers, shape);
  }
  std::vector<double> numbers;
  for (const Json& item : items) numbers.push_back(number_of(item));
  return Literal::from(numbers, shape);
}

// For names that are made of others, each of which stands in a line once.
constexpr size_t most_name_bytes = 1024;

using Record = std::vector<std::pair<std::string, Json>>;

// {"answers": {"text": [...]}} has the member "answers.text".
void add_members(Json& object, const std::string& prefix, Record& record, const LineError& error) {
  for (auto& item : object.items()) {
    const std::string name = prefix + item.key();
    if (item.value().is_object() && !item.value().empty()) {
      add_members(item.value(), name + ".", record, error);
      continue;
    }
    if (record.size() == most_json_members)
      error.damaged(str("more than ", most_json_members, " names"));
    if (name.size() > most_name_bytes)
      error.damaged(str("a name of ", name.size(), " bytes"), str("at most ", most_name_bytes));
    record.emplace_back(name, std::move(item.value()));
  }
}

void add_record(Json line, std::vector<Values>& columns, bool first, const LineError& error) {
  if (!line.is_object())
    error.damaged(line.is_array() ? "a list of JSON" : "no JSON object", "an object in each line");
  Record record;
  add_members(line, "", record, error);
  if (first) {
    for (const auto& member : record) columns.push_back({.name = member.first});
  }
  auto next = record.begin();
  for (Values& column : columns) {
    // Usually all lines have one order.
    const bool in_order = next != record.end() && next->first == column.name;
    const auto found =
        in_order ? next : std::find_if(record.begin(), record.end(), [&](const auto& member) {
          return member.first == column.name;
        });
    if (in_order) ++next;
    if (found == record.end())
      error.damaged(str("there is no '", column.name, "'"), "it, as in the first line");
    note(column, found->second, error);
  }
  if (record.size() == columns.size()) return;
  const auto is_new = [&](const auto& member) {
    return std::ranges::find(columns, member.first, &Values::name) == columns.end();
  };
  const auto more = std::find_if(record.begin(), record.end(), is_new);
  error.damaged(more == record.end()
                    ? std::string("a name twice")
                    : str("the name '", excerpt(more->first, 100), "', which the first line lacks"),
                "the same names in all lines");
}

// No integer says "nothing", but a floating-point number does.
Kind kind_of_all(const Values& column, const LineError& error) {
  if (!column.has_null || column.kind != Kind::integer) return column.kind;
  const auto check = [&](const Json& value) {
    if (value.is_null() || is_exact_in_double(integer_of(value))) return;
    error.damaged(str("'", column.name, "' holds null and ", integer_of(value)),
                  "integers that double precision holds, where some are null");
  };
  for (const Json& value : column.values) {
    if (!value.is_array()) check(value);
    for (size_t i = 0; value.is_array() && i < value.size(); ++i) check(value[i]);
  }
  return Kind::number;
}

// What is wrong with a line, in the parser's words without its own line number.
Json parsed(std::string_view line, const LineError& error) {
  try {
    return Json::parse(line);
  } catch (const Json::exception& fault) {
    const std::string_view text = fault.what();
    const size_t column = text.find("column ");
    const std::string_view reason =
        column == text.npos ? text.substr(text.find("] ") + 2) : text.substr(column);
    error.damaged(str("no JSON, ", excerpt(reason, 200)),
                  line.front() == '[' || line == "{"
                      ? "one object a line, no list of them and none over several lines"
                      : "an object in each line");
  }
}

}  // namespace

std::vector<std::pair<std::string, Column>> read_json_lines(const std::string& path,
                                                            std::string_view text) {
  std::vector<Values> columns;
  int64_t number = 0, records = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) continue;
    const LineError error{path, number};
    if (!is_within_json_bounds(line))
      error.damaged(str("more than ", most_json_members, " names, or lists in lists in lists"));
    add_record(parsed(line, error), columns, records++ == 0, error);
  }
  if (columns.empty()) LineError(path, 1).damaged("no record", "an object in each line");
  std::vector<std::pair<std::string, Column>> result;
  for (const Values& column : columns) {
    const Kind kind = kind_of_all(column, {path, number});
    std::vector<Literal> rows;
    for (const Json& value : column.values) rows.push_back(row_of(value, kind));
    result.emplace_back(column.name, Column(std::move(rows)));
  }
  return result;
}

}  // namespace datasets
}  // namespace systolic::inline v0
