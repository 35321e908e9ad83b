// Model weights as safetensors; of a file of a training run (training_file.h) the rest too.
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/tensor_checksums.h"
#include "systolic/train/saving/training_file.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {
namespace {

// What of a run the file holds besides, where that is of this model's optimizer.
void add_training(const Model& model, const TrainingArrays& arrays, const std::string& path,
                  std::vector<NamedVariable>& variables) {
  std::vector<NamedVariable> more = training_variables(model);
  if (!misfits(more, arrays.training).empty()) {
    publish_warning(str("load_weights: the state of the optimizer in ", path, " is not that of an ",
                        model.optimizer().name(),
                        " with its options; the weights alone are loaded."));
    return;
  }
  for (NamedVariable& one : more) variables.push_back(std::move(one));
}

}  // namespace

void Model::save_weights(const std::string& path, SourceLocation location) const {
  const ErrorScope scope("save_weights", location);
  Example::Components tensors;
  for (const NamedVariable& weight : network().named_weights()) {
    tensors.push_back({weight.path, weight.variable.literal()});
  }
  const Example all(std::move(tensors));
  io::write_safetensors(path, all, io::with_checksums(all, {{"model", name()}}));
}

void Model::load_weights(const std::string& path, SourceLocation location) {
  const ErrorScope scope("load_weights", location);
  if (!network().built()) {
    raise<FailedPrecondition>(
        {.what = str(path, " is read into a model whose shapes are not known yet"),
         .hint = "begin the model with an Input layer, or call it once"});
  }
  const io::Safetensors file = read_checked(path, location);
  const TrainingArrays arrays = split_arrays(file.tensors, file.metadata);
  std::vector<NamedVariable> weights = network().named_weights();
  const std::vector<std::string> lines = misfits(weights, arrays.weights);
  if (!lines.empty()) {
    raise<InvalidArgument>(
        {.what = str("the weights in ", path, " do not fit the model; nothing was loaded:\n  ",
                     join(lines, "\n  ")),
         .hint = "build the model with the layers and sizes with which the file was written"});
  }
  if (arrays.training.size() > 0 && state_->compiled().optimizer)
    add_training(*this, arrays, path, weights);
  for (const NamedVariable& weight : weights) weight.variable.set(file.tensors[weight.path]);
}

}  // namespace systolic::inline v0
