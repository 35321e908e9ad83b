#include <algorithm>

#include "systolic/data/dataset.h"
#include "systolic/data/drawn_seed.h"
#include "systolic/data/node.h"
#include "systolic/data/random.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class RandomStage : public Stage {
 public:
  RandomStage(const Context& context, const Node& node, uint64_t key)
      : Stage(context, &node, node.label()), key_(key) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk;
    for (int64_t i = 0; i < std::min(most, largest_chunk); ++i) {
      const uint64_t bits = random_at(key_, static_cast<uint64_t>(drawn_++));
      chunk.push_back({{"value", Literal::scalar(static_cast<int64_t>(bits >> 1))}});
    }
    return chunk;
  }
  void transfer_members(StateArchive& archive) override {
    archive.number(key_);
    archive.integer(drawn_, 0, StateArchive::largest_count);
  }

 private:
  uint64_t key_;
  int64_t drawn_ = 0;
};

class RandomNode : public Node {
 public:
  RandomNode(const RandomOptions& options, std::string label)
      : Node(std::move(label), Options{}),
        seed_(options.seed),
        another_each_iteration_(options.rerandomize_each_iteration) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<RandomStage>(context, *this,
                                         seed_.key(context, another_each_iteration_));
  }
  int64_t cardinality() const override { return infinite_cardinality; }
  ElementSpec spec() const override { return {{"value", Shape{}, DType::i64}}; }
  bool repeats_results() const override { return !another_each_iteration_; }
  void transfer_shared(StateArchive& archive) const override { seed_.transfer(archive); }

 private:
  DrawnSeed seed_;
  bool another_each_iteration_;
};

}  // namespace

Dataset random(RandomOptions options, SourceLocation location) {
  return Dataset(std::make_shared<RandomNode>(options, label_at("random", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
