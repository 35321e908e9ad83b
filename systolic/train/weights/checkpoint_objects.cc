#include "systolic/train/weights/checkpoint_objects.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr const char* variable_attribute = "VARIABLE_VALUE";

// A name as a part of a path: TensorFlow sets "/" apart as ".S" and doubles dots.
std::string escaped_name(const std::string& name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '/') {
      escaped += ".S";
    } else {
      escaped.append(c == '.' ? 2 : 1, c);
    }
  }
  return escaped;
}

}  // namespace

size_t CheckpointObjects::add_node(std::string path) {
  graph_.nodes.emplace_back();
  paths_.push_back(std::move(path));
  return graph_.nodes.size() - 1;
}

size_t CheckpointObjects::add(size_t parent, const std::string& name) {
  const std::string& above = paths_[parent];
  const size_t node =
      add_node(above.empty() ? escaped_name(name) : str(above, "/", escaped_name(name)));
  link(parent, name, node);
  return node;
}

void CheckpointObjects::link(size_t parent, const std::string& name, size_t object) {
  graph_.nodes[parent].children.push_back({name, object});
}

size_t CheckpointObjects::add_variable(size_t parent, const std::string& name,
                                       const Variable& variable, std::optional<DType> dtype) {
  const auto found = variables_.find(variable.state().get());
  if (found != variables_.end()) {
    link(parent, name, found->second);
    return found->second;
  }
  const size_t node = add_array(parent, name, variable_attribute, [variable, dtype] {
    const Literal value = variable.literal();
    return dtype ? value.convert(*dtype) : value;
  });
  graph_.nodes[node].attributes.front().full_name = variable.name();
  variables_[variable.state().get()] = node;
  return node;
}

size_t CheckpointObjects::add_array(size_t parent, const std::string& name,
                                    const std::string& attribute, Read read) {
  const size_t node = add(parent, name);
  const std::string key = str(paths_[node], "/.ATTRIBUTES/", attribute);
  graph_.nodes[node].attributes.push_back({attribute, paths_[node], key});
  arrays_.emplace_back(key, std::move(read));
  return node;
}

bool CheckpointObjects::link_same(size_t parent, const std::string& name, const void* what) {
  const auto found = remembered_.find(what);
  if (found == remembered_.end()) return false;
  link(parent, name, found->second);
  return true;
}

void CheckpointObjects::read_all() {
  for (auto& [name, read] : arrays_) read = [value = read()] { return value; };
}

void CheckpointObjects::write(const std::string& prefix, SourceLocation location) const {
  io::TensorBundleWriter writer(prefix, location);
  for (const auto& [name, read] : arrays_) writer.add(name, read(), location);
  writer.add(io::object_graph_key, Literal::scalar(io::encode_object_graph(graph_)), location);
  writer.close();
}

bool is_random_generator(std::string_view attribute) {
  return attribute.find("seed_generator") != std::string_view::npos ||
         attribute.find("random_generator") != std::string_view::npos;
}

StoredObjects::StoredObjects(const std::string& prefix, SourceLocation location)
    : bundle_(io::open_tensor_bundle(prefix, location)) {
  const auto& tensors = bundle_->tensors();
  const bool has_graph = std::any_of(tensors.begin(), tensors.end(), [](const auto& tensor) {
    return tensor.name == io::object_graph_key;
  });
  if (!has_graph) return;
  graph_ = io::read_object_graph(*bundle_, location);
  find_arrays();
}

// From the arrays back along the edges.
void StoredObjects::find_arrays() {
  std::vector<std::vector<size_t>> parents(graph_.nodes.size());
  std::vector<size_t> open;
  reaches_arrays_.assign(graph_.nodes.size(), false);
  for (size_t node = 0; node < graph_.nodes.size(); ++node) {
    for (const auto& child : graph_.nodes[node].children) {
      if (!is_random_generator(child.name)) parents[child.node].push_back(node);
    }
    if (!graph_.nodes[node].attributes.empty()) open.push_back(node);
  }
  while (!open.empty()) {
    const size_t node = open.back();
    open.pop_back();
    if (reaches_arrays_[node]) continue;
    reaches_arrays_[node] = true;
    open.insert(open.end(), parents[node].begin(), parents[node].end());
  }
}

std::optional<size_t> StoredObjects::child(size_t node, std::string_view name) const {
  std::optional<size_t> hidden;
  for (const auto& child : graph_.nodes[node].children) {
    if (child.name == name) return child.node;
    if (child.name.starts_with('_') && std::string_view(child.name).substr(1) == name)
      hidden = child.node;
  }
  return hidden;
}

std::vector<size_t> StoredObjects::list(size_t node) const {
  std::map<int64_t, size_t> items;
  for (const auto& child : graph_.nodes[node].children) {
    int64_t number = 0;
    if (parse_number(child.name, number) && number >= 0) items[number] = child.node;
  }
  std::vector<size_t> nodes;
  for (const auto& [number, item] : items) nodes.push_back(item);
  return nodes;
}

std::optional<StoredObjects::Array> StoredObjects::array(size_t node,
                                                         std::string_view attribute) const {
  for (const auto& one : graph_.nodes[node].attributes) {
    if (one.name != attribute) continue;
    const auto& tensors = bundle_->tensors();
    const auto found = std::lower_bound(
        tensors.begin(), tensors.end(), one.checkpoint_key,
        [](const io::TensorInfo& tensor, const std::string& key) { return tensor.name < key; });
    if (found == tensors.end() || found->name != one.checkpoint_key) return std::nullopt;
    return Array{static_cast<size_t>(found - tensors.begin()),
                 one.full_name.empty() ? one.checkpoint_key : one.full_name};
  }
  return std::nullopt;
}

std::vector<std::string> StoredObjects::unread() const {
  std::vector<std::string> names;
  const auto& tensors = bundle_->tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool of_object = tensors[i].name.find("/.ATTRIBUTES/") != std::string::npos;
    if (of_object && asked_for_.count(i) == 0 && !is_random_generator(tensors[i].name))
      names.push_back(tensors[i].name);
  }
  return names;
}

std::function<Literal()> StoredObjects::reader(const Array& array, SourceLocation location) const {
  asked_for_.insert(array.number);
  return [bundle = bundle_, number = array.number, location] {
    return bundle->read(number, location);
  };
}

}  // namespace saving
}  // namespace systolic::inline v0
