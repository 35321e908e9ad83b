// What the elements of a dataset look like: tf.data's element_spec.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace data {

struct TensorSpec {
  std::string name;
  Shape shape;  // -1: differs between elements
  DType dtype;
};
inline bool operator==(const TensorSpec& a, const TensorSpec& b) {
  return a.name == b.name && a.shape == b.shape && a.dtype == b.dtype;
}

using ElementSpec = std::vector<TensorSpec>;

// The names, shapes and types of an element's arrays, in their order.
ElementSpec spec_of(const Example& example);
// Whether the element has these names, types and shapes.
bool fits(const Example& element, const ElementSpec& spec);
// "{image: f32(-1, 784), label: i64(-1,)}"
std::string to_string(const ElementSpec& spec);
inline std::ostream& operator<<(std::ostream& out, const ElementSpec& spec) {
  return out << to_string(spec);
}

}  // namespace data
}  // namespace systolic::inline v0
