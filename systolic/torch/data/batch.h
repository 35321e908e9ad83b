// What a loader gives: Tensors under names, in order.
//
//   batch["ids"]     batch[0]
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/base/name_at.h"
#include "systolic/core/example.h"
#include "systolic/torch/tensor.h"

namespace systolic::inline v0 {
namespace torch {
namespace utils {
namespace data {

class Batch {
 public:
  Batch() = default;
  explicit Batch(const Example& arrays);

  size_t size() const { return parts_.size(); }
  // NotFound, with the names that there are.
  const Tensor& operator[](NameAt name) const;
  // OutOfRange.
  const Tensor& operator[](PositionAt position) const;
  bool contains(std::string_view name) const;
  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }

 private:
  std::vector<std::pair<std::string, Tensor>> parts_;
};

}  // namespace data
}  // namespace utils
}  // namespace torch
}  // namespace systolic::inline v0
