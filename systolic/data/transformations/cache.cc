// All elements in memory, once they were read to the end. On disk: disk_cache.cc.
#include <algorithm>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// All elements of a dataset, once one iterator has read it to its end.
using Kept = std::shared_ptr<const std::vector<Example>>;
struct Cache {
  std::mutex mutex;
  Kept elements;
};

class CacheStage : public Stage {
 public:
  // Reads `kept`, or else `input`, which `origin` makes.
  CacheStage(const Context& context, const Node& node, const Node& origin, Cache& cache, Kept kept,
             std::unique_ptr<Stage> input)
      : Stage(context, &node, node.label()),
        context_(context),
        origin_(origin),
        cache_(cache),
        input_(std::move(input)),
        kept_(std::move(kept)) {}

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
  // The elements of a full cache are those that the node saves; but not where the dataset was made
  // while running, and its node is made anew.
  void transfer_members(StateArchive& archive) override {
    bool full = kept_ != nullptr;
    archive.flag(full);
    if (full) {
      if (context_.made_by != nullptr) transfer_kept(archive);
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
  void transfer_kept(StateArchive& archive) {
    std::vector<Example> elements;
    if (archive.saving()) elements = *kept_;
    archive.elements(elements);
    if (archive.saving()) return;
    std::lock_guard lock(cache_.mutex);
    cache_.elements = std::make_shared<const std::vector<Example>>(std::move(elements));
  }

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
  Kept kept_;
  std::vector<Example> made_;
  size_t next_ = 0;
};

class CacheNode : public UnaryNode {
 public:
  explicit CacheNode(NodePointer input) : UnaryNode(std::move(input), "cache") {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    Kept kept;
    {
      std::lock_guard lock(cache_.mutex);
      kept = cache_.elements;
    }
    auto stage = kept == nullptr ? input().make(context) : nullptr;
    return std::make_unique<CacheStage>(context, *this, input(), cache_, std::move(kept),
                                        std::move(stage));
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

}  // namespace

Dataset Dataset::cache() const { return Dataset(std::make_shared<CacheNode>(node_)); }

}  // namespace data
}  // namespace systolic::inline v0
