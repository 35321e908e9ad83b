// Elements side by side.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/nested.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// Parts of one name, as of two datasets of unnamed arrays, become those of a tuple: x, y, x2, ...
template <class Parts>
void name_apart(Parts& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (parts[i].name != parts[j].name) continue;
      for (size_t k = 0; k < parts.size(); ++k) parts[k].name = item_name(k);
      return;
    }
  }
}

class ZipStage : public Stage {
 public:
  ZipStage(const Context& context, const Node& node, std::vector<std::unique_ptr<Stage>> inputs)
      : Stage(context, &node, node.label()), inputs_(std::move(inputs)), waiting_(inputs_.size()) {}

 protected:
  Chunk produce(int64_t most) override {
    size_t rows = static_cast<size_t>(std::min(most, largest_chunk));
    for (size_t i = 0; i < inputs_.size(); ++i) rows = std::min(rows, gather(i, rows));
    Chunk result(rows);
    for (size_t row = 0; row < rows; ++row) {
      Example::Components parts;
      for (Chunk& chunk : waiting_) {
        for (auto& part : chunk[row].release()) parts.push_back(std::move(part));
      }
      name_apart(parts);
      result[row] = Example(std::move(parts));
    }
    for (Chunk& chunk : waiting_)
      chunk.erase(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(rows));
    return result;
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("inputs", static_cast<int64_t>(inputs_.size()));
    for (Chunk& chunk : waiting_) archive.elements(chunk);
    for (const auto& input : inputs_) input->transfer(archive);
  }

 private:
  // Pulls until `wanted` elements of one input wait, or it ends; returns how many wait.
  size_t gather(size_t input, size_t wanted) {
    Chunk& chunk = waiting_[input];
    while (chunk.size() < wanted) {
      Chunk more = inputs_[input]->next(static_cast<int64_t>(wanted - chunk.size()));
      if (more.empty()) break;
      std::move(more.begin(), more.end(), std::back_inserter(chunk));
    }
    return chunk.size();
  }

  std::vector<std::unique_ptr<Stage>> inputs_;
  std::vector<Chunk> waiting_;
};

class ZipNode : public Node {
 public:
  ZipNode(std::vector<NodePointer> inputs, std::string label)
      : Node(std::move(label), inputs.front()->options()), inputs_(std::move(inputs)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    std::vector<std::unique_ptr<Stage>> stages;
    for (const NodePointer& input : inputs_) stages.push_back(input->make(context));
    return std::make_unique<ZipStage>(context, *this, std::move(stages));
  }
  int64_t cardinality() const override {
    int64_t least = infinite_cardinality;
    for (const NodePointer& input : inputs_) {
      const int64_t count = input->cardinality();
      if (count == unknown_cardinality) return unknown_cardinality;
      if (count >= 0) least = least < 0 ? count : std::min(least, count);
    }
    return least;
  }
  ElementSpec spec() const override {
    ElementSpec spec;
    for (const NodePointer& input : inputs_) {
      for (TensorSpec& row : input->spec()) spec.push_back(std::move(row));
    }
    name_apart(spec);
    return spec;
  }
  std::vector<const Node*> inputs() const override {
    std::vector<const Node*> result;
    for (const NodePointer& input : inputs_) result.push_back(input.get());
    return result;
  }

 private:
  std::vector<NodePointer> inputs_;
};

}  // namespace

Dataset zip(const std::vector<Dataset>& datasets, SourceLocation location) {
  if (datasets.empty())
    raise<InvalidArgument>({.what = "zip of no datasets", .location = location});
  std::vector<NodePointer> nodes;
  for (const Dataset& dataset : datasets) nodes.push_back(dataset.node());
  return Dataset(std::make_shared<ZipNode>(std::move(nodes), label_at("zip", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
