#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/drawn_seed.h"
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
        seed_(options.seed),
        reshuffle_(options.reshuffle_each_iteration) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<ShuffleStage>(context, *this, input().make(context), size_,
                                          seed_.key(context, reshuffle_));
  }
  void transfer_shared(StateArchive& archive) const override { seed_.transfer(archive); }

 private:
  int64_t size_;
  DrawnSeed seed_;
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
