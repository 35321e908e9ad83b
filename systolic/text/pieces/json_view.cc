#include "systolic/text/pieces/json_view.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

using Json = nlohmann::json;
constexpr int most_levels = 64;

const Json& json(const void* value) { return *static_cast<const Json*>(value); }

// Brackets outside strings that are open at once.
int levels_of(std::string_view text) {
  int open = 0, most = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++open);
    } else if (c == ']' || c == '}') {
      --open;
    }
  }
  return most;
}

}  // namespace

struct JsonFile::Value {
  Json json;
};

JsonFile::JsonFile() : value_(std::make_unique<Value>()) {}
JsonFile::~JsonFile() = default;
JsonView JsonFile::root() const { return JsonView(&value_->json, name_); }

std::shared_ptr<const JsonFile> JsonFile::parse(std::string_view text, const std::string& name) {
  if (levels_of(text) > most_levels) {
    raise<DataLoss>({.what = str(name, " nests deeper than ", most_levels, " levels"),
                     .wanted = "a tokenizer's file"});
  }
  std::shared_ptr<JsonFile> file(new JsonFile());
  file->name_ = name;
  try {
    file->value_->json = Json::parse(text);
  } catch (const Json::exception& error) {
    raise<DataLoss>({.what = str(name, " is not JSON: ", excerpt(error.what(), 200)),
                     .hint = "fetch the file again"});
  }
  return file;
}

void JsonView::raise_not(std::string_view wanted) const {
  const std::string got = json(value_).dump(-1, ' ', false, Json::error_handler_t::replace);
  raise<DataLoss>({.what = path_, .got = excerpt(got, 60), .wanted = std::string(wanted)});
}

bool JsonView::is_null() const { return json(value_).is_null(); }
bool JsonView::is_string() const { return json(value_).is_string(); }
bool JsonView::is_array() const { return json(value_).is_array(); }
bool JsonView::is_object() const { return json(value_).is_object(); }
bool JsonView::is_number() const { return json(value_).is_number(); }

std::string JsonView::string() const {
  if (!is_string()) raise_not("a string");
  return json(value_).get<std::string>();
}

int64_t JsonView::integer() const {
  const Json& value = json(value_);
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))) {
    raise_not("an integer");
  }
  return value.get<int64_t>();
}

int32_t JsonView::id() const {
  const int64_t value = integer();
  if (value < 0 || value > std::numeric_limits<int32_t>::max()) {
    raise_not("a token's number, 0 to 2147483647");
  }
  return static_cast<int32_t>(value);
}

double JsonView::number() const {
  if (!is_number()) raise_not("a number");
  return json(value_).get<double>();
}

bool JsonView::boolean() const {
  if (!json(value_).is_boolean()) raise_not("true or false");
  return json(value_).get<bool>();
}

char32_t JsonView::character() const {
  const std::u32string characters = to_characters(string());
  if (characters.size() != 1) raise_not("one character");
  return characters[0];
}

bool JsonView::has(std::string_view name) const {
  const Json& value = json(value_);
  if (!value.is_object()) return false;
  const auto found = value.find(std::string(name));
  return found != value.end() && !found->is_null();
}

JsonView JsonView::at(std::string_view name) const {
  const Json& value = json(value_);
  if (!value.is_object()) raise_not("an object");
  const auto found = value.find(std::string(name));
  if (found == value.end()) {
    raise<DataLoss>({.what = str(path_, " has no member '", name, "'")});
  }
  return JsonView(&*found, str(path_, ".", name));
}

std::string JsonView::string_or(std::string_view name, std::string_view missing) const {
  return has(name) ? at(name).string() : std::string(missing);
}
bool JsonView::boolean_or(std::string_view name, bool missing) const {
  return has(name) ? at(name).boolean() : missing;
}
int64_t JsonView::integer_or(std::string_view name, int64_t missing) const {
  return has(name) ? at(name).integer() : missing;
}

void JsonView::for_each_member(
    FunctionRef<void(const std::string& name, const JsonView& value)> f) const {
  const Json& value = json(value_);
  if (!value.is_object()) raise_not("an object");
  for (auto member = value.begin(); member != value.end(); ++member) {
    f(member.key(), JsonView(&member.value(), str(path_, ".", member.key())));
  }
}

size_t JsonView::size() const {
  if (!is_array()) raise_not("a list");
  return json(value_).size();
}

JsonView JsonView::operator[](size_t i) const {
  if (i >= size()) raise_not(str("a list of more than ", i, " entries"));
  return JsonView(&json(value_)[i], str(path_, "[", i, "]"));
}

std::string JsonView::dump() const { return json(value_).dump(); }

std::string json_quoted(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace text
}  // namespace systolic::inline v0
