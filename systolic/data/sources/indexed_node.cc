#include "systolic/data/sources/indexed_node.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace data {
namespace {

class IndexedStage : public Stage {
 public:
  IndexedStage(const Context& context, const IndexedNode& node)
      : Stage(context, &node, node.label()), node_(node), size_(node.cardinality()) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk;
    const int64_t count = std::min({most, largest_chunk, size_ - next_});
    chunk.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) chunk.push_back(node_.element(next_++));
    return chunk;
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("elements", size_);
    archive.integer(next_, 0, size_);
  }

 private:
  const IndexedNode& node_;
  const int64_t size_;
  int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Stage> IndexedNode::make(const Context& context) const {
  return std::make_unique<IndexedStage>(context, *this);
}

}  // namespace data
}  // namespace systolic::inline v0
