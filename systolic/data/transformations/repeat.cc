// The dataset several times over.
#include <algorithm>

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
        if (epoch_ == ended || (count_ >= 0 && epoch_ >= count_)) return {};
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
        epoch_ = ended;
        return {};
      }
    }
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("count", count_);
    archive.integer(epoch_, 0, ended);
    archive.flag(delivered_);
    bool open = stage_ != nullptr;
    archive.flag(open);
    if (!archive.saving()) stage_ = open ? input_.make(epoch_context(context_, epoch_)) : nullptr;
    if (open) stage_->transfer(archive);
  }

 private:
  static constexpr int64_t ended = StateArchive::largest_count;  // as the number of an epoch

  Context context_;
  const Node& input_;
  const int64_t count_;
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
    int64_t all = 0;
    const bool known =
        elements != unknown_cardinality && !__builtin_mul_overflow(elements, count_, &all);
    return known ? all : unknown_cardinality;
  }

 private:
  int64_t count_;
};

}  // namespace

Dataset Dataset::repeat(int64_t count) const {
  return Dataset(std::make_shared<RepeatNode>(node_, count));
}

}  // namespace data
}  // namespace systolic::inline v0
