#include "systolic/train/weights/legacy_weights.h"

#include <algorithm>
#include <map>

#include "systolic/base/error.h"
#include "systolic/train/weights/optimizer_variables.h"
#include "systolic/train/weights/weight_groups.h"
#include "systolic/train/weights/weight_match.h"
#include "systolic/train/weights/weights_form.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr const char *layer_names = "layer_names", *weight_names = "weight_names",
                     *optimizer_group_name = "optimizer_weights";

std::string below(const std::string& path, const std::string& name) {
  return path.empty() ? name : str(path, "/", name);
}

// Keras writes an empty list as numbers, of which there are none.
void set_names(io::Hdf5Group& group, const char* name, const std::vector<std::string>& names) {
  names.empty() ? group.set(name, Literal(DType::f64, {0})) : set_hdf5_strings(group, name, names);
}

std::vector<std::string> names_in(const io::Hdf5Group& group, const char* name) {
  return hdf5_strings(group, name).value_or(std::vector<std::string>{});
}

// A layer's group of a file, with weights.
struct StoredLayer {
  std::string name;
  const io::Hdf5Group* group = nullptr;
  std::vector<std::string> weights;
};

[[noreturn]] void raise_damaged(const io::Hdf5File& file, const std::string& what) {
  raise<DataLoss>({.what = str(file.path(), ": ", what), .wanted = "weights as Keras saves them"});
}

std::vector<StoredLayer> stored_layers(const io::Hdf5File& file, const io::Hdf5Group& layers) {
  const auto names = hdf5_strings(layers, layer_names);
  if (!names) raise_damaged(file, "a file without 'layer_names'");
  std::vector<StoredLayer> stored;
  std::map<std::string, bool> seen;
  for (const std::string& name : *names) {
    const io::Hdf5Group* group = layers.find_group(name);
    if (group == nullptr) raise_damaged(file, str("'layer_names' has '", name, "', no group does"));
    if (!seen.emplace(name, true).second)
      raise_damaged(file, str("'layer_names' has '", name, "' twice"));
    std::vector<std::string> weights = names_in(*group, weight_names);
    if (!weights.empty()) stored.push_back({name, group, std::move(weights)});
  }
  return stored;
}

class LegacyReader {
 public:
  LegacyReader(const io::Hdf5File& file, SourceLocation location)
      : file_(file), location_(location) {}

  // Variables in the order of the names.
  WeightMatch match(const std::string& what, const std::vector<Variable>& variables,
                    const io::Hdf5Group& group, const std::vector<std::string>& names) const {
    WeightMatch result;
    add(what, variables, group, names, result);
    return result;
  }
  void add(const std::string& what, const std::vector<Variable>& variables,
           const io::Hdf5Group& group, const std::vector<std::string>& names,
           WeightMatch& result) const {
    if (names.size() != variables.size()) {
      result.mismatched(str(what, " has ", names.size(), " arrays in the file, ", variables.size(),
                            " in the model"));
      return;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      const io::Hdf5Dataset* dataset = group.find_dataset(names[i]);
      if (dataset == nullptr)
        raise_damaged(file_, str("'weight_names' has '", names[i], "', which is no array"));
      result.found(variables[i], {dataset->dtype, dataset->shape}, names[i],
                   [this_file = file_, dataset, place = location_] {
                     return this_file.read(*dataset, place);
                   });
    }
  }

 private:
  const io::Hdf5File& file_;
  SourceLocation location_;
};

std::vector<Variable> variables_of(const OuterLayer& layer) {
  std::vector<Variable> variables;
  for (const NamedVariable& weight : layer.weights) variables.push_back(weight.variable);
  return variables;
}

// Which of the file's layers each of the model's is read from; null: none.
std::vector<const StoredLayer*> pair_layers(const std::vector<OuterLayer>& ours,
                                            const std::vector<StoredLayer>& stored, bool by_name) {
  std::vector<const StoredLayer*> pairs(ours.size());
  size_t found = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const auto same = std::find_if(stored.begin(), stored.end(), [&](const StoredLayer& one) {
      return one.name == ours[i].name;
    });
    if (same == stored.end()) continue;
    pairs[i] = &*same;
    ++found;
  }
  if (by_name || found == ours.size() || ours.size() != stored.size()) return pairs;
  for (size_t i = 0; i < ours.size(); ++i) pairs[i] = &stored[i];
  return pairs;
}

WeightMatch match_layers(const Model& model, const std::vector<StoredLayer>& stored, bool by_name,
                         const LegacyReader& reader) {
  std::vector<OuterLayer> ours = outer_layers(model.network());
  std::erase_if(ours, [](const OuterLayer& layer) { return layer.weights.empty(); });
  const std::vector<const StoredLayer*> pairs = pair_layers(ours, stored, by_name);
  WeightMatch match;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (pairs[i] == nullptr) {
      match.missing(str("layer ", ours[i].name));
      continue;
    }
    reader.add(str("layer ", ours[i].name), variables_of(ours[i]), *pairs[i]->group,
               pairs[i]->weights, match);
  }
  for (const StoredLayer& one : stored) {
    if (std::find(pairs.begin(), pairs.end(), &one) == pairs.end())
      match.unexpected(str("layer ", one.name));
  }
  return match;
}

