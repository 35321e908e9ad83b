// What all modules are (torch.nn.Module). Your own registers its parts and has a forward:
//
//   struct Net : torch::nn::Module<Net> {
//     torch::nn::Linear fc1 = register_module("fc1", torch::nn::Linear(784, 128));
//     torch::nn::Linear fc2 = register_module("fc2", torch::nn::Linear(128, 10));
//     torch::Tensor forward(const torch::Tensor& x) const { return fc2(torch::relu(fc1(x))); }
//   };
//
// A module is a handle, as in Python: a copy has the same parameters.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/torch/device.h"
#include "systolic/torch/parameter.h"
#include "systolic/torch/state_dict.h"
#include "systolic/trace/layer_scope.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

struct LoadOptions {
  bool strict = true;  // names that are missing or not known are an error
};
// What load_state_dict with strict = false left out.
struct LoadResult {
  std::vector<std::string> missing_keys, unexpected_keys;
};

class AnyModule {
 public:
  // "Linear", for errors.
  AnyModule(std::string kind, At at);

  // Parameters in the order of registration, those of inner modules after a module's own, each
  // once: "fc1.weight".
  std::vector<std::pair<std::string, Parameter>> named_parameters() const;
  std::vector<Parameter> parameters() const;
  std::vector<std::pair<std::string, Parameter>> named_buffers() const;

  StateDict state_dict(At at = At::current()) const;
  // Raises an InvalidArgument that lists names and shapes that do not fit.
  LoadResult load_state_dict(const StateDict& state, LoadOptions options = {},
                             At at = At::current()) const;

  // Dropout and BatchNorm tell training from evaluation.
  void train(bool mode = true) const;
  void eval() const { train(false); }
  bool is_training() const;
  void zero_grad() const;

  // A parameter or buffer goes to the device when a step takes it, so this changes nothing there. A
  // type converts the floating-point parameters; before xmp::spawn, or before the first step.
  void to(const Device& device) const { static_cast<void>(device); }
  void to(DType dtype, At at = At::current()) const;

  const std::string& kind() const;
  SourceLocation location() const;

 protected:
  Parameter register_parameter(std::string name, Literal initial);
  // State that no gradient reaches.
  Parameter register_buffer(std::string name, Literal initial);
  template <class M>
  M register_module(std::string name, M part) {
    add_child(std::move(name), part);
    return part;
  }
  // Opens the scope that names the module in errors.
  struct State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  using Named = std::vector<std::pair<std::string, Parameter>>;
  void add_child(std::string name, const AnyModule& part);
  static void collect(const State& state, const std::string& prefix, bool buffers, Named& into);
  // Parameters and buffers of each module before those of its inner ones, as state_dict has them.
  static void collect_state(const State& state, const std::string& prefix, Named& into);
  static void set_mode(const State& state, bool mode);

  std::shared_ptr<State> state_;
};

template <class Derived>
class Module : public AnyModule {
 public:
  explicit Module(std::string kind = "Module", At at = {}) : AnyModule(std::move(kind), at) {}

  // forward(...). Ops and errors of a module of this library carry the line that made it; those of
  // your own carry theirs.
  template <class... Inputs>
  auto operator()(const Inputs&... inputs) const {
    const LayerScope scope(kind(), kind(), location());
    return static_cast<const Derived&>(*this).forward(inputs...);
  }
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
