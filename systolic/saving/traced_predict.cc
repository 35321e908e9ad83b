#include "systolic/saving/traced_predict.h"

#include <map>

#include "systolic/base/error.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

Shape with_batch(Shape shape, int64_t batch_size, const std::string& name) {
  if (shape.rank() == 0 || shape[0] >= 0) {
    raise<FailedPrecondition>({.what = str("'", name, "' of shape ", shape),
                               .wanted = "a batch axis of no fixed size, as the first"});
  }
  std::vector<int64_t> sizes(shape.begin(), shape.end());
  sizes.front() = batch_size;
  for (const int64_t size : sizes) {
    if (size < 0) {
      raise<FailedPrecondition>(
          {.what = str("'", name, "' of shape ", shape), .wanted = "no open size but the batch's"});
    }
  }
  return Shape(sizes);
}

}  // namespace

Program traced_predict(const Model& model, int64_t rows) {
  std::vector<ProgramParameter> parameters;
  for (const NetworkPort& port : model.network().input_ports()) {
    parameters.push_back({.type = {port.type.dtype, with_batch(port.type.shape, rows, port.name)}});
  }
  for (const NetworkPort& port : model.network().output_ports())
    with_batch(port.type.shape, rows, port.name);
  return Program(parameters,
                 [&](const std::vector<Tensor>& inputs) { return model.network().outputs(inputs); },
                 {.name = "predict"});
}

std::vector<NamedVariable> arguments_of(const Program& program, const Model& model) {
  std::map<const VariableState*, NamedVariable> named;
  for (const NamedVariable& weight : model.network().named_weights())
    named.emplace(weight.variable.state().get(), weight);
  std::vector<NamedVariable> arguments;
  for (const auto& state : program.variables()) {
    const auto found = named.find(state.get());
    if (found == named.end())
      raise<Unimplemented>({.what = "a model whose prediction reads a variable of no layer"});
    arguments.push_back(found->second);
  }
  const size_t count = program.whole_module().main().body.arguments.size();
  if (count != model.network().input_ports().size() + arguments.size())
    raise<Unimplemented>({.what = "a model whose prediction reads arrays that are no weights"});
  return arguments;
}

}  // namespace saving
}  // namespace systolic::inline v0
