#include "systolic/distribute/batch.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

const Tensor& Batch::operator[](std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& [known, tensor] : components_) {
    if (known == name) return tensor;
    names.push_back(known);
  }
  const auto closest = closest_names(name, names, 1);
  raise<NotFound>({.what = str("the batch has no component '", name, "'"),
                   .wanted = str("one of: ", join(names)),
                   .hint = closest.empty() ? "" : str("did you mean '", closest.front(), "'?")});
}

}  // namespace systolic::inline v0
