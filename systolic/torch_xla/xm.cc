#include "systolic/torch_xla/xm.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/torch/autograd.h"
#include "systolic/torch/serialization.h"
#include "systolic/torch_xla/ordinals/ordinal.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/replica_context.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace torch_xla {

void meet(const std::string& what, void* call,
          const std::function<void(std::span<void* const>)>& act, SourceLocation location) {
  const Ordinal* ordinal = Ordinal::current();
  if (ordinal == nullptr) {
    void* const only[] = {call};
    act(only);
    return;
  }
  ordinal->meeting->join(ordinal->index, {.what = what, .location = location, .call = call},
                         [&](std::span<Meeting::Visit* const> visits) {
                           std::vector<void*> calls;
                           for (const Meeting::Visit* visit : visits) calls.push_back(visit->call);
                           act(calls);
                         });
}

bool is_one_of(const std::vector<int>& ordinals, SourceLocation location) {
  for (const int ordinal : ordinals) {
    if (ordinal >= 0 && ordinal < xm::xrt_world_size()) continue;
    raise<InvalidArgument>({.what = str("do_on_ordinals of ordinal ", ordinal),
                            .wanted = str("0 to ", xm::xrt_world_size() - 1),
                            .location = location});
  }
  return std::find(ordinals.begin(), ordinals.end(), xm::get_ordinal()) != ordinals.end();
}

}  // namespace torch_xla

