#include "systolic/distribute/batch.h"

#include <iterator>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

const Tensor& Batch::operator[](PositionAt at) const& {
  const int64_t position = at.position;
  if (position >= 0 && position < std::ssize(components_))
    return components_[static_cast<size_t>(position)].second;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : components_) names.push_back(name);
  raise<InvalidArgument>({.what = str("the batch has no component ", position),
                          .wanted = str("one of the ", names.size(), ": ", join(names)),
                          .location = at.location});
}

const Tensor& Batch::operator[](NameAt at) const& {
  const std::string_view name = at.name;
  std::vector<std::string> names;
  for (const auto& [known, tensor] : components_) {
    if (known == name) return tensor;
    names.push_back(known);
  }
  const auto closest = closest_names(name, names, 1);
  raise<NotFound>({.what = str("the batch has no component '", name, "'"),
                   .wanted = str("one of: ", join(names)),
                   .hint = closest.empty() ? "" : str("did you mean '", closest.front(), "'"),
                   .location = at.location});
}

}  // namespace systolic::inline v0
