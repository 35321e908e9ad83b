#include "systolic/saving/text_model.h"

#include <algorithm>
#include <map>

#include "systolic/base/error.h"
#include "systolic/saving/keras/keras_file.h"

namespace systolic::inline v0 {

struct TextModel::Parts {
  saving::TextModelParts parts;
};

namespace {

std::string host_input_names(const std::vector<saving::HostInput>& inputs) {
  std::vector<std::string> names;
  for (const saving::HostInput& input : inputs) names.push_back(input.name);
  return join(names, ", ");
}

// [rows] as [rows, 1] where the model's texts have a second axis.
Literal with_text_axis(const Literal& x, size_t rank) {
  const bool add_axis = x.dtype() == DType::string && x.rank() == 1 && rank == 2;
  return add_axis ? x.reshape({x.size(), 1}) : x;
}

// The arrays by the names of the model's inputs.
std::map<std::string, Literal> arrays_by_input(const ModelArrays& x,
                                               const std::vector<saving::HostInput>& inputs) {
  std::map<std::string, Literal> arrays;
  if (x.arrays().size() < inputs.size() ||
      (x.arrays().size() > inputs.size() && !x.may_be_more())) {
    raise<InvalidArgument>({.what = str(x.arrays().size(), " arrays for a model of texts"),
                            .wanted = str(inputs.size(), ": ", host_input_names(inputs))});
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto place = std::find(x.names().begin(), x.names().end(), inputs[i].name);
    if (!x.names().empty() && place == x.names().end()) {
      raise<InvalidArgument>(
          {.what = str("no array named '", inputs[i].name, "' among ", join(x.names(), ", ")),
           .wanted = host_input_names(inputs)});
    }
    const size_t from = x.names().empty() ? i : static_cast<size_t>(place - x.names().begin());
    arrays[inputs[i].name] = with_text_axis(x.arrays()[from], inputs[i].rank);
  }
  return arrays;
}

}  // namespace

Example TextModel::prepare(const ModelArrays& x, SourceLocation location) const {
  const ErrorScope scope("TextModel", location);
  const saving::HostSplit& host = parts_->parts.host;
  std::map<std::string, Literal> arrays = arrays_by_input(x, host.inputs);
  for (const saving::HostLayer& layer : host.layers) {
    std::vector<Literal> inputs;
    for (const std::string& name : layer.inputs) inputs.push_back(arrays.at(name));
    const ErrorScope of_layer(layer.name, location);
    arrays[layer.name] = layer.call(inputs);
  }
  Example::Components taken;
  for (const NetworkPort& port : model().network().input_ports())
    taken.emplace_back(port.name, arrays.at(port.name));
  return Example(std::move(taken));
}

Literal TextModel::predict(const ModelArrays& x, const PredictOptions& options,
                           SourceLocation location) const {
  return model().predict(prepare(x, location), options, location);
}

Example TextModel::predict_outputs(const ModelArrays& x, const PredictOptions& options,
                                   SourceLocation location) const {
  return model().predict_outputs(prepare(x, location), options, location);
}

const Model& TextModel::model() const { return parts_->parts.model; }

std::vector<std::string> TextModel::host_layers() const {
  std::vector<std::string> names;
  for (const saving::HostLayer& layer : parts_->parts.host.layers) names.push_back(layer.name);
  return names;
}

TextModel load_text_model(const std::string& path, const LoadOptions& options,
                          SourceLocation location) {
  const ErrorScope scope("load_text_model", location);
  return TextModel(std::make_shared<const TextModel::Parts>(
      TextModel::Parts{saving::read_keras_text_model(path, options, location)}));
}

}  // namespace systolic::inline v0
