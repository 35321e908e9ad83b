// JSON lines (jsonlines.org): an object in each line.
#include <algorithm>
#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "tools/systolic/tfrecord/source.h"
#include "tools/systolic/tfrecord/text_file.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

using Json = nlohmann::ordered_json;

struct Column {
  std::string name;
  Kind kind = Kind::unknown;
  bool list = false;
};

const char* name_of(Kind kind) {
  return kind == Kind::text ? "text" : kind == Kind::unknown ? "nothing" : "a number";
}

Json parse_object(const TextFile& file, size_t at) {
  size_t next = at;
  const std::string_view line = file.line(next);
  Json json;
  try {
    json = Json::parse(line);
  } catch (const Json::parse_error& error) {
    const size_t column = std::clamp<size_t>(error.byte, 1, line.size()) - 1;
    file.damaged(at + column, "no JSON", "an object in each line");
  } catch (const Json::out_of_range&) {
    file.damaged(at, "a number that is too large for double precision", "smaller ones");
  }
  if (json.is_object()) return json;
  file.damaged(at, str("JSON's ", json.type_name()), "an object in each line");
}

// For one number or text; `where` is the beginning of the line.
Kind kind_of(const TextFile& file, size_t where, const std::string& name, const Json& value) {
  if (value.is_string()) return Kind::text;
  if (value.is_boolean()) return Kind::integer;
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) {
    file.damaged(where, str("'", name, "' is ", value.dump(), ", which int64 cannot hold"),
                 "at most 9223372036854775807");
  }
  if (value.is_number_integer()) return Kind::integer;
  if (!value.is_number()) {
    file.damaged(where, str("'", name, "' holds JSON's ", value.type_name()),
                 "a number, a text, true or false, or a list of them");
  }
  if (std::abs(value.get<double>()) > std::numeric_limits<float>::max()) {
    file.damaged(where, str("'", name, "' is ", value.dump(), ", which float32 cannot hold"),
                 "at most 3.4e38");
  }
  return Kind::number;
}

Kind kind_of_all(const TextFile& file, size_t where, const std::string& name, const Json& value) {
  if (!value.is_array()) return kind_of(file, where, name, value);
  Kind kind = Kind::unknown;
  for (const Json& item : value) {
    const Kind of_item = kind_of(file, where, name, item);
    if (kind != Kind::unknown && (kind == Kind::text) != (of_item == Kind::text)) {
      file.damaged(where, str("'", name, "' holds numbers and texts"), "one of them");
    }
    kind = std::max(kind, of_item);
  }
  return kind;
}

void join_column(const TextFile& file, size_t where, Column& column, const Json& value) {
  if (value.is_array() != column.list) {
    file.damaged(where, str("'", column.name, "' is ", value.is_array() ? "a list" : "no list"),
                 str(column.list ? "a list" : "no list", ", as in the first record"));
  }
  const Kind kind = kind_of_all(file, where, column.name, value);
  const bool known = kind != Kind::unknown && column.kind != Kind::unknown;
  if (known && (kind == Kind::text) != (column.kind == Kind::text)) {
    file.damaged(where, str("'", column.name, "' is ", name_of(kind)),
                 str(name_of(column.kind), ", as in the records before"));
  }
  column.kind = std::max(column.kind, kind);
}

void join_columns(const TextFile& file, size_t where, std::vector<Column>& columns,
                  const Json& record) {
  for (Column& column : columns) {
    const auto found = record.find(column.name);
    if (found == record.end()) {
      file.damaged(where, str("there is no '", column.name, "'"), "it, as in the first record");
    }
    join_column(file, where, column, *found);
  }
  if (record.size() == columns.size()) return;
  for (const auto& item : record.items()) {
    const std::string& name = item.key();
    const bool known = std::any_of(columns.begin(), columns.end(),
                                   [&](const Column& column) { return column.name == name; });
    if (!known)
      file.damaged(where, str("'", name, "' is not in the first record"), "the same names");
  }
}

Literal value_of(const Json& value, Kind kind) {
  const Json items = value.is_array() ? value : Json::array({value});
  const Shape shape = value.is_array() ? Shape{static_cast<int64_t>(items.size())} : Shape{};
  std::vector<int64_t> integers;
  std::vector<float> numbers;
  std::vector<std::string_view> texts;
  for (const Json& item : items) {
    if (kind == Kind::text) {
      texts.push_back(item.get_ref<const std::string&>());
    } else if (kind == Kind::integer) {
      integers.push_back(item.is_boolean() ? int64_t{item.get<bool>()} : item.get<int64_t>());
    } else {
      numbers.push_back(item.is_boolean() ? (item.get<bool>() ? 1.0f : 0.0f) : item.get<float>());
    }
  }
  if (kind == Kind::integer) return Literal::from(integers, shape);
  if (kind == Kind::text) return Literal::strings(std::span<const std::string_view>(texts), shape);
  return Literal::from(numbers, shape);
}

}  // namespace

Source json_lines_source(const std::string& path) {
  const auto file = std::make_shared<const TextFile>(path);
  std::vector<Column> columns;
  std::vector<size_t> begins;
  for (size_t at = 0; at < file->text().size();) {
    const size_t begin = at;
    if (file->line(at).empty()) continue;
    const Json record = parse_object(*file, begin);
    if (begins.empty()) {
      for (const auto& [name, value] : record.items()) {
        columns.push_back({name, Kind::unknown, value.is_array()});
      }
    }
    begins.push_back(begin);
    join_columns(*file, begin, columns, record);
  }
  Source source;
  source.records = static_cast<int64_t>(begins.size());
  source.bytes = file->text().size();
  for (const Column& column : columns) {
    source.features[column.name] = feature_of(column.kind, column.list);
  }
  source.at = [file, columns, begins = std::move(begins)](int64_t i) {
    const Json record = parse_object(*file, begins[static_cast<size_t>(i)]);
    Example example;
    for (const Column& column : columns) {
      example.set(column.name, value_of(record.at(column.name), column.kind));
    }
    return example;
  };
  return source;
}

}  // namespace tool::tfrecord
