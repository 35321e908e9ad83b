#include <algorithm>
#include <atomic>
#include <random>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/data/random.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class ShuffleStage : public Stage {
 public:
  ShuffleStage(const Context& context, const Node& node, std::unique_ptr<Stage> input, int64_t size,
               uint64_t key)
      : Stage(context, &node, node.label()),
        input_(std::move(input)),
        size_(static_cast<size_t>(size)),
        key_(key) {}

 protected:
  Chunk produce(int64_t most) override {
    fill();
    if (ended_) return drain(most);
    Chunk chunk = input_->next(most);
    if (chunk.empty()) {
      ended_ = true;
      return drain(most);
    }
    for (Example& element : chunk) std::swap(element, buffer_[draw()]);
    return chunk;
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("buffer_size", static_cast<int64_t>(size_));
    archive.number(key_);
    archive.number(drawn_);
    archive.flag(ended_);
    archive.elements(buffer_);
    if (buffer_.size() > size_) archive.damaged("the size of a shuffle buffer");
    input_->transfer(archive);
  }

 private:
  void fill() {
    while (!ended_ && buffer_.size() < size_) {
      check_cancelled();
      Chunk chunk = input_->next(static_cast<int64_t>(size_ - buffer_.size()));
      ended_ = chunk.empty();
      std::move(chunk.begin(), chunk.end(), std::back_inserter(buffer_));
    }
  }

  Chunk drain(int64_t most) {
    Chunk chunk;
    while (!buffer_.empty() && static_cast<int64_t>(chunk.size()) < std::min(most, largest_chunk)) {
      std::swap(buffer_[draw()], buffer_.back());
      chunk.push_back(std::move(buffer_.back()));
      buffer_.pop_back();
    }
    return chunk;
  }

  size_t draw() { return static_cast<size_t>(below(buffer_.size(), random_at(key_, drawn_++))); }

  std::unique_ptr<Stage> input_;
  const size_t size_;
  uint64_t key_;
  uint64_t drawn_ = 0;
  std::vector<Example> buffer_;
  bool ended_ = false;
};

class ShuffleNode : public UnaryNode {
 public:
  ShuffleNode(NodePointer input, int64_t size, ShuffleOptions options, std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        size_(size),
        given_(options.seed.has_value()),
        seed_(given_ ? *options.seed : drawn_seed()),
        reshuffle_(options.reshuffle_each_iteration) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    // In a dataset that a function makes while running, a drawn seed is that of the iterator, so
    // that it is the same when the function is called again after a restore.
    const bool of_run = !given_ && context.made_by != nullptr;
    const uint64_t seed = of_run ? random_at(context.run->seed(), fill_key) : seed_.load();
    const uint64_t key = reshuffle_ ? random_at(seed, context.epoch) : seed;
    return std::make_unique<ShuffleStage>(context, *this, input().make(context), size_, key);
  }
  void transfer_shared(StateArchive& archive) const override {
    uint64_t seed = seed_;
    archive.number(seed);
    if (!given_) seed_ = seed;
  }

 private:
  static constexpr uint64_t fill_key = 0x73687566;  // another stream than those of other stages
  static uint64_t drawn_seed() {
    return std::random_device{}() + (uint64_t{std::random_device{}()} << 32);
  }

  int64_t size_;
  bool given_;
  mutable std::atomic<uint64_t> seed_;
  bool reshuffle_;
};

}  // namespace

Dataset Dataset::shuffle(int64_t buffer_size, ShuffleOptions options,
                         SourceLocation location) const {
  if (buffer_size < 1) {
    raise<InvalidArgument>({.what = str("shuffle(", buffer_size, ")"),
                            .wanted = "a buffer of at least 1 element",
                            .hint = "a buffer as large as the dataset shuffles evenly",
                            .location = location});
  }
  return Dataset(
      std::make_shared<ShuffleNode>(node_, buffer_size, options, label_at("shuffle", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