namespace xm {
namespace {

using torch_xla::Ordinal;

ir::OpCode op_of(ReduceType type) {
  switch (type) {
    case ReduceType::sum:
      return ir::OpCode::add;
    case ReduceType::mul:
      return ir::OpCode::multiply;
    case ReduceType::min:
      return ir::OpCode::minimum;
    case ReduceType::max:
      return ir::OpCode::maximum;
  }
  return ir::OpCode::add;
}

// A collective between the ordinals; with one ordinal there is nothing to exchange.
template <class Make>
torch::Tensor between_ordinals(const torch::Tensor& x, At at, const Make& make) {
  if (xrt_world_size() == 1) return x;
  Trace& trace = Trace::current();
  // A program that is called holds its variables while it runs: the other ordinals would wait for
  // them, and it for the others.
  if (trace.kind() == Trace::Kind::explicit_) {
    raise<Unimplemented>(
        {.what = "a collective between ordinals inside `function`",
         .wanted = "one between what the ordinals trace themselves",
         .hint = "call it outside: what is traced until mark_step() is one program",
         .location = at});
  }
  trace.module().num_replicas = xrt_world_size();
  trace.at(at);
  return trace.tensor_of(make(trace.value_of(x, at)));
}

int64_t axis_of(const torch::Tensor& x, int dim, At at) {
  if (dim >= -x.rank() && dim < x.rank()) return dim < 0 ? dim + x.rank() : dim;
  raise<InvalidArgument>(
      {.what = str("dimension ", dim, " of a Tensor of ", x.rank(), " axes"), .location = at});
}

torch::Tensor scaled(torch::Tensor x, double scale, At at) {
  return scale == 1 ? x : torch::Tensor(Operand(x, at) * Operand(scale, at));
}

void check_divisible(const torch::Tensor& x, int64_t axis, At at) {
  const int64_t world = xrt_world_size();
  if (x.shape()[static_cast<int>(axis)] % world == 0) return;
  raise<InvalidArgument>({.what = str("axis ", axis, " of a Tensor of shape ", x.shape(),
                                      " is to be divided over ", world, " ordinals"),
                          .wanted = "a multiple of their number",
                          .location = at});
}

}  // namespace

int get_ordinal() { return Ordinal::current() != nullptr ? Ordinal::current()->index : 0; }
int xrt_world_size() { return Ordinal::current() != nullptr ? Ordinal::current()->world_size : 1; }

MemoryInfo get_memory_info(const torch::Device& device, At at) {
  if (!device.is_xla() || device.index < 0 || device.index >= xrt_world_size()) {
    raise<InvalidArgument>({.what = str("get_memory_info of ", to_string(device)),
                            .wanted = str("xla:0 to xla:", xrt_world_size() - 1),
                            .hint = "pass xm::xla_device()",
                            .location = at});
  }
  const runtime::ClientPtr client = default_client();
  return {.bytes_used = client->memory_in_use(device.index),
          .bytes_limit = client->kind().generation.memory_bytes_per_core,
          .peak_bytes_used = client->counters(device.index).peak_memory_bytes};
}

torch::Tensor all_reduce(ReduceType type, const torch::Tensor& x, double scale, At at) {
  return scaled(
      between_ordinals(x, at, [&](ir::Value value) { return ir::all_reduce(value, op_of(type)); }),
      scale, at);
}

std::vector<torch::Tensor> all_reduce(ReduceType type, const std::vector<torch::Tensor>& xs,
                                      double scale, At at) {
  std::vector<torch::Tensor> result;
  for (const torch::Tensor& x : xs) result.push_back(all_reduce(type, x, scale, at));
  return result;
}

torch::Tensor all_gather(const torch::Tensor& x, int dim, At at) {
  const int64_t axis = axis_of(x, dim, at);
  return between_ordinals(
      x, at, [&](ir::Value value) { return ir::all_gather(value, axis, xrt_world_size()); });
}

torch::Tensor reduce_scatter(ReduceType type, const torch::Tensor& x, double scale, int scatter_dim,
                             At at) {
  const int64_t axis = axis_of(x, scatter_dim, at);
  check_divisible(x, axis, at);
  return scaled(between_ordinals(x, at,
                                 [&](ir::Value value) {
                                   return ir::reduce_scatter(value, op_of(type), axis,
                                                             xrt_world_size());
                                 }),
                scale, at);
}

torch::Tensor all_to_all(const torch::Tensor& x, int split_dimension, int concat_dimension, At at) {
  const int64_t split = axis_of(x, split_dimension, at);
  const int64_t concat = axis_of(x, concat_dimension, at);
  check_divisible(x, split, at);
  return between_ordinals(x, at, [&](ir::Value value) {
    return ir::all_to_all(value, {.split_dimension = split,
                                  .concat_dimension = concat,
                                  .split_count = xrt_world_size(),
                                  .collective = {}});
  });
}

torch::Tensor collective_permute(const torch::Tensor& x,
                                 const std::vector<std::pair<int64_t, int64_t>>& pairs, At at) {
  return between_ordinals(x, at, [&](ir::Value value) {
    return ir::collective_permute(value, {.source_target_pairs = pairs});
  });
}

void broadcast_master_param(const std::vector<torch::Parameter>& parameters, At at) {
  if (xrt_world_size() == 1) return;
  const double mine = get_ordinal() == 0 ? 1 : 0;
  // A host value, so that the ordinals' programs stay equal.
  const torch::Tensor factor(Literal::scalar(static_cast<float>(mine)));
  for (const torch::Parameter& parameter : parameters) {
    const torch::no_grad guard;
    const torch::Tensor own = factor.to(parameter.dtype()) * parameter.value(at);
    parameter.assign(all_reduce(REDUCE_SUM, own, 1, at), at);
  }
}

void reduce_gradients(const torch::optim::Optimizer& optimizer, At at) {
  const double share = 1.0 / xrt_world_size();
  for (const torch::Parameter& parameter : optimizer.parameters()) {
    const torch::Tensor gradient = parameter.grad();
    if (gradient.valid()) parameter.set_grad(all_reduce(REDUCE_SUM, gradient, share, at));
  }
}

void optimizer_step(torch::optim::Optimizer& optimizer, OptimizerStepOptions options, At at) {
  reduce_gradients(optimizer, at);
  optimizer.step(at);
  if (options.barrier) mark_step(at);
}

void save(const torch::StateDict& state, const std::string& path, SaveOptions options, At at) {
  if (!options.master_only || is_master_ordinal()) torch::save(state, path, at);
  rendezvous("xm.save", "", at);
}

std::vector<std::string> rendezvous(std::string_view tag, std::string payload, At at) {
  return torch_xla::exchange("rendezvous '" + std::string(tag) + "'", std::move(payload), at);
}

}  // namespace xm

namespace xr {

int global_device_count() { return default_client()->cores(); }

}  // namespace xr
}  // namespace systolic::inline v0
