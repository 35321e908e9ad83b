#include "systolic/train/saving/keras_weights.h"

#include <set>

#include "systolic/base/error.h"
#include "systolic/train/saving/optimizer_variables.h"
#include "systolic/train/saving/weight_groups.h"
#include "systolic/train/saving/weight_match.h"
#include "systolic/train/saving/weights_form.h"
#include "systolic/train/state/model_state.h"

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

// Datasets in groups that no layer asked for.
void list_unexpected(const io::Hdf5Group& group, const std::string& path,
                     const std::set<std::string>& expected, WeightMatch& match) {
  if (is_random_state(path) || path == optimizer_path) return;
  if (!group.datasets.empty() && expected.count(path) == 0)
    match.unexpected(str(path, " with ", group.datasets.size(), " arrays"));
  for (const io::Hdf5Group& inner : group.groups) {
    list_unexpected(inner, path.empty() ? inner.name : str(path, "/", inner.name), expected, match);
  }
}

// What a file says of one group, against the model's.
void match_group(const io::Hdf5File& file, const WeightGroup& group, WeightMatch& match,
                 SourceLocation location) {
  const std::string path = vars_of(group.path);
  const io::Hdf5Group* found = file.root().find_group(path);
  const size_t stored = found == nullptr ? 0 : found->datasets.size();
  if (stored != group.variables.size()) {
    const std::string what = str(path, " of layer '", group.name, "' has ", stored,
                                 " arrays in the file, ", group.variables.size(), " in the model");
    stored == 0 ? match.missing(what) : match.mismatched(what);
    return;
  }
  for (size_t i = 0; i < stored; ++i) {
    const io::Hdf5Dataset* dataset = found->find_dataset(str(i));
    if (dataset == nullptr) {
      match.missing(str(path, "/", i));
      continue;
    }
    match.found(group.variables[i], {dataset->dtype, dataset->shape}, str(path, "/", i),
                [&file, dataset, location] { return file.read(*dataset, location); });
  }
}

}  // namespace

WeightFile keras_weight_file(const Model& model, bool with_optimizer) {
  WeightFile file;
  std::vector<WeightGroup> groups = weight_groups(model.network());
  if (with_optimizer) groups.push_back(optimizer_group(model));
  for (const WeightGroup& group : groups) {
    const std::string path = vars_of(group.path);
    file.root.add_group(path).set("name", Literal::scalar(group.name));
    for (size_t i = 0; i < group.variables.size(); ++i)
      file.add(str(path, "/", i), group.variables[i]);
  }
  return file;
}

std::string keras_weights(const Model& model, bool with_optimizer, SourceLocation location) {
  const WeightFile file = keras_weight_file(model, with_optimizer);
  const io::Hdf5Layout layout(file.root, location);
  std::string bytes;
  bytes.reserve(layout.bytes());
  layout.write(
      [&](const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); },
      file.values(location), location);
  return bytes;
}

void set_keras_weights(Model& model, const io::Hdf5File& file, OptimizerPart optimizer,
                       const LoadWeightsOptions& options, SourceLocation location) {
  WeightMatch match;
  std::set<std::string> expected;
  for (const WeightGroup& group : weight_groups(model.network())) {
    match_group(file, group, match, location);
    expected.insert(vars_of(group.path));
  }
  list_unexpected(file.root(), "", expected, match);
  const bool has_optimizer = file.root().find_group(vars_of(optimizer_path)) != nullptr;
  if (optimizer != OptimizerPart::left && has_optimizer && match.fits()) {
    WeightMatch of_optimizer;
    match_group(file, optimizer_group(model), of_optimizer, location);
    match.add_optimizer(std::move(of_optimizer), optimizer, file.path(), model.optimizer().name());
  }
  match.assign(file.path(), options, location);
}

}  // namespace saving

void write_keras_weights(const Model& model, const std::string& path, SourceLocation location) {
  const bool with_optimizer = model.state()->compiled().optimizer.has_value();
  const saving::WeightFile file = saving::keras_weight_file(model, with_optimizer);
  io::write_hdf5(path, file.root, file.values(location), location);
}

void read_keras_weights(Model& model, const std::string& path, const LoadWeightsOptions& options,
                        SourceLocation location) {
  if (options.by_name) {
    raise<InvalidArgument>(
        {.what = "by_name of a .weights.h5, which knows layers by their places, not by names",
         .hint = "skip_mismatch leaves out what has another shape; .safetensors, .npz and "
                 "Keras's older .h5 have names"});
  }
  const bool compiled = model.state()->compiled().optimizer.has_value();
  saving::set_keras_weights(model, io::open_hdf5(path, {}, location),
                            compiled ? OptimizerPart::read_where_it_fits : OptimizerPart::left,
                            options, location);
}

}  // namespace systolic::inline v0
