// Model weights as safetensors; of a file of a training run (training_file.h) the rest too.
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/tensor_checksums.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/weights/training_file.h"
#include "systolic/train/weights/weight_match.h"
#include "systolic/train/weights/weights_form.h"

namespace systolic::inline v0 {
void write_safetensors_weights(const Model& model, const std::string& path,
                               const SaveWeightsOptions& /*options*/, SourceLocation location) {
  Example::Components tensors;
  for (const NamedVariable& weight : model.network().named_weights()) {
    tensors.push_back({weight.path, weight.variable.literal()});
  }
  const Example all(std::move(tensors));
  io::write_safetensors(path, all, io::with_checksums(all, {{"model", model.name()}}), location);
}

void read_safetensors_weights(Model& model, const std::string& path,
                              const LoadWeightsOptions& options, SourceLocation location) {
  const TrainingArrays arrays = split_arrays(open_training(path, location));
  WeightMatch match = match_by_name(model.network().named_weights(), arrays.weights);
  if (match.fits() && !arrays.training.empty() && is_compiled(model))
    match.add_optimizer(match_by_name(training_variables(model), arrays.training),
                        OptimizerPart::read_where_it_fits, path, model.optimizer().name());
  match.assign(path, options, location);
}

}  // namespace systolic::inline v0
