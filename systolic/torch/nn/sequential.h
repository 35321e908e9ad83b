// Modules one after the other (torch.nn.Sequential); their parameters are "0.weight", "2.bias".
//
//   torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "systolic/torch/nn/module.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

class Sequential : public Module<Sequential> {
 public:
  template <class... Parts>
  requires(sizeof...(Parts) > 0 &&
           (std::is_base_of_v<AnyModule, Parts> && ...)) explicit Sequential(const Parts&... parts)
      : Module("Sequential", SourceLocation{}) {
    (append(parts), ...);
  }

  template <class Part>
  void append(const Part& part) {
    register_module(std::to_string(parts_.size()), part);
    parts_.push_back([part](const Tensor& x) { return Tensor(part(x)); });
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
