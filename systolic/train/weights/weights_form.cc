// Model::save_weights and load_weights: the form of the file follows the path's ending.
#include "systolic/train/weights/weights_form.h"

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace {

// Longer endings come first; the empty one is for every other path.
constexpr WeightsForm weights_forms[] = {
    {".weights.h5", write_keras_weights, read_keras_weights},
    {".weights.json", write_keras_shards, read_keras_shards},
    {".h5", write_legacy_weights, read_legacy_weights},
    {".npz", write_npz_weights, read_npz_weights},
    {".ckpt", write_checkpoint_weights, read_checkpoint_weights},
    {".index", write_checkpoint_weights, read_checkpoint_weights},
    {"", write_safetensors_weights, read_safetensors_weights},
};

void check_built(const Model& model, const std::string& path) {
  if (model.network().built()) return;
  raise<FailedPrecondition>(
      {.what = str(path, " is for the weights of a model whose shapes are not known yet"),
       .hint = "begin the model with an Input layer, or call it once"});
}

void check_options(const SaveWeightsOptions& options, const WeightsForm& form,
                   const std::string& path, SourceLocation location) {
  if (options.max_shard_size && form.write != write_keras_shards) {
    raise<InvalidArgument>({.what = str("max_shard_size for '", path, "'"),
                            .wanted = "a path that ends in .weights.json",
                            .location = location});
  }
  if (options.max_shard_size && !(*options.max_shard_size > 0)) {
    raise<InvalidArgument>({.what = str("max_shard_size ", *options.max_shard_size),
                            .wanted = "GiB, more than 0",
                            .location = location});
  }
  if (!options.overwrite && io::exists(path, location)) {
    raise<FailedPrecondition>({.what = str("'", path, "' is there already"),
                               .hint = ".overwrite = true replaces it",
                               .location = location});
  }
}

}  // namespace

const WeightsForm& weights_form_of(std::string_view path) {
  for (const WeightsForm& form : weights_forms) {
    if (path.ends_with(form.ending)) return form;
  }
  return std::end(weights_forms)[-1];
}

const WeightsForm& weights_form_at(const std::string& path, SourceLocation location) {
  const WeightsForm& form = weights_form_of(path);
  const bool is_checkpoint = form.ending.empty() && !path.ends_with(".safetensors") &&
                             !checkpoint_at(path, location).empty();
  return is_checkpoint ? weights_form_of(".ckpt") : form;
}

void Model::save_weights(const std::string& path, const SaveWeightsOptions& options,
                         SourceLocation location) const {
  const ErrorScope scope("save_weights", location);
  check_built(*this, path);
  const WeightsForm& form = weights_form_of(path);
  check_options(options, form, path, location);
  form.write(*this, path, options, location);
}

void Model::load_weights(const std::string& path, const LoadWeightsOptions& options,
                         SourceLocation location) {
  const ErrorScope scope("load_weights", location);
  check_built(*this, path);
  weights_form_at(path, location).read(*this, path, options, location);
}

}  // namespace systolic::inline v0
