#include "systolic/torch/data/batch.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace torch {
namespace utils {
namespace data {

Batch::Batch(const Example& arrays) {
  for (const auto& part : arrays) parts_.emplace_back(part.name, Tensor(part.value));
}

bool Batch::contains(std::string_view name) const {
  for (const auto& part : parts_) {
    if (part.first == name) return true;
  }
  return false;
}

const Tensor& Batch::operator[](NameAt name) const {
  std::vector<std::string> names;
  for (const auto& [known, value] : parts_) {
    if (known == name.name) return value;
    names.push_back(known);
  }
  raise<NotFound>({.what = str("the batch has no '", name.name, "'"),
                   .wanted = str("one of: ", join(names)),
                   .location = name.location});
}

const Tensor& Batch::operator[](PositionAt position) const {
  if (position.position >= 0 && position.position < static_cast<int64_t>(parts_.size()))
    return parts_[static_cast<size_t>(position.position)].second;
  raise<OutOfRange>({.what = str("part ", position.position, " of a batch"),
                     .wanted = str("0 to ", static_cast<int64_t>(parts_.size()) - 1),
                     .location = position.location});
}

}  // namespace data
}  // namespace utils
}  // namespace torch
}  // namespace systolic::inline v0
