#include <map>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/ir/print/print.h"
#include "systolic/saving/export_files.h"
#include "systolic/saving/exported_model.h"
#include "systolic/trace/program/program.h"
#include "systolic/trace/variable_state.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {
namespace {

using saving::exported_program, saving::exported_weights, saving::exported_description;

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

Config description_of(const std::vector<NetworkPort>& ports) {
  Config::List list;
  for (const NetworkPort& port : ports) {
    Config::List sizes;
    for (const int64_t size : port.type.shape) sizes.push_back(size < 0 ? Config() : Config(size));
    Config one;
    one.set("name", port.name);
    one.set("dtype", str(port.type.dtype));
    one.set("shape", std::move(sizes));
    list.push_back(std::move(one));
  }
  return list;
}

Program traced_predict(const Model& model, int64_t batch_size) {
  std::vector<ProgramParameter> parameters;
  for (const NetworkPort& port : model.network().input_ports()) {
    parameters.push_back(
        {.type = {port.type.dtype, with_batch(port.type.shape, batch_size, port.name)}});
  }
  for (const NetworkPort& port : model.network().output_ports())
    with_batch(port.type.shape, batch_size, port.name);
  return Program(parameters,
                 [&](const std::vector<Tensor>& inputs) { return model.network().outputs(inputs); },
                 {.name = "predict"});
}

// The names of the variables that the program reads, in the order of its arguments.
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

void check_folder(const std::string& folder, SourceLocation location) {
  const std::vector<std::string> inside =
      io::file_system(folder, location).list(folder, 1, location);
  if (inside.empty() || is_exported_model(folder, location)) return;
  raise<FailedPrecondition>({.what = str("'", folder, "' holds '", inside.front(), "'"),
                             .wanted = "a new folder, or one of an exported model"});
}

}  // namespace

void export_model(const Model& model, const std::string& folder, const ExportOptions& options,
                  SourceLocation location) {
  const ErrorScope scope("export_model", location);
  if (!model.network().built()) {
    raise<FailedPrecondition>({.what = "a model whose shapes are not known yet",
                               .hint = "begin it with an Input layer, or call it once"});
  }
  if (options.batch_size < 1)
    raise<InvalidArgument>({.what = str("batch_size ", options.batch_size), .wanted = "1 or more"});
  check_folder(folder, location);
  const auto locked = model.state()->lock();
  const Program program = traced_predict(model, options.batch_size);
  Example weights;
  Config::List names;
  for (const NamedVariable& weight : arguments_of(program, model)) {
    weights.set(weight.path, weight.variable.literal(location));
    names.push_back(weight.path);
  }
  Config description;
  description.set("format", saving::export_format);
  description.set("name", model.name());
  description.set("batch_size", options.batch_size);
  description.set("inputs", description_of(model.network().input_ports()));
  description.set("outputs", description_of(model.network().output_ports()));
  description.set("weights", std::move(names));
  io::make_folder(folder, location);
  io::write_safetensors(str(folder, "/", exported_weights), weights, {{"format", "systolic"}},
                        location);
  io::write_file(str(folder, "/", exported_program), ir::to_text(program.whole_module()), location);
  io::write_file(str(folder, "/", exported_description), description.text(), location);
}

}  // namespace systolic::inline v0
