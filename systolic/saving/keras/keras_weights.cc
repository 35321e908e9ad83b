#include "systolic/saving/keras/keras_weights.h"

#include <map>
#include <set>

#include "systolic/base/error.h"
#include "systolic/saving/keras/compile_config.h"
#include "systolic/saving/keras/weight_groups.h"

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

std::vector<WeightGroup> all_groups(const Model& model, bool with_optimizer) {
  std::vector<WeightGroup> groups = weight_groups(model.network());
  if (with_optimizer) groups.push_back(optimizer_group(model));
  return groups;
}

// Draws of dropout layers and the like, which this library keeps in one state for the model.
bool is_random_state(const std::string& path) {
  return path.find("seed_generator") != std::string::npos;
}

// Datasets in groups that no layer asked for.
void list_unexpected(const io::Hdf5Group& group, const std::string& path,
                     const std::set<std::string>& expected, std::vector<std::string>& problems) {
  if (is_random_state(path) || path == optimizer_path) return;
  if (!group.datasets.empty() && expected.count(path) == 0)
    problems.push_back(str("unexpected: ", path, " with ", group.datasets.size(), " arrays"));
  for (const io::Hdf5Group& inner : group.groups) {
    list_unexpected(inner, path.empty() ? inner.name : str(path, "/", inner.name), expected,
                    problems);
  }
}

// What a file says of one group, against the model's.
class GroupReader {
 public:
  GroupReader(const io::Hdf5File& file, SourceLocation location)
      : file_(file), location_(location) {}

  void read(const WeightGroup& group) {
    const std::string path = vars_of(group.path);
    const io::Hdf5Group* found = file_.root().find_group(path);
    const size_t stored = found == nullptr ? 0 : found->datasets.size();
    if (stored != group.variables.size()) {
      problems_.push_back(str(stored == 0 ? "missing: " : "mismatched: ", path, " of layer '",
                              group.name, "' has ", stored, " arrays in the file, ",
                              group.variables.size(), " in the model"));
      return;
    }
    for (size_t i = 0; i < stored; ++i) {
      const io::Hdf5Dataset* dataset = found->find_dataset(str(i));
      const Variable& variable = group.variables[i];
      if (dataset == nullptr) {
        problems_.push_back(str("missing: ", path, "/", i));
      } else if (dataset->shape != variable.shape() || dataset->dtype == DType::string) {
        problems_.push_back(str("mismatched: ", path, "/", i, " is ", dataset->dtype,
                                dataset->shape, " in the file, ", variable.name(), " ",
                                variable.dtype(), variable.shape(), " in the model"));
      } else {
        found_.emplace_back(variable, dataset);
      }
    }
  }

  std::vector<std::string>& problems() { return problems_; }

  // Reads all before the first is set: a damaged file changes nothing.
  void assign() const {
    std::vector<Literal> values;
    for (const auto& [variable, dataset] : found_) {
      Literal value = file_.read(*dataset, location_);
      values.push_back(value.dtype() == variable.dtype() ? value : value.convert(variable.dtype()));
    }
    for (size_t i = 0; i < values.size(); ++i) found_[i].first.set(values[i], location_);
  }

 private:
  const io::Hdf5File& file_;
  SourceLocation location_;
  std::vector<std::string> problems_;
  std::vector<std::pair<Variable, const io::Hdf5Dataset*>> found_;
};

}  // namespace

std::string keras_weights(const Model& model, bool with_optimizer, SourceLocation location) {
  io::Hdf5Group root;
  std::map<std::string, Variable> variables;
  for (const WeightGroup& group : all_groups(model, with_optimizer)) {
    const std::string path = vars_of(group.path);
    root.add_group(path).set("name", Literal::scalar(group.name));
    for (size_t i = 0; i < group.variables.size(); ++i) {
      const std::string dataset = str(path, "/", i);
      root.add_dataset(dataset, group.variables[i].dtype(), group.variables[i].shape());
      variables[dataset] = group.variables[i];
    }
  }
  const io::Hdf5Layout layout(root, location);
  std::string bytes;
  bytes.reserve(layout.bytes());
  layout.write(
      [&](const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); },
      [&](const std::string& path, const io::Hdf5Dataset&) {
        return variables.at(path).literal(location);
      },
      location);
  return bytes;
}

void set_keras_weights(Model& model, const io::Hdf5File& file, bool with_optimizer,
                       SourceLocation location) {
  const bool has_optimizer = file.root().find_group(vars_of(optimizer_path)) != nullptr;
  GroupReader reader(file, location);
  std::set<std::string> expected;
  for (const WeightGroup& group : all_groups(model, with_optimizer && has_optimizer)) {
    reader.read(group);
    expected.insert(vars_of(group.path));
  }
  list_unexpected(file.root(), "", expected, reader.problems());
  if (!reader.problems().empty()) {
    raise<InvalidArgument>({.what = str("the weights in ", file.path(),
                                        " do not fit the model; nothing was loaded:\n  ",
                                        join(reader.problems(), "\n  ")),
                            .location = location});
  }
  reader.assign();
}

}  // namespace saving
}  // namespace systolic::inline v0
