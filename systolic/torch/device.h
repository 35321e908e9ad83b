// Where a torch::Tensor lives, as programs of PyTorch name it: torch::Device("cpu"),
// xm::xla_device().
#pragma once

#include <string>
#include <utility>

namespace systolic::inline v0 {
namespace torch {

// A name and a number: "cpu", "xla:3". Ordinals of PyTorch/XLA have one device each; what a Tensor
// holds goes to it when a program takes it, so `to` of a device moves nothing by itself.
struct Device {
  std::string type = "cpu";
  int index = 0;

  bool is_xla() const { return type == "xla"; }
  friend bool operator==(const Device&, const Device&) = default;
};

// "cpu", "xla:3".
inline std::string to_string(const Device& device) {
  return device.is_xla() ? device.type + ":" + std::to_string(device.index) : device.type;
}

}  // namespace torch
}  // namespace systolic::inline v0