// "Adam/dense/kernel/m:0" -> "m".
std::string last_part(std::string name) {
  name = name.substr(0, name.rfind(':'));
  return name.substr(name.rfind('/') + 1);
}

// TensorFlow 2 before 2.11 kept all of "m", then all of "v"; since then they alternate.
std::vector<std::string> alternating(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> slots;
  std::map<std::string, size_t> places;
  for (size_t i = 1; i < names.size(); ++i) {
    const auto place = places.emplace(last_part(names[i]), slots.size());
    if (place.second) slots.emplace_back();
    slots[place.first->second].push_back(names[i]);
  }
  if (places.count("m") == 0 || places.count("v") == 0) return names;
  std::vector<std::string> result{names.front()};
  for (size_t i = 0; i < slots.front().size(); ++i) {
    for (size_t slot = 0; slot < 2; ++slot) {
      if (i < slots[slot].size()) result.push_back(slots[slot][i]);
    }
  }
  for (size_t slot = 2; slot < slots.size(); ++slot)
    result.insert(result.end(), slots[slot].begin(), slots[slot].end());
  return result;
}

// The state after compile and before training: there are no slots, but counts and rates.
bool all_scalars(const io::Hdf5Group& group, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const io::Hdf5Dataset* dataset = group.find_dataset(name);
    return dataset != nullptr && dataset->shape.rank() == 0;
  });
}

WeightMatch match_optimizer(const Model& model, const io::Hdf5Group& group,
                            const LegacyReader& reader) {
  const std::vector<std::string> names = alternating(names_in(group, weight_names));
  std::vector<Variable> variables =
      optimizer_variables(model.optimizer(), trainable_in_keras_order(model.network()));
  // Keras 2 keeps the learning rate in the configuration alone.
  if (names.size() + 1 == variables.size() && !model.optimizer().has_schedule())
    variables.erase(variables.begin() + 1);
  if (!names.empty() && names.size() < variables.size() && all_scalars(group, names)) return {};
  return reader.match("the optimizer", variables, group, names);
}

}  // namespace

void add_legacy_weights(const Model& model, const std::string& path, WeightFile& file) {
  const std::vector<OuterLayer> layers = outer_layers(model.network());
  std::vector<std::string> names;
  for (const OuterLayer& layer : layers) {
    names.push_back(layer.name);
    std::vector<std::string> weights;
    for (const NamedVariable& weight : layer.weights) {
      weights.push_back(weight.path);
      file.add(below(path, str(layer.name, "/", weight.path)), weight.variable);
    }
    set_names(file.root.add_group(below(path, layer.name)), weight_names, weights);
  }
  set_names(file.root.add_group(below(path, "top_level_model_weights")), weight_names, {});
  io::Hdf5Group& group = path.empty() ? file.root : file.root.add_group(path);
  set_names(group, layer_names, names);
  group.set("keras_version", Literal::scalar(keras_version));
  group.set("backend", Literal::scalar("systolic"));
}

void add_legacy_optimizer(const Model& model, WeightFile& file) {
  const auto variables =
      optimizer_variables(model.optimizer(), trainable_in_keras_order(model.network()));
  std::vector<std::string> names;
  for (const Variable& variable : variables) {
    names.push_back(str(model.optimizer().name(), "/", names.size()));
    file.add(str(optimizer_group_name, "/", names.back()), variable);
  }
  set_names(file.root.add_group(optimizer_group_name), weight_names, names);
}

void set_legacy_weights(Model& model, const io::Hdf5File& file, const io::Hdf5Group& layers,
                        OptimizerPart optimizer, const LoadWeightsOptions& options,
                        SourceLocation location) {
  const LegacyReader reader(file, location);
  WeightMatch match = match_layers(model, stored_layers(file, layers), options.by_name, reader);
  const io::Hdf5Group* group = file.root().find_group(optimizer_group_name);
  if (optimizer != OptimizerPart::left && group != nullptr && match.fits()) {
    match.add_optimizer(match_optimizer(model, *group, reader), optimizer, file.path(),
                        model.optimizer().name());
  }
  match.assign(file.path(), options, location);
}

}  // namespace saving

void write_legacy_weights(const Model& model, const std::string& path,
                          const SaveWeightsOptions& /*options*/, SourceLocation location) {
  saving::WeightFile file;
  saving::add_legacy_weights(model, "", file);
  io::write_hdf5(path, file.root, file.values(location), location);
}

void read_legacy_weights(Model& model, const std::string& path, const LoadWeightsOptions& options,
                         SourceLocation location) {
  const io::Hdf5File file = io::open_hdf5(path, {}, location);
  const io::Hdf5Group* inside = file.root().find_group("model_weights");
  const bool whole = inside != nullptr && inside->attribute("layer_names") != nullptr;
  saving::set_legacy_weights(model, file, whole ? *inside : file.root(), OptimizerPart::left,
                             options, location);
}

}  // namespace systolic::inline v0
