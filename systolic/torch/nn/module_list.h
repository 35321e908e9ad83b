// Modules of one type in order, called one by one (torch.nn.ModuleList); their parameters are
// "0.weight", "1.weight".
//
//   torch::nn::ModuleList<Block> layer = register_module("layer", torch::nn::ModuleList<Block>());
//   for (const Block& block : layer) x = block(x, mask);
#pragma once

#include <string>
#include <vector>

#include "systolic/torch/nn/module.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

template <class Part>
class ModuleList : public AnyModule {
 public:
  explicit ModuleList(const std::vector<Part>& parts = {}, At at = At::current())
      : AnyModule("ModuleList", at) {
    for (const Part& part : parts) append(part);
  }
  void append(const Part& part) {
    register_module(std::to_string(parts_.size()), part);
    parts_.push_back(part);
  }
  size_t size() const { return parts_.size(); }
  const Part& operator[](size_t i) const { return parts_.at(i); }
  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }

 private:
  std::vector<Part> parts_;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
