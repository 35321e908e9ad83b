// A number of elements that is stated, and checked.
#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

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

}  // namespace

Dataset Dataset::assert_cardinality(int64_t expected, SourceLocation location) const {
  return Dataset(std::make_shared<AssertCardinalityNode>(node_, expected,
                                                         label_at("assert_cardinality", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
