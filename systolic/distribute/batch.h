// One batch on the device: Tensors under the names of the dataset's components.
//
//   Tensor logits = model(batch["image"], {.training = true});
//   const Tensor &images = batch[0], &labels = batch[1];               // by position
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/base/name_at.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class Batch {
 public:
  Batch() = default;
  explicit Batch(std::vector<std::pair<std::string, Tensor>> components)
      : components_(std::move(components)) {}

  size_t size() const { return components_.size(); }
  // A wrong name is a NotFound that lists what the batch has.
  const Tensor& operator[](NameAt name) const&;
  Tensor operator[](NameAt name) && { return std::as_const(*this)[name]; }
  // A position that does not exist is an InvalidArgument that lists what the batch has.
  const Tensor& operator[](PositionAt position) const&;
  Tensor operator[](PositionAt position) && { return std::as_const(*this)[position]; }
  const std::vector<std::pair<std::string, Tensor>>& components() const& { return components_; }
  std::vector<std::pair<std::string, Tensor>> components() && { return std::move(components_); }

  template <class Visit>
  void visit_tensors(Visit&& visit) {
    for (auto& [name, tensor] : components_) visit(tensor);
  }
  friend auto trace_key(const Batch& batch) { return batch.components_; }

 private:
  std::vector<std::pair<std::string, Tensor>> components_;
};

}  // namespace systolic::inline v0
