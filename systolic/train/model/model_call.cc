// Models called as functions: on Tensors in the inputs' order, or by their names.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/network/named_inputs.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/train/model/model.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {
namespace {

std::vector<Tensor> tensors_by_name(const Network& network,
                                    const std::vector<std::pair<std::string, Tensor>>& named,
                                    OtherNames others, SourceLocation location) {
  return inputs_by_name(
      network.input_ports(), named, others, str("model '", network.name(), "'"),
      [](const NetworkPort& port, const Tensor& first) {
        Shape shape = known_shape(port.type.shape, first.shape());
        // Where the first has too few axes, the network says that of it.
        for (int axis = 0; axis < shape.rank(); ++axis)
          shape.set(axis, std::max(shape[axis], int64_t{1}));
        return fill(shape, *port.rules.default_value, port.type.dtype);
      },
      location);
}

}  // namespace

Tensor Model::operator()(const Tensor& x, CallOptions options, SourceLocation location) const {
  return (*this)(std::vector<Tensor>{x}, std::move(options), location);
}
Tensor Model::operator()(const std::vector<Tensor>& xs, CallOptions options,
                         SourceLocation location) const {
  try {
    return state_->network()(xs, std::move(options));
  } catch (const Error& error) {
    error.rethrow_within("", location);  // the line of the call, where it names none
  }
}
Tensor Model::operator()(std::initializer_list<std::pair<std::string, Tensor>> named,
                         CallOptions options, SourceLocation location) const {
  return (*this)(tensors_by_name(network(), named, OtherNames::refused, location),
                 std::move(options), location);
}
Tensor Model::operator()(const Batch& batch, CallOptions options, SourceLocation location) const {
  return (*this)(tensors_by_name(network(), batch.components(), OtherNames::left_out, location),
                 std::move(options), location);
}
Batch Model::outputs(const Batch& batch, CallOptions options, SourceLocation location) const {
  const std::vector<Tensor> inputs =
      tensors_by_name(network(), batch.components(), OtherNames::left_out, location);
  try {
    const std::vector<Tensor> values = network().outputs(inputs, std::move(options));
    const std::vector<NetworkPort> ports = network().output_ports();
    std::vector<std::pair<std::string, Tensor>> named;
    for (size_t i = 0; i < values.size(); ++i) named.emplace_back(ports[i].name, values[i]);
    return Batch(std::move(named));
  } catch (const Error& error) {
    error.rethrow_within("", location);
  }
}

}  // namespace systolic::inline v0
