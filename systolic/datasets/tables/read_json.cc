#include "systolic/datasets/tables/read_json.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/datasets/tables/json_bounds.h"
#include "systolic/datasets/tables/json_columns.h"
#include "systolic/datasets/tables/json_schema.h"
#include "systolic/io/files/unpacked_size.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

// What is wrong, in the parser's words without its own line number.
Json parsed(std::string_view text, const std::string& wanted, const JsonPlace& place) {
  if (!is_within_json_bounds(text))
    place.damaged(str("more than ", most_json_members, " names in an object, or more than ",
                      most_json_levels, " levels of lists and objects"));
  try {
    return Json::parse(text);
  } catch (const Json::exception& fault) {
    const std::string_view said = fault.what();
    const size_t column = said.find("column ");
    const std::string_view reason =
        column == said.npos ? said.substr(said.find("] ") + 2) : said.substr(column);
    place.damaged(str("no JSON, ", excerpt(reason, 200)), wanted);
  }
}

uint64_t names_in(const JsonField& field) {
  uint64_t names = field.item ? names_in(*field.item) : field.members.empty() ? 1 : 0;
  for (const JsonField& member : field.members) names += names_in(member);
  return names;
}

class Records {
 public:
  Records(const std::string& path, std::string_view text) : path_(path), bytes_(text.size()) {}

  void add(Json record, const JsonPlace& place) {
    if (!record.is_object())
      place.damaged(record.is_array() ? "a list of JSON" : "no JSON object",
                    "an object for each record");
    note_value(schema_, record, "", place);
    records_.push_back(std::move(record));
  }

  std::vector<std::pair<std::string, Column>> columns(const char* unit, int64_t last) {
    const JsonPlace end(path_, unit, last);
    if (records_.empty()) end.damaged("no record", "an object for each");
    note_missing(schema_);
    check_size();
    return json_columns(schema_, records_, end);
  }

 private:
  // A name that one record has takes room in all of them.
  void check_size() const {
    const uint64_t names = names_in(schema_);
    if (!io::unpacks_to_too_much(names * sizeof(Literal) * records_.size(), bytes_)) return;
    raise<ResourceExhausted>(
        {.what = str("'", path_, "' has ", names, " names in ", records_.size(), " records of ",
                     bytes_, " bytes: most are missing in most")});
  }

  const std::string& path_;
  const size_t bytes_;
  JsonField schema_;
  std::vector<Json> records_;
};

std::vector<std::pair<std::string, Column>> of_lines(const std::string& path,
                                                     std::string_view text) {
  Records records(path, text);
  int64_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) continue;
    const JsonPlace place(path, "line", number);
    records.add(parsed(line,
                       line == "{" ? "an object in each line; of an object over several lines, "
                                     "load_dataset's .field names the list of records"
                                   : "an object in each line",
                       place),
                place);
  }
  return records.columns("line", std::max<int64_t>(number, 1));
}

std::vector<std::pair<std::string, Column>> of_list(const std::string& path, std::string_view text,
                                                    const std::string& field) {
  const JsonPlace file(path, "record", 0);
  Json json = parsed(text, field.empty() ? "a list of objects" : "one object", file);
  if (!field.empty()) {
    if (!json.is_object() || !json.contains(field)) {
      std::vector<std::string> names;
      if (json.is_object()) {
        for (const auto& member : json.items()) names.push_back(excerpt(member.key(), 60));
      }
      file.damaged(str("there is no '", field, "'"),
                   names.empty() ? "an object" : str("one of: ", join(names)));
    }
    Json list = std::move(json[field]);
    json = std::move(list);
  }
  if (!json.is_array()) file.damaged(str("'", field, "' is no list"), "a list of objects");
  Records records(path, text);
  int64_t number = 0;
  for (Json& record : json) records.add(std::move(record), JsonPlace(path, "record", number++));
  return records.columns("record", std::max<int64_t>(number - 1, 0));
}

}  // namespace

std::vector<std::pair<std::string, Column>> read_json(const std::string& path,
                                                      std::string_view text,
                                                      const std::string& field) {
  const std::string_view content = trim(text);
  return !field.empty() || content.starts_with('[') ? of_list(path, content, field)
                                                    : of_lines(path, text);
}

}  // namespace datasets
}  // namespace systolic::inline v0
