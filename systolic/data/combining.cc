// Transformations that join elements or datasets: cache, concatenate, enumerate, zip; and what a
// Dataset says of itself.
#include <algorithm>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// All elements of a dataset, once one iterator has read it to its end.
struct Cache {
  std::mutex mutex;
  std::shared_ptr<const std::vector<Example>> elements;
};

class CacheStage : public Stage {
 public:
  CacheStage(const Context& context, const Node& node, const Node& input, Cache& cache)
      : Stage(context, &node, node.label()), context_(context), origin_(input), cache_(cache) {
    std::lock_guard lock(cache_.mutex);
    kept_ = cache_.elements;
    if (kept_ == nullptr) input_ = input.make(context);
  }

 protected:
  Chunk produce(int64_t most) override {
    if (kept_ != nullptr) {
      const size_t count = std::min(
          {static_cast<size_t>(most), static_cast<size_t>(largest_chunk), kept_->size() - next_});
      const auto first = kept_->begin() + static_cast<std::ptrdiff_t>(next_);
      next_ += count;
      return Chunk(first, first + static_cast<std::ptrdiff_t>(count));
    }
    Chunk chunk = input_->next(most);
    made_.insert(made_.end(), chunk.begin(), chunk.end());
    if (chunk.empty()) publish();
    return chunk;
  }
  // The elements of a full cache are those that the node saves.
  void transfer_members(StateArchive& archive) override {
    bool full = kept_ != nullptr;
    archive.flag(full);
    if (full) {
      if (!archive.saving()) take_up_full(archive);
      auto next = static_cast<int64_t>(next_);
      archive.integer(next, 0, static_cast<int64_t>(kept_->size()));
      next_ = static_cast<size_t>(next);
      return;
    }
    if (!archive.saving()) {
      kept_ = nullptr;
      input_ = origin_.make(context_);
    }
    archive.elements(made_);
    input_->transfer(archive);
  }

 private:
  void take_up_full(StateArchive& archive) {
    std::lock_guard lock(cache_.mutex);
    kept_ = cache_.elements;
    if (kept_ == nullptr) archive.damaged("a full cache without elements");
    input_.reset();
  }

  void publish() {
    input_.reset();
    kept_ = std::make_shared<const std::vector<Example>>(std::move(made_));
    next_ = kept_->size();
    std::lock_guard lock(cache_.mutex);
    cache_.elements = kept_;
  }

  const Context context_;
  const Node& origin_;
  Cache& cache_;
  std::unique_ptr<Stage> input_;
  std::shared_ptr<const std::vector<Example>> kept_;
  std::vector<Example> made_;
  size_t next_ = 0;
};

class CacheNode : public UnaryNode {
 public:
  explicit CacheNode(NodePointer input) : UnaryNode(std::move(input), "cache") {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<CacheStage>(context, *this, input(), cache_);
  }
  void transfer_shared(StateArchive& archive) const override {
    std::lock_guard lock(cache_.mutex);
    bool full = cache_.elements != nullptr;
    archive.flag(full);
    std::vector<Example> elements;
    if (full && archive.saving()) elements = *cache_.elements;
    if (full) archive.elements(elements);
    if (archive.saving()) return;
    cache_.elements =
        full ? std::make_shared<const std::vector<Example>>(std::move(elements)) : nullptr;
  }

 private:
  mutable Cache cache_;
};

class ConcatenateStage : public Stage {
 public:
  ConcatenateStage(const Context& context, const Node& node, const Node& first, const Node& second)
      : Stage(context, &node, node.label()),
        context_(context),
        second_(second),
        stage_(first.make(context)) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk = stage_->next(most);
    if (!chunk.empty() || in_second_) return chunk;
    in_second_ = true;
    stage_ = second_.make(context_);
    return stage_->next(most);
  }
  void transfer_members(StateArchive& archive) override {
    archive.flag(in_second_);
    if (!archive.saving() && in_second_) stage_ = second_.make(context_);
    stage_->transfer(archive);
  }

 private:
  Context context_;
  const Node& second_;
  std::unique_ptr<Stage> stage_;
  bool in_second_ = false;
};

class ConcatenateNode : public UnaryNode {
 public:
  ConcatenateNode(NodePointer first, NodePointer second)
      : UnaryNode(std::move(first), "concatenate"), second_(std::move(second)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<ConcatenateStage>(context, *this, input(), *second_);
  }
  int64_t cardinality() const override {
    const int64_t a = input().cardinality(), b = second_->cardinality();
    if (a == infinite_cardinality || b == infinite_cardinality) return infinite_cardinality;
    return a < 0 || b < 0 ? unknown_cardinality : a + b;
  }
  std::vector<const Node*> inputs() const override { return {&input(), second_.get()}; }
  ElementSpec spec() const override {
    ElementSpec spec = input().spec();
    const ElementSpec other = second_->spec();
    for (size_t i = 0; i < std::min(spec.size(), other.size()); ++i) {
      Shape& shape = spec[i].shape;
      if (shape.rank() != other[i].shape.rank()) continue;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] != other[i].shape[axis]) shape.set(axis, -1);
      }
    }
    return spec;
  }

 private:
  NodePointer second_;
};

class EnumerateStage : public Stage {
 public:
  EnumerateStage(const Context& context, const Node& node, std::unique_ptr<Stage> input)
      : Stage(context, &node, node.label()), input_(std::move(input)) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk = input_->next(most);
    for (Example& element : chunk) {
      Example::Components parts = element.release();
      parts.insert(parts.begin(), {"index", Literal::scalar<int64_t>(index_++)});
      element = Example(std::move(parts));
    }
    return chunk;
  }
  void transfer_members(StateArchive& archive) override {
    archive.integer(index_, 0, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  std::unique_ptr<Stage> input_;
  int64_t index_ = 0;
};

class EnumerateNode : public UnaryNode {
 public:
  explicit EnumerateNode(NodePointer input) : UnaryNode(std::move(input), "enumerate") {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<EnumerateStage>(context, *this, input().make(context));
  }
  ElementSpec spec() const override {
    ElementSpec spec = input().spec();
    spec.insert(spec.begin(), {"index", Shape{}, DType::i64});
    return spec;
  }
};

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

Dataset Dataset::cache() const { return Dataset(std::make_shared<CacheNode>(node_)); }
Dataset Dataset::concatenate(const Dataset& other) const {
  return Dataset(std::make_shared<ConcatenateNode>(node_, other.node_));
}
Dataset Dataset::enumerate() const { return Dataset(std::make_shared<EnumerateNode>(node_)); }

Dataset zip(const std::vector<Dataset>& datasets, SourceLocation location) {
  if (datasets.empty())
    raise<InvalidArgument>({.what = "zip of no datasets", .location = location});
  std::vector<NodePointer> nodes;
  for (const Dataset& dataset : datasets) nodes.push_back(dataset.node());
  return Dataset(std::make_shared<ZipNode>(std::move(nodes), label_at("zip", location)));
}

ElementSpec Dataset::element_spec() const { return node_->spec(); }
int64_t Dataset::cardinality() const { return node_->cardinality(); }
Iterator Dataset::iterator() const { return Iterator(node_); }
Iterator Dataset::iterator(std::string_view saved) const { return Iterator(node_, saved); }

Example Dataset::first(SourceLocation location) const {
  Iterator one = iterator();
  if (auto element = one.next()) return std::move(*element);
  raise<FailedPrecondition>({.what = "the dataset is empty",
                             .hint = "check the files and the filters it is made of",
                             .location = location});
}

}  // namespace data
}  // namespace systolic::inline v0
