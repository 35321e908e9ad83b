// One dataset after the other.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_kind.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class ConcatenateStage : public Stage {
 public:
  ConcatenateStage(const Context& context, const Node& node, std::unique_ptr<Stage> first,
                   const Node& second)
      : Stage(context, &node, node.label()),
        context_(context),
        second_(second),
        stage_(std::move(first)) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk = next_of_current(most);
    if (!chunk.empty() || in_second_) return chunk;
    in_second_ = true;
    checked_ = false;
    stage_ = second_.make(context_);
    return next_of_current(most);
  }
  void transfer_members(StateArchive& archive) override {
    archive.flag(in_second_);
    kind_.transfer(archive);
    if (!archive.saving() && in_second_) stage_ = second_.make(context_);
    stage_->transfer(archive);
  }

 private:
  Chunk next_of_current(int64_t most) {
    Chunk chunk = stage_->next(most);
    if (!checked_ && !chunk.empty()) kind_.check(chunk.front(), counters().name);
    checked_ = true;
    return chunk;
  }

  Context context_;
  const Node& second_;
  ElementKind kind_;
  bool checked_ = false;  // the first element of the dataset that is read
  std::unique_ptr<Stage> stage_;
  bool in_second_ = false;
};

class ConcatenateNode : public UnaryNode {
 public:
  ConcatenateNode(NodePointer first, NodePointer second, std::string label)
      : UnaryNode(std::move(first), std::move(label)), second_(std::move(second)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<ConcatenateStage>(context, *this, input().make(context), *second_);
  }
  int64_t cardinality() const override {
    const int64_t a = input().cardinality(), b = second_->cardinality();
    if (a == infinite_cardinality || b == infinite_cardinality) return infinite_cardinality;
    int64_t both = 0;
    const bool known = a >= 0 && b >= 0 && !__builtin_add_overflow(a, b, &both);
    return known ? both : unknown_cardinality;
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

}  // namespace

Dataset Dataset::concatenate(const Dataset& other, SourceLocation location) const {
  return Dataset(
      std::make_shared<ConcatenateNode>(node_, other.node_, label_at("concatenate", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
