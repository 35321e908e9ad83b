// Modules one after the other (torch.nn.Sequential); their parameters are "0.weight", "2.bias".
//
//   torch::nn::Sequential net{torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1)};
//
// In braces: C++ makes what stands in them in order, and so the weights are drawn in PyTorch's.
// What stands between parentheses it may make in any order.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "systolic/torch/nn/module.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

class Sequential : public Module<Sequential> {
 public:
  // A module of any type.
  class Part {
   public:
    template <class M>
    requires(std::is_base_of_v<AnyModule, M>) Part(const M& module)  // NOLINT: a module is a part
        : module_(module), call_([module](const Tensor& x) { return Tensor(module(x)); }) {}

   private:
    friend class Sequential;
    AnyModule module_;
    std::function<Tensor(const Tensor&)> call_;
  };

  Sequential(std::initializer_list<Part> parts) : Module("Sequential") {
    for (const Part& part : parts) append(part);
  }
  void append(const Part& part) {
    register_module(std::to_string(parts_.size()), part.module_);
    parts_.push_back(part.call_);
  }
  size_t size() const { return parts_.size(); }

  Tensor forward(const Tensor& x) const {
    Tensor value = x;
    for (const auto& part : parts_) value = part(value);
    return value;
  }

 private:
  std::vector<std::function<Tensor(const Tensor&)>> parts_;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
