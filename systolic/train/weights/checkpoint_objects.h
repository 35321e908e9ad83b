// TensorFlow's object-based checkpoints: a graph of objects, whose edges are the names of
// attributes, with an array at some of them, in a tensor bundle. Internal to train and saving.
//
//   CheckpointObjects objects;
//   const size_t layer = objects.add(objects.root(), "layer_with_weights-0");
//   objects.add_variable(layer, "kernel", kernel);
//   objects.write("run/model.ckpt", location);
//
//   const StoredObjects stored("run/model.ckpt", location);
//   stored.child(stored.root(), "layer_with_weights-0")
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/io/tensor_bundle/object_graph.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {
namespace saving {

// A checkpoint to be.
class CheckpointObjects {
 public:
  using Read = std::function<Literal()>;

  CheckpointObjects() { add_node(""); }
  static constexpr size_t root() { return 0; }

  // A new object under a name of `parent`; its arrays' names in the file begin with the parent's
  // and this one.
  size_t add(size_t parent, const std::string& name);
  // One more name of an object that is there.
  void link(size_t parent, const std::string& name, size_t object);
  // A variable that was added before gets one more name. Stored as `dtype` where one is given.
  size_t add_variable(size_t parent, const std::string& name, const Variable& variable,
                      std::optional<DType> dtype = {});
  // Any other array; `attribute` says what it is of the object.
  size_t add_array(size_t parent, const std::string& name, const std::string& attribute, Read read);

  // Objects besides variables that may be met again: link_same says whether it was remembered.
  void remember(const void* what, size_t object) { remembered_[what] = object; }
  bool link_same(size_t parent, const std::string& name, const void* what);

  // Reads all arrays now, so that they can be written later.
  void read_all();
  // The numbers first, then the index: a checkpoint whose index is there is whole. Folders must be.
  void write(const std::string& prefix, SourceLocation location) const;

 private:
  size_t add_node(std::string path);
  io::ObjectGraph graph_;
  std::vector<std::string> paths_;  // of each node
  std::map<const void*, size_t> variables_, remembered_;
  std::vector<std::pair<std::string, Read>> arrays_;  // by their names in the file
};

// A checkpoint that is read. Errors of open_tensor_bundle, and a DataLoss for a damaged graph.
class StoredObjects {
 public:
  StoredObjects(const std::string& prefix, SourceLocation location);

  const std::string& path() const { return bundle_->path(); }
  const io::TensorBundle& bundle() const { return *bundle_; }
  // False for what TensorFlow 1 wrote: arrays by the variables' names.
  bool has_graph() const { return !graph_.nodes.empty(); }
  const io::ObjectGraph& graph() const { return graph_; }
  static constexpr size_t root() { return 0; }

  // The object of a node's attribute; of "_kernel", too, where "kernel" is asked for.
  std::optional<size_t> child(size_t node, std::string_view name) const;
  // The objects of a list: attributes that are numbers, in their order.
  std::vector<size_t> list(size_t node) const;
  // Whether arrays are reached from the node. Those of random generators do not count.
  bool reaches_arrays(size_t node) const { return reaches_arrays_[node]; }

  struct Array {
    size_t number = 0;  // among the bundle's tensors
    std::string name;   // the variable's own, "dense/kernel"
  };
  // The array that the node has as that attribute; nothing where there is none in the file.
  std::optional<Array> array(size_t node, std::string_view attribute = "VARIABLE_VALUE") const;
  const io::TensorInfo& info(const Array& array) const { return bundle_->tensors()[array.number]; }
  // A function that reads the array, good for longer than this.
  std::function<Literal()> reader(const Array& array, SourceLocation location) const;
  // The names of the objects' arrays for which nobody has asked a reader, random generators' left
  // out.
  std::vector<std::string> unread() const;

 private:
  void find_arrays();
  std::shared_ptr<const io::TensorBundle> bundle_;
  io::ObjectGraph graph_;
  std::vector<bool> reaches_arrays_;
  mutable std::set<size_t> asked_for_;  // numbers of arrays
};

// Objects of a checkpoint that a program's variables were found in.
using StoredVariables = std::map<const VariableState*, size_t>;

// The states of random generators, which this library keeps elsewhere.
bool is_random_generator(std::string_view attribute);

}  // namespace saving
}  // namespace systolic::inline v0
