#include "systolic/data/nested.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace data {
namespace {

std::string_view part_of(std::string_view name) { return name.substr(0, name.find('/')); }

}  // namespace

Example nested(const std::vector<std::pair<std::string, Example>>& parts) {
  Example::Components components;
  for (const auto& part : parts) {
    for (const auto& [name, value] : part.second) {
      const bool alone = part.second.size() == 1 && name.empty();
      components.push_back({alone ? part.first : str(part.first, "/", name), value});
    }
  }
  return Example(std::move(components));
}

Example part(const Example& element, std::string_view name) {
  Example::Components components;
  for (const auto& [whole, value] : element) {
    if (whole.size() > name.size() && whole[name.size()] == '/' &&
        std::string_view(whole).substr(0, name.size()) == name)
      components.push_back({whole.substr(name.size() + 1), value});
  }
  if (!components.empty()) return Example(std::move(components));
  raise<NotFound>(
      {.what = str("the element has no part '", name, "'"), .got = join(part_names(element))});
}

std::vector<std::string> part_names(const Example& element) {
  std::vector<std::string> names;
  for (const auto& component : element) {
    const std::string_view name = part_of(component.name);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }
  return names;
}

Dataset zip(const std::vector<std::pair<std::string, Dataset>>& datasets, SourceLocation location) {
  std::vector<Dataset> named;
  for (const auto& each : datasets) {
    named.push_back(each.second.map(
        [name = each.first](const Example& element) {
          return nested({{name, element}});
        },
        {}, location));
  }
  return zip(named, location);
}

std::string item_name(size_t i) { return i == 0 ? "x" : i == 1 ? "y" : str("x", i); }

}  // namespace data
}  // namespace systolic::inline v0
