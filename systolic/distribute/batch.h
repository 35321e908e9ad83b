// One batch on the device: Tensors under the names of the dataset's components.
//
//   Tensor logits = model(batch["image"], {.training = true});
//   auto& [images, labels] = ...      // batch[0], batch[1] by position
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class Batch {
 public:
  Batch() = default;
  explicit Batch(std::vector<std::pair<std::string, Tensor>> components)
      : components_(std::move(components)) {}

  size_t size() const { return components_.size(); }
  // A wrong name is a NotFound that lists what the batch has.
  const Tensor& operator[](std::string_view name) const;
  const Tensor& operator[](size_t position) const { return components_.at(position).second; }
  const Tensor& operator[](int position) const {
    return components_.at(static_cast<size_t>(position)).second;
  }
  const std::vector<std::pair<std::string, Tensor>>& components() const { return components_; }

  template <class Visit>
  void visit_tensors(Visit&& visit) {
    for (auto& [name, tensor] : components_) visit(tensor);
  }
  friend auto trace_key(const Batch& batch) { return batch.components_; }

 private:
  std::vector<std::pair<std::string, Tensor>> components_;
};

}  // namespace systolic::inline v0
