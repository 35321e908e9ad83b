#include "systolic/train/weights/keras_weights.h"

#include <algorithm>
#include <set>

#include "systolic/base/error.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/weights/keras_shards.h"
#include "systolic/train/weights/optimizer_variables.h"
#include "systolic/train/weights/weight_groups.h"
#include "systolic/train/weights/weight_match.h"
#include "systolic/train/weights/weights_form.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr const char* optimizer_path = "optimizer";

std::string vars_of(const std::string& path) { return path.empty() ? "vars" : str(path, "/vars"); }

WeightGroup optimizer_group(const Model& model) {
  const Optimizer& optimizer = model.optimizer();
  return {optimizer_path, optimizer.name(),
          optimizer_variables(optimizer, trainable_in_keras_order(model.network()))};
}

// Draws of dropout layers and the like, which this library keeps in one state for the model.
bool is_random_state(const std::string& path) {
  return path.find("seed_generator") != std::string::npos;
}

// Weights of tokens, which a lookup has among its fields.
bool is_of_configuration(const KerasArrays::Group& group) {
  return group.size() == 1 && group.begin()->first == "idf_weights";
}

// Groups that no layer asked for.
void list_unexpected(const KerasArrays& file, const std::set<std::string>& expected,
                     WeightMatch& match) {
  for (const auto& [path, group] : file.groups) {
    if (group.empty() || expected.count(path) != 0 || is_random_state(path) ||
        path.starts_with("optimizer/") || is_of_configuration(group))
      continue;
    match.unexpected(str(path, " with ", group.size(), " arrays"));
  }
  for (const std::string& link : file.links) match.unexpected(link);
}

// What a file says of one group, against the model's.
void match_group(const KerasArrays& file, const WeightGroup& group, WeightMatch& match) {
  const std::string path = vars_of(group.path);
  const KerasArrays::Group* found = file.find(path);
  const bool holds_none = found == nullptr || is_of_configuration(*found);
  const size_t stored = holds_none ? 0 : found->size();
  if (stored != group.variables.size()) {
    const std::string what = str(path, " of layer '", group.name, "' has ", stored,
                                 " arrays in the file, ", group.variables.size(), " in the model");
    stored == 0 ? match.missing(what) : match.mismatched(what);
    return;
  }
  for (size_t i = 0; i < stored; ++i) {
    const auto array = found->find(str(i));
    if (array == found->end()) {
      match.missing(str(path, "/", i));
      continue;
    }
    match.found(group.variables[i], array->second.type, str(path, "/", i), array->second.read);
  }
}

std::vector<WeightGroup> all_groups(const Model& model, bool with_optimizer) {
  std::vector<WeightGroup> groups = weight_groups(model.network());
  if (with_optimizer) groups.push_back(optimizer_group(model));
  return groups;
}

// The state after compile and before training: Keras makes slots in the first step, so that there
// are but counts and rates, which compile sets.
bool is_untrained(const KerasArrays::Group& state, const Model& model) {
  const auto is_scalar = [](const auto& entry) { return entry.second.type.shape.rank() == 0; };
  return !state.empty() && std::all_of(state.begin(), state.end(), is_scalar) &&
         state.size() < optimizer_group(model).variables.size();
}

void refuse_by_name(const LoadWeightsOptions& options) {
  if (!options.by_name) return;
  raise<InvalidArgument>(
      {.what = "by_name of Keras 3's weights, which know layers by their places, not by names",
       .hint = "skip_mismatch leaves out what has another shape; .safetensors, .npz and "
               "Keras's older .h5 have names"});
}

void set_weights_alone(Model& model, const KerasArrays& file, const LoadWeightsOptions& options,
                       SourceLocation location) {
  set_keras_weights(model, file,
                    is_compiled(model) ? OptimizerPart::read_where_it_fits : OptimizerPart::left,
                    options, location);
}

}  // namespace

WeightFile keras_weight_file(const Model& model, bool with_optimizer) {
  WeightFile file;
  for (const WeightGroup& group : all_groups(model, with_optimizer)) {
    const std::string path = vars_of(group.path);
    file.root.add_group(path).set("name", Literal::scalar(group.name));
    for (size_t i = 0; i < group.variables.size(); ++i)
      file.add(str(path, "/", i), group.variables[i]);
    if (group.token_weights) file.add(path + "/idf_weights", *group.token_weights);
  }
  return file;
}

void set_keras_weights(Model& model, const KerasArrays& file, OptimizerPart optimizer,
                       const LoadWeightsOptions& options, SourceLocation location) {
  WeightMatch match;
  std::set<std::string> expected;
  for (const WeightGroup& group : weight_groups(model.network())) {
    match_group(file, group, match);
    expected.insert(vars_of(group.path));
  }
  list_unexpected(file, expected, match);
  const KerasArrays::Group* state = file.find(vars_of(optimizer_path));
  if (optimizer != OptimizerPart::left && state != nullptr && match.fits() &&
      !is_untrained(*state, model)) {
    WeightMatch of_optimizer;
    match_group(file, optimizer_group(model), of_optimizer);
    match.add_optimizer(std::move(of_optimizer), optimizer, file.path, model.optimizer().name());
  }
  match.assign(file.path, options, location);
}

}  // namespace saving

void write_keras_weights(const Model& model, const std::string& path,
                         const SaveWeightsOptions& /*options*/, SourceLocation location) {
  const saving::WeightFile file = saving::keras_weight_file(model, is_compiled(model));
  io::write_hdf5(path, file.root, file.values(location), location);
}

void read_keras_weights(Model& model, const std::string& path, const LoadWeightsOptions& options,
                        SourceLocation location) {
  saving::refuse_by_name(options);
  const io::Hdf5File file = io::open_hdf5(path, {}, location);
  saving::set_weights_alone(model, saving::keras_arrays(file, location), options, location);
}

void write_keras_shards(const Model& model, const std::string& path,
                        const SaveWeightsOptions& options, SourceLocation location) {
  saving::write_shards(saving::all_groups(model, is_compiled(model)), path,
                       options.max_shard_size.value_or(saving::default_max_shard_size), location);
}

void read_keras_shards(Model& model, const std::string& path, const LoadWeightsOptions& options,
                       SourceLocation location) {
  saving::refuse_by_name(options);
  saving::set_weights_alone(model, saving::open_shards(path, location), options, location);
}

}  // namespace systolic::inline v0
