#include "systolic/io/tensors/folder/tensor_folder_index.h"

#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/io/files/read_range.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Json = nlohmann::json;

constexpr uint64_t most_bytes = 100'000'000;
constexpr int most_depth = 16;  // the map lies at 1

[[noreturn]] void damaged(const std::string& path, const std::string& what,
                          SourceLocation location) {
  raise<DataLoss>({.what = str("checkpoint index '", path, "': ", what),
                   .hint = "fetch the file again",
                   .location = location});
}

// A file next to the index, and nowhere else.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

}  // namespace

WeightMap read_tensor_folder_index(const std::string& path, SourceLocation location) {
  const std::string text = read_file_of_at_most(path, most_bytes, location);
  Json json;
  try {
    json = Json::parse(text, [&](int depth, Json::parse_event_t, const Json&) {
      if (depth > most_depth)
        damaged(path, str("more than ", most_depth, " levels deep"), location);
      return true;
    });
  } catch (const Json::exception& error) {
    damaged(path, str("no JSON: ", excerpt(error.what(), 200)), location);
  }
  const auto entries = json.is_object() ? json.find("weight_map") : json.end();
  if (entries == json.end() || !entries->is_object())
    damaged(path, "it has no object 'weight_map'", location);
  WeightMap map;
  for (auto entry = entries->begin(); entry != entries->end(); ++entry) {
    if (!entry->is_string() || !is_plain_name(entry->get_ref<const std::string&>())) {
      damaged(path,
              str("weight '", excerpt(entry.key(), 200), "' lies in no file next to the index"),
              location);
    }
    map.emplace(entry.key(), entry->get<std::string>());
  }
  return map;
}

std::string tensor_folder_index_text(const WeightMap& map, uint64_t total_bytes) {
  const Json json = {{"metadata", {{"total_size", total_bytes}}}, {"weight_map", map}};
  return json.dump(2) + "\n";
}

}  // namespace io
}  // namespace systolic::inline v0
