// The kind of the elements that several datasets give to one: their names and types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/core/example.h"
#include "systolic/data/state/state_archive.h"

namespace systolic::inline v0 {
namespace data {

class ElementKind {
 public:
  // `element`, the first of a dataset of several, has the names and types of those that were
  // checked before; else an InvalidArgument that names both.
  void check(const Example& element, std::string_view label) {
    const std::string kind = text_of(element);
    if (first_.empty()) first_ = kind;
    if (kind == first_) return;
    raise<InvalidArgument>({.what = str(label, ": one dataset has ", first_, ", another ", kind),
                            .wanted = "the same names and types in the same order",
                            .hint = "give both one form with a map before it"});
  }
  void transfer(StateArchive& archive) { archive.text(first_); }

 private:
  static std::string text_of(const Example& element) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : element) parts.push_back(str(name, ": ", value.dtype()));
    return str("{", join(parts), "}");
  }
  std::string first_;
};

}  // namespace data
}  // namespace systolic::inline v0
