// map() with a memory.
#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/data/transformations/map.h"

namespace systolic::inline v0 {
namespace data {
namespace {

using ScanFunction = std::function<std::pair<Example, Example>(const Example&, const Example&)>;

class ScanStage : public Stage {
 public:
  ScanStage(const Context& context, const Node& node, std::unique_ptr<Stage> input, Example state,
            const ScanFunction& function)
      : Stage(context, &node, node.label()),
        node_(node),
        input_(std::move(input)),
        state_(std::move(state)),
        function_(function) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk = input_->next(most);
    for (size_t i = 0; i < chunk.size(); ++i) {
      const auto step = [&](const Example& element) {
        auto [state, result] = function_(state_, element);
        state_ = std::move(state);
        return result;
      };
      try {
        chunk[i] = apply_to_element(step, chunk[i], node_.label(), index_++);
      } catch (...) {
        chunk.resize(i);
        return fail_after(std::move(chunk));
      }
    }
    return chunk;
  }
  void transfer_members(StateArchive& archive) override {
    archive.element(state_);
    archive.integer(index_, 0, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  const Node& node_;
  std::unique_ptr<Stage> input_;
  Example state_;
  const ScanFunction& function_;
  int64_t index_ = 0;
};

class ScanNode : public UnaryNode {
 public:
  ScanNode(NodePointer input, Example state, ScanFunction function, std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        state_(std::move(state)),
        function_(std::move(function)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<ScanStage>(context, *this, input().make(context), state_, function_);
  }
  ElementSpec spec() const override {
    Iterator iterator(input_pointer());
    const std::optional<Example> first = iterator.next();
    return first ? spec_of(function_(state_, *first).second) : ElementSpec{};
  }

 private:
  Example state_;
  ScanFunction function_;
};

}  // namespace

Dataset Dataset::scan(Example initial_state, ScanFunction function, SourceLocation location) const {
  if (!function) {
    raise<InvalidArgument>({.what = "scan with an empty function", .location = location});
  }
  return Dataset(std::make_shared<ScanNode>(node_, std::move(initial_state), std::move(function),
                                            label_at("scan", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
