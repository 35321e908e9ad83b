// What the function that xmp::spawn starts works with (torch_xla.core.xla_model, imported as xm),
// and today's names for it (torch_xla.runtime, imported as xr).
//
//   xm::optimizer_step(optimizer);                      // the gradients' mean over the ordinals
//   double loss = xm::mesh_reduce("loss", local, [](auto all) { return mean_of(all); });
//   xm::master_print("epoch", epoch, "loss", loss);
#pragma once

#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "systolic/torch/optim/optimizer.h"
#include "systolic/torch/state_dict.h"
#include "systolic/torch/tensor.h"
#include "systolic/torch_xla/sync.h"

namespace systolic::inline v0 {
namespace torch_xla {

// Waits for all ordinals at `what`, then calls act with what each came with, once. Internal.
void meet(const std::string& what, void* call,
          const std::function<void(std::span<void* const>)>& act, SourceLocation location);

// The values of all ordinals, by ordinal. Internal.
template <class T>
std::vector<T> exchange(const std::string& what, T value, SourceLocation location) {
  struct Call {
    T own;
    std::vector<T> all;
  };
  Call call{std::move(value), {}};
  meet(
      what + " of " + typeid(T).name(), &call,
      [](std::span<void* const> calls) {
        for (void* to : calls) {
          for (void* from : calls)
            static_cast<Call*>(to)->all.push_back(static_cast<Call*>(from)->own);
        }
      },
      location);
  return std::move(call.all);
}

// Whether this ordinal is one of them; one that the spawn does not have is an InvalidArgument.
// Internal.
bool is_one_of(const std::vector<int>& ordinals, SourceLocation location);
// A Tensor as its value on the host, anything else as it is. Internal.
template <class T>
T on_host(const T& value, SourceLocation location) {
  if constexpr (std::is_base_of_v<Tensor, T>) {
    return T(value.literal(location));
  } else {
    return value;
  }
}

}  // namespace torch_xla

namespace xm {

using At = SourceLocation;

// The device of this ordinal (torch_xla.core.xla_model.xla_device): its core in a spawned function,
// else the first.
inline torch::Device xla_device() { return torch_xla::device(); }
// This ordinal's number among all of the spawn, from 0; 0 outside of a spawn.
int get_ordinal();
// Its number in this process: the same, since a spawn's ordinals are threads of one process.
inline int get_local_ordinal() { return get_ordinal(); }
// Whether this is ordinal 0, which prints and saves. `local` changes nothing: there is one process.
inline bool is_master_ordinal(bool local = true) {
  static_cast<void>(local);
  return get_ordinal() == 0;
}
// Ordinals of this spawn; 1 outside.
int xrt_world_size();

// Runs what is pending, as torch_xla::sync does.
inline void mark_step(At at = At::current()) { torch_xla::sync(at); }
// Programs have run when mark_step returns.
inline void wait_device_ops() {}

// Bytes of one core's memory.
struct MemoryInfo {
  int64_t bytes_used = 0;       // by arrays, now
  int64_t bytes_limit = 0;      // what a core of this TPU has
  int64_t peak_bytes_used = 0;  // the most that arrays and running programs took; 0: not known
};
// What the device's core holds. A device other than one of this spawn's is an InvalidArgument.
MemoryInfo get_memory_info(const torch::Device& device = xla_device(), At at = At::current());

// Called when the next step has run, with what it captured: reading a Tensor there stops nothing.
inline void add_step_closure(std::function<void()> closure) {
  torch_xla::call_after_step(std::move(closure));
}

// How the collectives below combine an element of all ordinals.
enum class ReduceType : uint8_t { sum, mul, min, max };
// PyTorch/XLA's names for them.
inline constexpr ReduceType REDUCE_SUM = ReduceType::sum, REDUCE_MUL = ReduceType::mul,
                            REDUCE_MIN = ReduceType::min, REDUCE_MAX = ReduceType::max;

// Over the same Tensor of all ordinals; then times scale.
torch::Tensor all_reduce(ReduceType type, const torch::Tensor& x, double scale = 1,
                         At at = At::current());
std::vector<torch::Tensor> all_reduce(ReduceType type, const std::vector<torch::Tensor>& xs,
                                      double scale = 1, At at = At::current());
// The ordinals' Tensors one after the other along `dim`.
torch::Tensor all_gather(const torch::Tensor& x, int dim = 0, At at = At::current());
// This ordinal's part, along scatter_dim, of the reduced Tensor; its size is a multiple of the
// world size.
torch::Tensor reduce_scatter(ReduceType type, const torch::Tensor& x, double scale, int scatter_dim,
                             At at = At::current());
// Part i along split_dimension goes to ordinal i; what arrives is joined along concat_dimension.
torch::Tensor all_to_all(const torch::Tensor& x, int split_dimension, int concat_dimension,
                         At at = At::current());
// pairs of (from, to); an ordinal that nobody sends to gets zeros.
torch::Tensor collective_permute(const torch::Tensor& x,
                                 const std::vector<std::pair<int64_t, int64_t>>& pairs,
                                 At at = At::current());
// Every parameter becomes the master's.
void broadcast_master_param(const std::vector<torch::Parameter>& parameters, At at = At::current());

struct OptimizerStepOptions {
  bool barrier = false;  // also marks a step, for loops without a ParallelLoader
};
// Replaces the gradients by their mean over the ordinals, then calls optimizer.step().
void optimizer_step(torch::optim::Optimizer& optimizer, OptimizerStepOptions options = {},
                    At at = At::current());
// The first half of it.
void reduce_gradients(const torch::optim::Optimizer& optimizer, At at = At::current());

// On the host: fn of the ordinals' values, in their order, with the same result on each. A Tensor
// is read first, which runs what it needs.
template <class T, class Function>
auto mesh_reduce(std::string_view tag, const T& data, Function&& fn, At at = At::current()) {
  const std::string what = "mesh_reduce '" + std::string(tag) + "'";
  if constexpr (std::is_base_of_v<Tensor, T>) {
    return fn(torch_xla::exchange(what, torch::Tensor(data.literal(at)), at));
  } else {
    return fn(torch_xla::exchange(what, data, at));
  }
}

// Waits for all ordinals; what each brought, by ordinal.
std::vector<std::string> rendezvous(std::string_view tag, std::string payload = "",
                                    At at = At::current());

// Runs target(data...) on the ordinals named, and has the others wait for them: what it returns,
// and nothing on the others. Tensors in `data` arrive on the host; all ordinals compute them first.
//
//   xm::do_on_ordinals([](const torch::Tensor& loss) { std::cout << loss; }, std::tuple(loss));
template <class Target, class... Data>
auto do_on_ordinals(Target&& target, const std::tuple<Data...>& data = {},
                    const std::vector<int>& ordinals = {0}, At at = At::current()) {
  using Result = std::invoke_result_t<Target&, const Data&...>;
  const bool running = torch_xla::is_one_of(ordinals, at);
  const std::tuple<Data...> values = std::apply(
      [&](const Data&... each) { return std::tuple<Data...>(torch_xla::on_host(each, at)...); },
      data);
  if constexpr (std::is_void_v<Result>) {
    if (running) std::apply(target, values);
    rendezvous("xm.do_on_ordinals", "", at);
  } else {
    std::optional<Result> result;
    if (running) result.emplace(std::apply(target, values));
    rendezvous("xm.do_on_ordinals", "", at);
    return result;
  }
}

// One line, of what is given separated by blanks, from ordinal 0 alone.
template <class... Parts>
void master_print(const Parts&... parts) {
  if (!is_master_ordinal()) return;
  std::ostringstream line;
  const char* between = "";
  ((line << std::exchange(between, " ") << parts), ...);
  line << '\n';
  std::cout << line.str() << std::flush;
}

struct SaveOptions {
  bool master_only = true;  // else every ordinal writes: give each a path of its own
};
// torch::save of a state_dict (docs/torch_xla.md); all ordinals call it, and return when the file
// is there.
void save(const torch::StateDict& state, const std::string& path, SaveOptions options = {},
          At at = At::current());

}  // namespace xm

namespace xr {

// This ordinal's number, from 0 (torch_xla.runtime.global_ordinal).
inline int global_ordinal() { return xm::get_ordinal(); }
// The ordinals of this spawn; 1 outside.
inline int world_size() { return xm::xrt_world_size(); }
// The ordinal's number in this process, which is its number among all.
inline int local_ordinal() { return xm::get_ordinal(); }
// Devices that this process can use.
int global_device_count();

}  // namespace xr
}  // namespace systolic::inline v0
