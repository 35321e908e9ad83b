#include "systolic/data/element_spec.h"

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace data {

ElementSpec spec_of(const Example& example) {
  ElementSpec spec;
  for (const auto& [name, value] : example) spec.push_back({name, value.shape(), value.dtype()});
  return spec;
}

std::string to_string(const ElementSpec& spec) {
  std::vector<std::string> parts;
  for (const TensorSpec& row : spec) parts.push_back(str(row.name, ": ", row.dtype, row.shape));
  return str("{", join(parts), "}");
}

}  // namespace data
}  // namespace systolic::inline v0
