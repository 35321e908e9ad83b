// What stages share, a cache's elements among it, is saved whole while they run.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/data/state/state_archive.h"

namespace systolic {
namespace {

using data::Dataset;
using data::Iterator;

// Hands its input on; a save that has come as far as to it sets a flag.
class SavedStage : public data::Stage {
 public:
  SavedStage(const data::Context& context, const data::Node& node,
             std::unique_ptr<data::Stage> input, std::atomic<bool>& saving)
      : Stage(context, &node, node.label()), input_(std::move(input)), saving_(saving) {}

 protected:
  data::Chunk produce(int64_t most) override { return input_->next(most); }
  void transfer_members(data::StateArchive& archive) override {
    saving_ = true;
    input_->transfer(archive);
  }

 private:
  std::unique_ptr<data::Stage> input_;
  std::atomic<bool>& saving_;
};
class SavedNode : public data::UnaryNode {
 public:
  SavedNode(data::NodePointer input, std::atomic<bool>& saving)
      : UnaryNode(std::move(input), "saved"), saving_(saving) {}
  std::unique_ptr<data::Stage> make(const data::Context& context) const override {
    return std::make_unique<SavedStage>(context, *this, input().make(context), saving_);
  }

 private:
  std::atomic<bool>& saving_;
};

int elements_left(Iterator& iterator) {
  int count = 0;
  while (iterator.next()) ++count;
  return count;
}

// The thread of the prefetch reaches the end of the cache's input while the iterator is saved.
TEST(SharedState, ACacheThatFillsWhileItIsSavedIsWhole) {
  std::atomic<bool> saving{false}, at_end{false};
  const auto build = [&] {
    const Dataset three = data::from_generator([&] {
      return [&, n = int64_t{0}]() mutable -> std::optional<Example> {
        if (n < 3) return Example{{"n", Literal::scalar<int64_t>(n++)}};
        at_end = true;
        while (!saving) std::this_thread::yield();
        return std::nullopt;
      };
    });
    return Dataset(std::make_shared<SavedNode>(three.cache().prefetch(8).node(), saving)).repeat(2);
  };
  Iterator iterator = build().iterator();
  for (int i = 0; i < 3; ++i) iterator.next();
  while (!at_end) std::this_thread::yield();
  const std::string state = iterator.save();
  EXPECT_EQ(elements_left(iterator), 3);
  Iterator restored = build().iterator(state);
  EXPECT_EQ(elements_left(restored), 3);
}

}  // namespace
}  // namespace systolic
