// Model::save_weights and load_weights: the form of the file follows the path's ending.
#include "systolic/train/saving/weights_form.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

// An ending that is part of another's end stands after it; the last is what all else is.
constexpr WeightsForm weights_forms[] = {
    {".weights.h5", write_keras_weights, read_keras_weights},
    {".h5", write_legacy_weights, read_legacy_weights},
    {".npz", write_npz_weights, read_npz_weights},
    {"", write_safetensors_weights, read_safetensors_weights},
};

void check_built(const Model& model, const std::string& path) {
  if (model.network().built()) return;
  raise<FailedPrecondition>(
      {.what = str(path, " is for the weights of a model whose shapes are not known yet"),
       .hint = "begin the model with an Input layer, or call it once"});
}

}  // namespace

const WeightsForm& weights_form_of(std::string_view path) {
  for (const WeightsForm& form : weights_forms) {
    if (path.ends_with(form.ending)) return form;
  }
  return std::end(weights_forms)[-1];
}

void Model::save_weights(const std::string& path, SourceLocation location) const {
  const ErrorScope scope("save_weights", location);
  check_built(*this, path);
  weights_form_of(path).write(*this, path, location);
}

void Model::load_weights(const std::string& path, const LoadWeightsOptions& options,
                         SourceLocation location) {
  const ErrorScope scope("load_weights", location);
  check_built(*this, path);
  weights_form_of(path).read(*this, path, options, location);
}

}  // namespace systolic::inline v0
