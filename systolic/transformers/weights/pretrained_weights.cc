#include "systolic/transformers/weights/pretrained_weights.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/base/join_some.h"
#include "systolic/base/log.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/tensors/folder/tensor_folder.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace {

constexpr const char *running_mean = ".running_mean", *batch_count = ".num_batches_tracked";
constexpr size_t most_named = 12;        // weights in a line of the log
constexpr size_t most_unexpected = 100;  // in an error: a file may have any number, a model has not

// What becomes of the weights, before anything is assigned.
struct Assignment {
  struct Weight {
    Variable variable;
    std::string name;  // in the checkpoint
    bool reversed;
  };
  std::vector<Weight> found;
  std::vector<std::string> missing, mismatched, fresh, unexpected;
};

// The arrays of a checkpoint by their present names. Where a weight is there under an older name
// too, the one under its present name counts.
class Tensors {
 public:
  Tensors(const io::TensorFolder& checkpoint, const PretrainedWeightsOptions& options)
      : options_(options) {
    for (const io::TensorInfo& tensor : checkpoint.tensors()) {
      if (contains_any(tensor.name, options.names.ignored)) continue;
      if (options.names.counts_batches && tensor.name.ends_with(batch_count)) continue;
      add(tensor, present_name(tensor.name, options.names));
    }
  }

  // In a checkpoint of the body alone its name does not stand in front.
  std::string without_body(const std::string& name) const {
    const std::string prefix = options_.body_name + ".";
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  }

  // Null where there is none.
  const io::TensorInfo* find(const std::string& name) {
    for (const std::string& one : {name, without_body(name)}) {
      const auto found = tensors_.find(one);
      if (found == tensors_.end()) continue;
      used_.insert(one);
      return found->second;
    }
    return nullptr;
  }

  // Those that find() gave to nobody, but copies.
  std::vector<std::string> unused() const {
    std::vector<std::string> names = also_there_;
    for (const auto& [name, tensor] : tensors_) {
      if (used_.count(name) == 0 && !is_copy(name)) names.push_back(shown_name(name));
    }
    return names;
  }

 private:
  void add(const io::TensorInfo& tensor, const std::string& present) {
    const auto [place, is_new] = tensors_.emplace(present, &tensor);
    if (is_new) return;
    const io::TensorInfo* other = &tensor;
    if (tensor.name == present) std::swap(place->second, other);
    also_there_.push_back(str(shown_name(other->name), " (", shown_name(place->second->name),
                              " is read in its place)"));
  }

  bool is_copy(const std::string& name) const {
    const auto& copies = options_.names.copies;
    return std::any_of(copies.begin(), copies.end(),
                       [&](const auto& copy) { return copy.first == name; });
  }

  const PretrainedWeightsOptions& options_;
  std::map<std::string, const io::TensorInfo*> tensors_;
  std::vector<std::string> also_there_;  // under an older name of one that is in tensors_
  std::set<std::string> used_;
};

class Matcher {
 public:
  Matcher(const io::TensorFolder& checkpoint, const PretrainedWeightsOptions& options)
      : options_(options), tensors_(checkpoint, options) {}

  Assignment match(const Network& network) {
    Assignment result;
    for (const NamedVariable& weight : network.named_weights()) add(weight, result);
    result.unexpected = tensors_.unused();
    return result;
  }

 private:
  // That array, or its copy where the checkpoint has only this.
  const io::TensorInfo* find(const std::string& name) {
    if (const io::TensorInfo* tensor = tensors_.find(name)) return tensor;
    for (const auto& [copy, source] : options_.names.copies) {
      if (source == name) return tensors_.find(copy);
    }
    return nullptr;
  }

  bool is_of_body(const std::string& name) const {
    const auto& layers = options_.body_layers;
    return std::any_of(layers.begin(), layers.end(),
                       [&](const std::string& layer) { return name.starts_with(layer + "."); });
  }

  bool may_lack(const std::string& name) const {
    return !is_of_body(name) || name.find("pooler.") != std::string::npos ||
           contains_any(name, options_.names.may_lack);
  }

  void add(const NamedVariable& weight, Assignment& result) {
    const Variable& variable = weight.variable;
    const StoredWeight stored = stored_weight(weight.path, variable.shape().rank(), options_.names);
    const io::TensorInfo* tensor = find(stored.name);
    if (tensor == nullptr) {
      (may_lack(stored.name) ? result.fresh : result.missing).push_back(stored.name);
      return;
    }
    const Shape wanted = stored.reversed ? stored_shape(variable.shape()) : variable.shape();
    if (tensor->shape == wanted && is_float(tensor->dtype)) {
      result.found.push_back({variable, tensor->name, stored.reversed});
      return;
    }
    result.mismatched.push_back(str(stored.name, " is ", text_of(tensor->dtype, tensor->shape),
                                    " in the file, ", text_of(variable.dtype(), wanted),
                                    " in the model"));
  }

  static std::string text_of(DType dtype, const Shape& shape) {
    return to_string(ir::Type{dtype, shape});
  }

  const PretrainedWeightsOptions& options_;
  Tensors tensors_;
};

