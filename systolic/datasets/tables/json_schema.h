// What the records of a JSON file hold, all of them together, as `datasets` finds it out: a name
// that some lack is null there.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace systolic::inline v0 {
namespace datasets {

using Json = nlohmann::ordered_json;

// Where a record stands, for errors.
class JsonPlace {
 public:
  // `unit`: "line" or "record".
  JsonPlace(const std::string& path, const char* unit, int64_t number)
      : path_(path), unit_(unit), number_(number) {}
  [[noreturn]] void damaged(const std::string& what, const std::string& wanted = "") const;

 private:
  const std::string& path_;
  const char* unit_;
  int64_t number_;
};

struct JsonField {
  enum class Kind { unknown, integer, number, text, list, object };
  std::string name;           // its own, without those around it
  Kind kind = Kind::unknown;  // the widest of its values
  bool has_null = false;
  int64_t values = 0;                         // how often it stood in its object, also as null
  int64_t objects = 0;                        // of an object: how many there were
  std::vector<JsonField> members = {};        // of objects
  std::unique_ptr<JsonField> item = nullptr;  // of lists
};

// Widens the field by a value. DataLoss for one that does not go with those before: a text among
// numbers, a list among others.
void note_value(JsonField& field, const Json& value, const std::string& name,
                const JsonPlace& place);
// After the last value: which members are missing in some objects.
void note_missing(JsonField& field);

}  // namespace datasets
}  // namespace systolic::inline v0
