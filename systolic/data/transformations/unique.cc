// Each element once.
#include <set>

#include "systolic/data/dataset.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class UniqueStage : public Stage {
 public:
  UniqueStage(const Context& context, const Node& node, std::unique_ptr<Stage> input)
      : Stage(context, &node, node.label()), input_(std::move(input)) {}

 protected:
  Chunk produce(int64_t most) override {
    for (;;) {
      check_cancelled();
      Chunk chunk = input_->next(most);
      if (chunk.empty()) return chunk;
      Chunk fresh;
      for (Example& element : chunk) {
        if (seen_.insert(encode_element(element)).second) fresh.push_back(std::move(element));
      }
      if (!fresh.empty()) return fresh;
    }
  }
  void transfer_members(StateArchive& archive) override {
    auto count = static_cast<int64_t>(seen_.size());
    archive.integer(count, 0, INT64_MAX);
    if (archive.saving()) {
      for (std::string bytes : seen_) archive.text(bytes);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        std::string bytes;
        archive.text(bytes);
        seen_.insert(std::move(bytes));
      }
    }
    input_->transfer(archive);
  }

 private:
  std::unique_ptr<Stage> input_;
  std::set<std::string> seen_;
};

class UniqueNode : public UnaryNode {
 public:
  using UnaryNode::UnaryNode;
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<UniqueStage>(context, *this, input().make(context));
  }
  int64_t cardinality() const override { return unknown_cardinality; }
};

}  // namespace

Dataset Dataset::unique(SourceLocation location) const {
  return Dataset(std::make_shared<UniqueNode>(node_, label_at("unique", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
