// Transformations that choose elements by their number: repeat, take, skip, shard,
// assert_cardinality, with_options.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/data/random.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class RepeatStage : public Stage {
 public:
  RepeatStage(const Context& context, const Node& node, const Node& input, int64_t count,
              std::unique_ptr<Stage> first_epoch)
      : Stage(context, &node, node.label()),
        context_(context),
        input_(input),
        count_(count),
        stage_(std::move(first_epoch)) {}

  static Context epoch_context(const Context& context, int64_t epoch) {
    Context result = context;
    result.epoch = random_at(context.epoch, static_cast<uint64_t>(epoch));
    return result;
  }

 protected:
  Chunk produce(int64_t most) override {
    for (;;) {
      check_cancelled();
      if (stage_ == nullptr) {
        if (count_ >= 0 && epoch_ >= count_) return {};
        stage_ = input_.make(epoch_context(context_, epoch_));
        delivered_ = false;
      }
      Chunk chunk = stage_->next(most);
      if (!chunk.empty()) {
        delivered_ = true;
        return chunk;
      }
      stage_.reset();
      ++epoch_;
      if (!delivered_) {  // an empty dataset stays empty however often it is repeated
        count_ = epoch_;
        return {};
      }
    }
  }
  void transfer_members(StateArchive& archive) override {
    archive.integer(count_, infinite_cardinality, INT64_MAX);
    archive.integer(epoch_, 0, StateArchive::largest_count);
    archive.flag(delivered_);
    bool open = stage_ != nullptr;
    archive.flag(open);
    if (!archive.saving()) stage_ = open ? input_.make(epoch_context(context_, epoch_)) : nullptr;
    if (open) stage_->transfer(archive);
  }

 private:
  Context context_;
  const Node& input_;
  int64_t count_;
  int64_t epoch_ = 0;
  bool delivered_ = false;
  std::unique_ptr<Stage> stage_;
};

class RepeatNode : public UnaryNode {
 public:
  RepeatNode(NodePointer input, int64_t count)
      : UnaryNode(std::move(input), "repeat"), count_(count) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    auto first = count_ == 0 ? nullptr : input().make(RepeatStage::epoch_context(context, 0));
    return std::make_unique<RepeatStage>(context, *this, input(), count_, std::move(first));
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    if (elements == 0 || count_ == 0) return 0;
    if (count_ < 0 || elements == infinite_cardinality) return infinite_cardinality;
    return elements == unknown_cardinality ? unknown_cardinality : elements * count_;
  }

 private:
  int64_t count_;
};

class TakeStage : public Stage {
 public:
  TakeStage(const Context& context, const Node& node, std::unique_ptr<Stage> input, int64_t count)
      : Stage(context, &node, node.label()), input_(std::move(input)), left_(count) {}

 protected:
  Chunk produce(int64_t most) override {
    if (left_ == 0) return {};
    Chunk chunk = input_->next(std::min(most, left_));
    left_ = chunk.empty() ? 0 : left_ - static_cast<int64_t>(chunk.size());
    return chunk;
  }
  void transfer_members(StateArchive& archive) override {
    archive.integer(left_, 0, left_);
    input_->transfer(archive);
  }

 private:
  std::unique_ptr<Stage> input_;
  int64_t left_;
};

class TakeNode : public UnaryNode {
 public:
  TakeNode(NodePointer input, int64_t count) : UnaryNode(std::move(input), "take"), count_(count) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<TakeStage>(context, *this, input().make(context), count_);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    if (elements == infinite_cardinality) return count_;
    return elements == unknown_cardinality ? unknown_cardinality : std::min(count_, elements);
  }

 private:
  int64_t count_;
};

class SkipStage : public Stage {
 public:
  SkipStage(const Context& context, const Node& node, std::unique_ptr<Stage> input, int64_t count)
      : Stage(context, &node, node.label()), input_(std::move(input)), left_(count) {}

 protected:
  Chunk produce(int64_t most) override {
    while (left_ > 0) {
      check_cancelled();
      const Chunk skipped = input_->next(std::min(left_, largest_chunk));
      left_ = skipped.empty() ? 0 : left_ - static_cast<int64_t>(skipped.size());
    }
    return input_->next(most);
  }
  void transfer_members(StateArchive& archive) override {
    archive.integer(left_, 0, left_);
    input_->transfer(archive);
  }

 private:
  std::unique_ptr<Stage> input_;
  int64_t left_;
};

class SkipNode : public UnaryNode {
 public:
  SkipNode(NodePointer input, int64_t count) : UnaryNode(std::move(input), "skip"), count_(count) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<SkipStage>(context, *this, input().make(context), count_);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements < 0 ? elements : std::max<int64_t>(0, elements - count_);
  }

 private:
  int64_t count_;
};

