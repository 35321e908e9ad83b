#include "systolic/torch/state_dict.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace torch {

const Literal* StateDict::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.first == name; });
  return found == entries_.end() ? nullptr : &found->second;
}

void StateDict::set(std::string name, Literal value) {
  for (Entry& entry : entries_) {
    if (entry.first != name) continue;
    entry.second = std::move(value);
    return;
  }
  entries_.emplace_back(std::move(name), std::move(value));
}

const Literal& StateDict::at(std::string_view name, SourceLocation location) const {
  if (const Literal* value = find(name)) return *value;
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.first);
  raise<NotFound>({.what = str("the state_dict has no '", name, "'"),
                   .wanted = str("a name such as ", join(closest_names(name, names, 3))),
                   .location = location});
}

}  // namespace torch
}  // namespace systolic::inline v0
