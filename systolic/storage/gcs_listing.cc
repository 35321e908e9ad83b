#include "systolic/storage/gcs_listing.h"

#include <nlohmann/json.hpp>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace storage {

using Json = nlohmann::json;

std::string add_gcs_page(const std::string& body, GcsListing& result, const GcsPurpose& purpose) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) {
    raise<Unavailable>({.what = str("cannot list '", purpose.path, "': the answer is not JSON"),
                        .location = purpose.location});
  }
  const auto array_at = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_array() ? *found : Json::array();
  };
  for (const Json& item : array_at("items")) {
    if (item.is_object() && item.contains("name") && item["name"].is_string()) {
      result.objects.push_back(item["name"].get<std::string>());
    }
  }
  for (const Json& folder : array_at("prefixes")) {
    if (folder.is_string()) result.folders.push_back(folder.get<std::string>());
  }
  const auto next = json.find("nextPageToken");
  return next != json.end() && next->is_string() ? next->get<std::string>() : "";
}

}  // namespace storage
}  // namespace systolic::inline v0
