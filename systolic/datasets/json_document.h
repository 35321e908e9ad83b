// One JSON file that describes a data set; errors in its values name it.
//
//   const JsonDocument document(folder + "/dataset_info.json", location);
//   document.text(document.root(), "name")          // what is missing or no text is a DataLoss
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace datasets {

using Json = nlohmann::ordered_json;

// No description of a data set is longer.
inline constexpr size_t most_json_bytes = size_t{1} << 26;

class JsonDocument {
 public:
  JsonDocument(std::string path, SourceLocation location);
  const Json& root() const { return root_; }

  [[noreturn]] void damaged(std::string_view what) const;
  const Json& member(const Json& object, const char* name) const;
  std::string text(const Json& object, const char* name) const;
  // Protocol buffers write 64-bit integers as text.
  int64_t integer(const Json& value, std::string_view what) const;

 private:
  std::string path_;
  Json root_;
};

}  // namespace datasets
}  // namespace systolic::inline v0
