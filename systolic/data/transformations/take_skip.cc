// The first elements, or those after them.
#include <algorithm>

#include "systolic/data/dataset.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

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

}  // namespace

Dataset Dataset::take(int64_t count) const {
  return count < 0 ? *this : Dataset(std::make_shared<TakeNode>(node_, count));
}

Dataset Dataset::skip(int64_t count) const {
  return count < 0 ? take(0) : Dataset(std::make_shared<SkipNode>(node_, count));
}

}  // namespace data
}  // namespace systolic::inline v0