std::string headed(const std::string& heading, const std::vector<std::string>& lines) {
  return lines.empty() ? "" : str("\n  ", heading, ":\n    ", join(lines, "\n    "));
}

// For a file that holds a checkpoint next to other things, such as the epoch.
std::string hint_for(const std::vector<std::string>& unexpected) {
  const bool nested = std::any_of(unexpected.begin(), unexpected.end(),
                                  [](const auto& name) { return name.starts_with("state_dict."); });
  return nested ? "the file holds more than a model's weights: save its \"state_dict\" alone"
                : "load the configuration that belongs to the checkpoint";
}

[[noreturn]] void raise_misfit(const Assignment& weights, const std::string& path,
                               const PretrainedWeightsOptions& options) {
  std::vector<std::string> unexpected = weights.unexpected;
  if (unexpected.size() > most_unexpected) {
    unexpected.resize(most_unexpected);
    unexpected.push_back(str("and ", weights.unexpected.size() - most_unexpected, " more"));
  }
  raise<InvalidArgument>(
      {.what = str("the weights in ", path, " do not fit ", options.class_name,
                   "; nothing was loaded:", headed("missing", weights.missing),
                   headed("mismatched", weights.mismatched), headed("unexpected", unexpected)),
       .hint = weights.missing.empty()
                   ? "give the sizes of the checkpoint, or ignore_mismatched_sizes = true to start "
                     "those that are mismatched fresh"
                   : hint_for(weights.unexpected),
       .location = options.location});
}

}  // namespace

void load_pretrained_weights(const Network& network, const std::string& folder,
                             const PretrainedWeightsOptions& options) {
  const io::TensorFolder checkpoint = io::open_tensor_folder(folder, options.location);
  const std::string& path = checkpoint.path();
  const Assignment weights = Matcher(checkpoint, options).match(network);
  const bool fits = weights.mismatched.empty() || options.ignore_mismatched_sizes;
  if (!weights.missing.empty() || !fits) raise_misfit(weights, path, options);
  if (!weights.unexpected.empty()) {
    log_info(str(options.class_name, " has no use for these weights of ", path, ": ",
                 join_some(weights.unexpected, most_named)));
  }
  std::vector<std::string> fresh = weights.fresh;
  fresh.insert(fresh.end(), weights.mismatched.begin(), weights.mismatched.end());
  if (!fresh.empty()) {
    log_info(str(options.class_name, ": not in ", path, ", so freshly initialized: ",
                 join_some(std::move(fresh), most_named), ". Train the model before you use it."));
  }
  for (const Assignment::Weight& weight : weights.found) {
    const Literal value = checkpoint.read(weight.name, weight.variable.dtype(), options.location);
    weight.variable.set(weight.reversed ? from_stored_axes(value) : value, options.location);
  }
}

namespace {

// A view that repeats what it is of, as a pickle may make one: no table, and of any size.
bool is_larger_than_its_file(const io::TensorInfo& tensor, const io::TensorFolder& checkpoint,
                             SourceLocation location) {
  const std::string& path = checkpoint.path();
  if (path.ends_with(".json")) return false;  // an index of files that have the arrays
  const auto file = io::file_system(path, location).status(path, location);
  return file && tensor.byte_size() > file->bytes;
}

}  // namespace

bool has_untied_copies(const std::string& folder, const PretrainedWeightsOptions& options) {
  const io::TensorFolder checkpoint = io::open_tensor_folder(folder, options.location);
  Tensors tensors(checkpoint, options);
  const auto value = [&](const io::TensorInfo* tensor) {
    return checkpoint.read(tensor->name, options.location);
  };
  for (const auto& [copy, source] : options.names.copies) {
    const io::TensorInfo *one = tensors.find(copy), *other = tensors.find(source);
    if (one == nullptr || other == nullptr) continue;
    if (one->dtype != other->dtype || one->shape != other->shape) return true;
    if (is_larger_than_its_file(*one, checkpoint, options.location)) return true;
    if (value(one) != value(other)) return true;
  }
  return false;
}

void save_pretrained_weights(const Network& network, const std::string& folder,
                             const PretrainedWeightsOptions& options, bool bare_body,
                             const SavePretrainedOptions& saving) {
  const std::string prefix = options.body_name + ".";
  Example::Components tensors;
  for (const NamedVariable& weight : network.named_weights()) {
    StoredWeight stored = stored_weight(weight.path, weight.variable.shape().rank(), options.names);
    if (bare_body && stored.name.starts_with(prefix)) stored.name.erase(0, prefix.size());
    const Literal value = weight.variable.literal();
    const Literal as_stored = stored.reversed ? to_stored_axes(value) : value;
    tensors.push_back({stored.name, as_stored.convert(saving.dtype)});
    if (options.names.counts_batches && stored.name.ends_with(running_mean)) {
      stored.name.replace(stored.name.size() - std::strlen(running_mean), std::string::npos,
                          batch_count);
      tensors.push_back({stored.name, Literal::scalar(int64_t{0})});
    }
  }
  io::save_tensor_folder(folder, Example(std::move(tensors)),
                         {.max_shard_size = saving.max_shard_size}, options.location);
}

}  // namespace systolic::inline v0
