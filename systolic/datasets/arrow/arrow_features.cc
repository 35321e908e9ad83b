#include "systolic/datasets/arrow/arrow_features.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "systolic/datasets/tables/json_bounds.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> names_of(const Json& feature) {
  std::vector<std::string> names;
  if (!feature.contains("names") || !feature["names"].is_array()) return names;
  for (const Json& name : feature["names"]) {
    if (!name.is_string()) return {};
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::optional<ArrowFeature> feature_of(const Json& feature) {
  if (!feature.is_object() || !feature.contains("_type") || !feature["_type"].is_string())
    return {};
  const std::string type = feature["_type"].get<std::string>();
  if (type == "Image") return ArrowFeature{ArrowFeature::Kind::image};
  if (type == "Audio") return ArrowFeature{ArrowFeature::Kind::audio};
  if (type == "ClassLabel") return ArrowFeature{ArrowFeature::Kind::class_label, names_of(feature)};
  return {};
}

}  // namespace

std::map<std::string, ArrowFeature> arrow_features(std::string_view metadata) {
  std::map<std::string, ArrowFeature> features;
  if (!is_within_json_bounds(metadata)) return features;
  const Json json = Json::parse(metadata, nullptr, false);
  if (!json.is_object() || !json.contains("info") || !json["info"].is_object()) return features;
  const Json& info = json["info"];
  if (!info.contains("features") || !info["features"].is_object()) return features;
  for (const auto& [name, described] : info["features"].items()) {
    if (auto feature = feature_of(described)) features.emplace(name, *std::move(feature));
  }
  return features;
}

}  // namespace datasets
}  // namespace systolic::inline v0
