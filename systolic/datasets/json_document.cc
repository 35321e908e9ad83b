#include "systolic/datasets/json_document.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/datasets/tables/json_bounds.h"
#include "systolic/io/files/byte_source.h"

namespace systolic::inline v0 {
namespace datasets {

JsonDocument::JsonDocument(std::string path, SourceLocation location) : path_(std::move(path)) {
  const std::string text = io::read_possibly_gzipped(path_, most_json_bytes, location);
  if (!is_within_json_bounds(text)) damaged("it holds more than any description does");
  root_ = Json::parse(text, nullptr, false);
  if (!root_.is_object()) damaged("it is no JSON object");
}

void JsonDocument::damaged(std::string_view what) const {
  raise<DataLoss>({.what = str("'", path_, "' is damaged: ", what)});
}

const Json& JsonDocument::member(const Json& object, const char* name) const {
  if (!object.is_object() || !object.contains(name)) damaged(str("it has no '", name, "'"));
  return object[name];
}

std::string JsonDocument::text(const Json& object, const char* name) const {
  const Json& value = member(object, name);
  if (!value.is_string()) damaged(str("'", name, "' is no text"));
  return value.get<std::string>();
}

int64_t JsonDocument::integer(const Json& value, std::string_view what) const {
  int64_t number = 0;
  if (value.is_number_integer()) {
    number = value.get<int64_t>();
  } else if (!value.is_string() || !parse_number(value.get<std::string>(), number)) {
    damaged(str(what, " is no integer"));
  }
  return number;
}

}  // namespace datasets
}  // namespace systolic::inline v0
