// The described half of a dataset: immutable nodes, each holding the nodes it reads from. An
// iterator asks the last one to make its stage, and that asks its inputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/data/element_spec.h"
#include "systolic/data/stage.h"

namespace systolic::inline v0 {
namespace data {

class Node;

// The files that a source reads.
struct FileTotals {
  int64_t count = -1;  // -1: it reads none
  uint64_t bytes = 0;
  bool of_records = false;  // which could as well lie in other files
};
using NodePointer = std::shared_ptr<const Node>;

class Node {
 public:
  // `label` names the transformation in errors and reports: "map at train.cc:41".
  Node(std::string label, Options options) : label_(std::move(label)), options_(options) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  virtual std::unique_ptr<Stage> make(const Context& context) const = 0;
  virtual int64_t cardinality() const = 0;
  virtual ElementSpec spec() const = 0;
  // What it reads from.
  virtual std::vector<const Node*> inputs() const { return {}; }
  virtual FileTotals files() const { return {}; }
  // Rows of a full batch, where it makes batches; else -1.
  virtual int64_t batch_size() const { return -1; }
  // What it reads besides its inputs, as far as that shows without reading it: for snapshots.
  virtual std::string origin() const { return {}; }
  // The same where the files were moved, and without asking for them again: for caches on disk.
  virtual std::string moved_origin() const { return origin(); }
  // Whether its function gives equal results for the first element when it is called again.
  virtual bool repeats_results() const { return true; }
  // What all iterators of this dataset share and a saved one includes: a drawn seed, a cache.
  virtual void transfer_shared(StateArchive&) const {}

  const std::string& label() const { return label_; }
  const Options& options() const { return options_; }
  // How many iterators were made of this dataset before: they shuffle differently.
  uint64_t count_iteration() const { return iterations_.fetch_add(1, std::memory_order_relaxed); }
  void set_iterations(uint64_t count) const { iterations_.store(count, std::memory_order_relaxed); }

 private:
  const std::string label_;
  const Options options_;
  mutable std::atomic<uint64_t> iterations_{0};
};

// A node with one input, which it resembles unless it says otherwise.
class UnaryNode : public Node {
 public:
  UnaryNode(NodePointer input, std::string label)
      : Node(std::move(label), input->options()), input_(std::move(input)) {}
  int64_t cardinality() const override { return input_->cardinality(); }
  ElementSpec spec() const override { return input_->spec(); }
  std::vector<const Node*> inputs() const override { return {input_.get()}; }

 protected:
  const Node& input() const { return *input_; }
  const NodePointer& input_pointer() const { return input_; }

 private:
  NodePointer input_;
};

// What all nodes of a dataset share among iterators, each node once.
void transfer_graph(const Node& last, StateArchive& archive);

inline std::string label_at(std::string_view name, SourceLocation location) {
  return location.known() ? str(name, " at ", location.file, ":", location.line)
                          : std::string(name);
}

}  // namespace data
}  // namespace systolic::inline v0
