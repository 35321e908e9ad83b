// Every n-th element.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

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

}  // namespace

Dataset Dataset::shard(int64_t num_shards, int64_t index, SourceLocation location) const {
  if (num_shards < 1 || index < 0 || index >= num_shards) {
    raise<InvalidArgument>({.what = str("shard(", num_shards, ", ", index, ")"),
                            .wanted = "an index in [0, num_shards)",
                            .location = location});
  }
  return Dataset(
      std::make_shared<ShardNode>(node_, num_shards, index, label_at("shard", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
