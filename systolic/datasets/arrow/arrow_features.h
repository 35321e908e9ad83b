// What `datasets` writes of its features into the metadata of a schema, as far as reading needs it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {
namespace datasets {

struct ArrowFeature {
  enum class Kind { image, audio, class_label };
  Kind kind = Kind::class_label;
  std::vector<std::string> class_names = {};
};

// By the names of their columns. Text that is no such JSON says nothing.
std::map<std::string, ArrowFeature> arrow_features(std::string_view metadata);

}  // namespace datasets
}  // namespace systolic::inline v0
