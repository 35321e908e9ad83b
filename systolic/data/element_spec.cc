#include "systolic/data/element_spec.h"

#include <algorithm>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace data {

ElementSpec spec_of(const Example& example) {
  ElementSpec spec;
  for (const auto& [name, value] : example) spec.push_back({name, value.shape(), value.dtype()});
  return spec;
}

bool fits(const Example& element, const ElementSpec& spec) {
  const auto fits_one = [](const auto& array, const TensorSpec& row) {
    bool fit = array.name == row.name && array.value.dtype() == row.dtype &&
               array.value.rank() == row.shape.rank();
    for (int axis = 0; fit && axis < row.shape.rank(); ++axis)
      fit = row.shape[axis] < 0 || row.shape[axis] == array.value.shape()[axis];
    return fit;
  };
  return std::equal(element.begin(), element.end(), spec.begin(), spec.end(), fits_one);
}

std::string to_string(const ElementSpec& spec) {
  std::vector<std::string> parts;
  for (const TensorSpec& row : spec) parts.push_back(str(row.name, ": ", row.dtype, row.shape));
  return str("{", join(parts), "}");
}

}  // namespace data
}  // namespace systolic::inline v0
