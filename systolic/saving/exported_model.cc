#include "systolic/saving/exported_model.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/core/put_together.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/saving/export_files.h"
#include "systolic/stablehlo/import/import.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {
namespace {

constexpr uint64_t most_program_bytes = uint64_t{1} << 30;
constexpr int64_t most_rows = int64_t{1} << 20;

[[noreturn]] void raise_unfit(const std::string& path, const std::string& what) {
  raise<DataLoss>({.what = str("'", path, "': ", what), .wanted = "what export_model wrote"});
}

std::string text_of_file(const std::string& path, SourceLocation location) {
  const auto status = io::file_system(path, location).status(path, location);
  if (status && status->bytes > most_program_bytes)
    raise<ResourceExhausted>({.what = str("'", path, "' of ", status->bytes, " bytes")});
  return io::read_file(path, location);
}

std::vector<NetworkPort> ports_of(const Config& list) {
  std::vector<NetworkPort> ports;
  for (const Config& one : list.list()) {
    std::vector<int64_t> sizes;
    for (const Config& size : one["shape"].list())
      sizes.push_back(size.is_null() ? -1 : size.integer());
    const DType dtype = parse_dtype(one["dtype"].text_value());
    ports.push_back({.name = one["name"].text_value(), .type = {dtype, Shape(sizes)}});
  }
  return ports;
}

}  // namespace

struct ExportedModel::State {
  std::vector<NetworkPort> inputs, outputs;
  int64_t batch_size = 0;
  runtime::ClientPtr client;
  runtime::ExecutablePtr executable;
  std::vector<runtime::BufferPtr> weights;
  std::vector<ir::Type> input_types;
};

bool is_exported_model(const std::string& folder, SourceLocation location) {
  return io::exists(str(folder, "/", saving::exported_description), location);
}

ExportedModel::ExportedModel(const std::string& folder, SourceLocation location) {
  const ErrorScope scope("ExportedModel", location);
  const std::string described = str(folder, "/", saving::exported_description),
                    program_path = str(folder, "/", saving::exported_program),
                    weights_path = str(folder, "/", saving::exported_weights);
  const Config description = Config::parse(text_of_file(described, location), location);
  if (!description.is_map() || description.find("format") == nullptr ||
      !(description["format"] == Config(saving::export_format)))
    raise_unfit(described, "another format");
  auto state = std::make_shared<State>();
  state->inputs = ports_of(description["inputs"]);
  state->outputs = ports_of(description["outputs"]);
  state->batch_size = description["batch_size"].integer();
  if (state->batch_size < 1 || state->batch_size > most_rows) raise_unfit(described, "batch_size");
  const stablehlo::Program program =
      stablehlo::parse(text_of_file(program_path, location), program_path);
  const ir::Module module = stablehlo::import_module(program, {.replicas = 1, .partitions = 1});
  const ir::Function& main = module.main();
  const auto& arguments = main.body.arguments;
  const Config::List& names = description["weights"].list();
  if (arguments.size() != state->inputs.size() + names.size() ||
      main.body.results.size() != state->outputs.size())
    raise_unfit(program_path, str("a program with ", arguments.size(), " arguments and ",
                                  main.body.results.size(), " results"));
  for (size_t i = 0; i < state->inputs.size(); ++i) {
    state->input_types.push_back(main.type(arguments[i]));
    const Shape& shape = state->input_types.back().shape;
    if (shape.rank() == 0 || shape[0] != state->batch_size)
      raise_unfit(program_path, str("an input of shape ", shape));
  }
  const io::Safetensors weights = io::read_safetensors(weights_path, location);
  state->client = default_client();
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i].text_value();
    const Literal* value = weights.tensors.find(name);
    const ir::Type wanted = main.type(arguments[state->inputs.size() + i]);
    if (value == nullptr || !(ir::Type{value->dtype(), value->shape()} == wanted))
      raise_unfit(weights_path, str("no array '", name, "' of type ", ir::to_string(wanted)));
    state->weights.push_back(state->client->from_host(*value));
  }
  state->executable = state->client->compile(module, {.name = "predict"});
  state_ = std::move(state);
}

const std::vector<NetworkPort>& ExportedModel::input_ports() const { return state_->inputs; }
const std::vector<NetworkPort>& ExportedModel::output_ports() const { return state_->outputs; }

namespace {

// Rows [begin, begin + count) and zeros after the last.
Literal batch_of(const Literal& array, int64_t begin, const ir::Type& type) {
  const int64_t rows = type.shape[0], end = std::min(array.shape()[0], begin + rows);
  const Literal part = array.rows(begin, end);
  if (end - begin == rows) return part;
  Literal filled = Literal::zeros(type.dtype, type.shape);
  std::copy_n(part.raw(), part.byte_size(), filled.mutable_raw());
  return filled;
}

// As many rows as all inputs have.
int64_t check_inputs(const std::vector<NetworkPort>& ports, const std::vector<ir::Type>& types,
                     const Example& inputs) {
  int64_t rows = -1;
  for (size_t i = 0; i < ports.size(); ++i) {
    const Literal* array = inputs.find(ports[i].name);
    if (array == nullptr)
      raise<InvalidArgument>(
          {.what = str("no input '", ports[i].name, "'"), .got = join(inputs.names(), ", ")});
    const bool fits =
        array->dtype() == types[i].dtype && array->rank() == types[i].shape.rank() &&
        array->rank() > 0 && array->shape()[0] > 0 &&
        std::equal(array->shape().begin() + 1, array->shape().end(), types[i].shape.begin() + 1) &&
        (rows < 0 || rows == array->shape()[0]);
    if (!fits) {
      raise<InvalidArgument>(
          {.what = str("input '", ports[i].name, "' is ", array->dtype(), array->shape()),
           .wanted = str(types[i].dtype, ports[i].type.shape, " with as many rows as the others")});
    }
    rows = array->shape()[0];
  }
  return rows;
}

}  // namespace

Example ExportedModel::predict(const Example& inputs, SourceLocation location) const {
  const ErrorScope scope("predict", location);
  const State& state = *state_;
  const int64_t rows = check_inputs(state.inputs, state.input_types, inputs);
  std::vector<std::vector<Literal>> parts(state.outputs.size());
  for (int64_t begin = 0; begin < rows; begin += state.batch_size) {
    std::vector<runtime::BufferPtr> arguments;
    for (size_t i = 0; i < state.inputs.size(); ++i) {
      arguments.push_back(state.client->from_host(
          batch_of(inputs[state.inputs[i].name], begin, state.input_types[i])));
    }
    arguments.insert(arguments.end(), state.weights.begin(), state.weights.end());
    const auto results = state.executable->execute(std::move(arguments));
    const int64_t real = std::min(state.batch_size, rows - begin);
    for (size_t i = 0; i < results.size(); ++i)
      parts[i].push_back(results[i]->to_literal().rows(0, real));
  }
  Example outputs;
  for (size_t i = 0; i < parts.size(); ++i) {
    outputs.set(state.outputs[i].name,
                joined(parts[i], {.what = "predict", .unit = "the output of batch"}));
  }
  return outputs;
}

}  // namespace systolic::inline v0
