// The number of each element before its arrays.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

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

}  // namespace

Dataset Dataset::enumerate() const { return Dataset(std::make_shared<EnumerateNode>(node_)); }

}  // namespace data
}  // namespace systolic::inline v0
