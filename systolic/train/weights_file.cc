// Model weights as safetensors.
#include <map>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/safetensors.h"
#include "systolic/ir/module.h"
#include "systolic/train/model_state.h"
#include "systolic/train/training_file.h"

namespace systolic::inline v0 {
namespace {

template <class Array>
ir::Type type_of(const Array& array) {
  return {array.dtype(), array.shape()};
}

// Everything that keeps the file from fitting the model, one line each. What of a run stands beside
// the weights may be left alone.
std::vector<std::string> misfits(const std::vector<NamedVariable>& weights, const Example& tensors,
                                 bool of_a_run) {
  std::vector<std::string> lines;
  std::map<std::string, bool> known;
  for (const NamedVariable& weight : weights) {
    known[weight.path] = true;
    const Literal* value = tensors.find(weight.path);
    if (value == nullptr) {
      lines.push_back(str("missing: ", weight.path));
    } else if (type_of(*value) != type_of(weight.variable)) {
      lines.push_back(str("mismatched: ", weight.path, " is ", to_string(type_of(*value)),
                          " in the file, ", to_string(type_of(weight.variable)), " in the model"));
    }
  }
  for (const auto& component : tensors) {
    const bool beside = of_a_run && component.name.starts_with("training/");
    if (!known[component.name] && !beside) lines.push_back(str("unexpected: ", component.name));
  }
  return lines;
}

}  // namespace

void Model::save_weights(const std::string& path, SourceLocation location) const {
  const ErrorScope scope("save_weights", location);
  Example::Components tensors;
  for (const NamedVariable& weight : network().named_weights()) {
    tensors.push_back({weight.path, weight.variable.literal()});
  }
  io::write_safetensors(path, Example(std::move(tensors)),
                        {{"format", "systolic"}, {"model", name()}});
}

void Model::load_weights(const std::string& path, SourceLocation location) {
  const ErrorScope scope("load_weights", location);
  if (!network().built()) {
    raise<FailedPrecondition>(
        {.what = str(path, " is read into a model whose shapes are not known yet"),
         .hint = "begin the model with an Input layer, or call it once"});
  }
  const io::Safetensors file = io::read_safetensors(path);
  const bool of_a_run = is_training_file(file.metadata);
  std::vector<NamedVariable> weights = network().named_weights();
  if (of_a_run && state_->optimizer) {
    for (NamedVariable& one : training_variables(*this)) weights.push_back(std::move(one));
  }
  const std::vector<std::string> lines = misfits(weights, file.tensors, of_a_run);
  if (!lines.empty()) {
    raise<InvalidArgument>(
        {.what = str("the weights in ", path, " do not fit the model; nothing was loaded:\n  ",
                     join(lines, "\n  ")),
         .hint = "build the model with the layers and sizes with which the file was written"});
  }
  for (const NamedVariable& weight : weights) weight.variable.set(file.tensors[weight.path]);
}

}  // namespace systolic::inline v0