class ShardStage : public Stage {
 public:
  ShardStage(const Context& context, const Node& node, std::unique_ptr<Stage> input, int64_t shards,
             int64_t index)
      : Stage(context, &node, node.label()),
        input_(std::move(input)),
        shards_(shards),
        index_(index) {}

 protected:
  Chunk produce(int64_t most) override {
    for (;;) {
      check_cancelled();
      Chunk kept;
      Chunk chunk = input_->next(std::min(largest_chunk, most));
      if (chunk.empty()) return chunk;
      for (Example& element : chunk) {
        if (number_++ % shards_ == index_) kept.push_back(std::move(element));
      }
      if (!kept.empty()) return kept;
    }
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("num_shards", shards_);
    archive.expect("index", index_);
    archive.integer(number_, 0, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  std::unique_ptr<Stage> input_;
  const int64_t shards_, index_;
  int64_t number_ = 0;
};

class ShardNode : public UnaryNode {
 public:
  ShardNode(NodePointer input, int64_t shards, int64_t index, std::string label)
      : UnaryNode(std::move(input), std::move(label)), shards_(shards), index_(index) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<ShardStage>(context, *this, input().make(context), shards_, index_);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements < 0 ? elements : (elements - index_ + shards_ - 1) / shards_;
  }

 private:
  int64_t shards_, index_;
};

class AssertCardinalityStage : public Stage {
 public:
  AssertCardinalityStage(const Context& context, const Node& node, std::unique_ptr<Stage> input,
                         int64_t expected)
      : Stage(context, &node, node.label()),
        node_(node),
        input_(std::move(input)),
        expected_(expected) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk = input_->next(most);
    seen_ += static_cast<int64_t>(chunk.size());
    const bool ended = chunk.empty();
    if (expected_ == unknown_cardinality) return chunk;
    if ((ended && seen_ != expected_) || (expected_ >= 0 && seen_ > expected_)) {
      raise<FailedPrecondition>(
          {.what = str(node_.label(), ": the dataset ", ended ? "ended after " : "has at least ",
                       seen_, " elements"),
           .wanted = expected_ == infinite_cardinality ? std::string("no end") : str(expected_)});
    }
    return chunk;
  }
  void transfer_members(StateArchive& archive) override {
    archive.integer(seen_, 0, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  const Node& node_;
  std::unique_ptr<Stage> input_;
  const int64_t expected_;
  int64_t seen_ = 0;
};

class AssertCardinalityNode : public UnaryNode {
 public:
  AssertCardinalityNode(NodePointer input, int64_t expected, std::string label)
      : UnaryNode(std::move(input), std::move(label)), expected_(expected) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<AssertCardinalityStage>(context, *this, input().make(context),
                                                    expected_);
  }
  int64_t cardinality() const override { return expected_; }

 private:
  int64_t expected_;
};

class OptionsNode : public Node {
 public:
  OptionsNode(NodePointer input, Options options)
      : Node("with_options", options), input_(std::move(input)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return input_->make(context);
  }
  int64_t cardinality() const override { return input_->cardinality(); }
  ElementSpec spec() const override { return input_->spec(); }
  std::vector<const Node*> inputs() const override { return {input_.get()}; }

 private:
  NodePointer input_;
};

}  // namespace

Dataset Dataset::repeat(int64_t count) const {
  return Dataset(std::make_shared<RepeatNode>(node_, count));
}

Dataset Dataset::take(int64_t count) const {
  return count < 0 ? *this : Dataset(std::make_shared<TakeNode>(node_, count));
}

Dataset Dataset::skip(int64_t count) const {
  return count < 0 ? take(0) : Dataset(std::make_shared<SkipNode>(node_, count));
}

Dataset Dataset::shard(int64_t num_shards, int64_t index, SourceLocation location) const {
  if (num_shards < 1 || index < 0 || index >= num_shards) {
    raise<InvalidArgument>({.what = str("shard(", num_shards, ", ", index, ")"),
                            .wanted = "an index in [0, num_shards)",
                            .location = location});
  }
  return Dataset(
      std::make_shared<ShardNode>(node_, num_shards, index, label_at("shard", location)));
}

Dataset Dataset::assert_cardinality(int64_t expected, SourceLocation location) const {
  return Dataset(std::make_shared<AssertCardinalityNode>(node_, expected,
                                                         label_at("assert_cardinality", location)));
}

Dataset Dataset::with_options(Options options) const {
  return Dataset(std::make_shared<OptionsNode>(node_, options));
}

}  // namespace data
}  // namespace systolic::inline v0
