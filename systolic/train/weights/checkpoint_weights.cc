// Weights as a TensorFlow checkpoint: of tf_keras's save_weights, tf.train.Checkpoint, or a
// SavedModel.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensor_bundle/checkpoint_state.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/weights/checkpoint_model.h"
#include "systolic/train/weights/checkpoint_optimizer.h"
#include "systolic/train/weights/weight_groups.h"
#include "systolic/train/weights/weights_form.h"

namespace systolic::inline v0 {
namespace {

using saving::StoredObjects;

constexpr std::string_view index_ending = ".index";

// "run/model.ckpt" of "run/model.ckpt.index".
std::string without_index(const std::string& path) {
  if (!path.ends_with(index_ending)) return path;
  return path.substr(0, path.size() - index_ending.size());
}

// An array of a checkpoint that has a variable's name.
struct NamedArray {
  std::string name;
  size_t number = 0;
};

// In the order in which they are reached from the root. TensorFlow 1 had names alone.
std::vector<NamedArray> named_arrays(const StoredObjects& stored) {
  std::vector<NamedArray> arrays;
  const auto& tensors = stored.bundle().tensors();
  for (size_t node = 0; node < stored.graph().nodes.size(); ++node) {
    if (const auto array = stored.array(node)) arrays.push_back({array->name, array->number});
  }
  for (size_t i = 0; i < tensors.size() && !stored.has_graph(); ++i)
    arrays.push_back({tensors[i].name, i});
  return arrays;
}

// The array of a weight: of its name, or of one that ends in "/" and its name. Nothing where arrays
// of several names do, or none does.
const NamedArray* array_for(const std::string& path, const std::vector<NamedArray>& arrays) {
  const NamedArray* found = nullptr;
  bool several = false;
  const std::string ending = "/" + path;
  for (const NamedArray& array : arrays) {
    if (array.name == path || array.name == path + ":0") return &array;
    if (!array.name.ends_with(ending) || (found != nullptr && found->name == array.name)) continue;
    several = found != nullptr;
    if (found == nullptr) found = &array;
  }
  return several ? nullptr : found;
}

WeightMatch match_names(const StoredObjects& stored, const Model& model, SourceLocation location) {
  const std::vector<NamedArray> arrays = named_arrays(stored);
  WeightMatch match;
  for (const NamedVariable& weight : model.network().named_weights()) {
    const NamedArray* array = array_for(weight.path, arrays);
    if (array == nullptr) {
      match.missing(weight.path);
      continue;
    }
    const io::TensorInfo& info = stored.bundle().tensors()[array->number];
    match.found(weight.variable, {info.dtype, info.shape}, weight.path,
                stored.reader({array->number, array->name}, location));
  }
  return match;
}

// What Keras 3's export writes (keras/src/export/export_archive.py): no layers, but the model's
// variables as a list in Keras's order, "variables", and once more in any order, "_all_variables".
std::optional<size_t> exported_list(const StoredObjects& stored) {
  if (!stored.has_graph() || !stored.child(StoredObjects::root(), "_all_variables"))
    return std::nullopt;
  return stored.child(StoredObjects::root(), "variables");
}

// Integers are left as they are: counters, and states of random generators, which the file has
// among the others.
WeightMatch match_exported(const StoredObjects& stored, size_t list, const Model& model,
                           SourceLocation location) {
  std::vector<StoredObjects::Array> arrays;
  for (const size_t node : stored.list(list)) {
    const auto array = stored.array(node);
    if (array && is_float(stored.info(*array).dtype)) arrays.push_back(*array);
  }
  std::vector<std::pair<std::string, Variable>> variables;
  for (const saving::WeightGroup& group : saving::weight_groups(model.network())) {
    for (const Variable& variable : group.variables) {
      if (is_float(variable.dtype())) variables.emplace_back(group.name, variable);
    }
  }
  WeightMatch match;
  if (arrays.size() != variables.size()) {
    match.missing(str("the model has ", arrays.size(), " variables in the file, ", variables.size(),
                      " in the program"));
    return match;
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    const io::TensorInfo& info = stored.info(arrays[i]);
    match.found(variables[i].second, {info.dtype, info.shape},
                str(variables[i].first, ", variable ", i), stored.reader(arrays[i], location));
  }
  return match;
}

WeightMatch match_without_layers(const StoredObjects& stored, const Model& model,
                                 const LoadWeightsOptions& options, SourceLocation location) {
  WeightMatch by_names = match_names(stored, model, location);
  const auto list = exported_list(stored);
  if (by_names.fits() || options.by_name || !list) return by_names;
  return match_exported(stored, *list, model, location);
}

// The one network of the checkpoint, or the one that is called "model".
std::optional<size_t> network_in(const StoredObjects& stored, const std::string& path) {
  const auto networks = saving::stored_networks(stored);
  if (networks.empty()) return std::nullopt;
  if (networks.size() == 1) return networks.front().second;
  std::vector<std::string> names;
  for (const auto& [name, node] : networks) {
    if (name == "model") return node;
    names.push_back(name);
  }
  raise<InvalidArgument>({.what = str(path, " holds several models: ", join(names)),
                          .wanted = "a checkpoint of one",
                          .hint = "Checkpoint restores each by its name"});
}

void add_stored_optimizer(const StoredObjects& stored, size_t network, const Model& model,
                          const saving::StoredVariables& variables, const std::string& path,
                          WeightMatch& match, SourceLocation location) {
  auto node = stored.child(network, "optimizer");
  if (!node) node = stored.child(StoredObjects::root(), "optimizer");
  if (!node || !stored.reaches_arrays(*node)) return;
  WeightMatch of_optimizer;
  model.optimizer().build(model.trainable_variables());
  saving::match_optimizer(stored, *node, model.optimizer(),
                          saving::trainable_in_keras_order(model.network()), variables,
                          of_optimizer, location);
  match.add_optimizer(std::move(of_optimizer), OptimizerPart::read_where_it_fits, path,
                      model.optimizer().name());
}

}  // namespace

std::string checkpoint_at(const std::string& path, SourceLocation location) {
  if (path.ends_with(index_ending)) return without_index(path);
  if (io::exists(path + std::string(index_ending), location)) return path;
  const std::string variables = path + "/variables/variables";
  if (io::exists(variables + std::string(index_ending), location)) return variables;
  return io::exists(path + "/checkpoint", location) ? latest_checkpoint(path, location) : "";
}

void write_checkpoint_weights(const Model& model, const std::string& path,
                              const SaveWeightsOptions& /*options*/, SourceLocation location) {
  const std::string prefix = without_index(path);
  saving::CheckpointObjects objects;
  saving::ModelObjects(objects).add_network(*model.network().state(), objects.root());
  if (is_compiled(model)) {
    model.optimizer().build(model.trainable_variables());
    saving::add_optimizer(model.optimizer(), saving::trainable_in_keras_order(model.network()),
                          objects, objects.add(objects.root(), "optimizer"));
  }
  io::make_folder_of(prefix, location);
  objects.write(prefix, location);
  const size_t slash = prefix.rfind('/');
  io::write_checkpoint_state(
      slash == std::string::npos ? "." : prefix.substr(0, slash),
      {.latest = prefix.substr(slash + 1), .all = {prefix.substr(slash + 1)}, .timestamps = {}},
      location);
}

void read_checkpoint_weights(Model& model, const std::string& path,
                             const LoadWeightsOptions& options, SourceLocation location) {
  const std::string prefix = checkpoint_at(path, location);
  const StoredObjects stored(prefix.empty() ? path : prefix, location);
  const auto network = options.by_name ? std::nullopt : network_in(stored, stored.path());
  if (!network) {
    return match_without_layers(stored, model, options, location)
        .assign(stored.path(), options, location);
  }
  WeightMatch match;
  const saving::StoredVariables variables =
      saving::match_network(stored, *network, *model.network().state(), match, location);
  if (match.fits() && is_compiled(model))
    add_stored_optimizer(stored, *network, model, variables, stored.path(), match, location);
  match.assign(stored.path(), options, location);
}

}  // namespace systolic::inline v0
