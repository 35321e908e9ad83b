#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/drawn_seed.h"
#include "systolic/data/random.h"
#include "systolic/data/sources/indexed_node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// Items of which a random one is exchanged for each that comes, and a random one is taken when no
// more come: elements, or their numbers.
template <class Item>
class ShuffleBuffer {
 public:
  ShuffleBuffer(int64_t size, uint64_t key) : size_(static_cast<size_t>(size)), key_(key) {}

  int64_t capacity() const { return static_cast<int64_t>(size_); }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }
  size_t room() const { return size_ - items_.size(); }
  bool empty() const { return items_.empty(); }
  void add(Item item) { items_.push_back(std::move(item)); }
  void exchange(Item& item) { std::swap(item, items_[draw()]); }
  Item take() {
    std::swap(items_[draw()], items_.back());
    Item item = std::move(items_.back());
    items_.pop_back();
    return item;
  }
  int64_t drawn() const { return static_cast<int64_t>(drawn_); }

  // All but the items.
  void transfer(StateArchive& archive) {
    archive.expect("buffer_size", static_cast<int64_t>(size_));
    archive.number(key_);
    archive.number(drawn_);
  }
  // One by one: it ends where the bytes do.
  template <class Transfer>
  void transfer_items(StateArchive& archive, const Transfer& transfer_item) {
    uint64_t count = items_.size();
    archive.number(count);
    if (count > size_) archive.damaged("the size of a shuffle buffer");
    for (uint64_t i = 0; i < count; ++i) {
      if (!archive.saving()) items_.emplace_back();
      transfer_item(items_[i]);
    }
  }
  // As if nothing had been drawn.
  void restart() { drawn_ = 0; }

 private:
  size_t draw() { return static_cast<size_t>(below(items_.size(), random_at(key_, drawn_++))); }

  const size_t size_;
  uint64_t key_;
  uint64_t drawn_ = 0;
  std::vector<Item> items_;
};

class ShuffleStage : public Stage {
 public:
  ShuffleStage(const Context& context, const Node& node, std::unique_ptr<Stage> input, int64_t size,
               uint64_t key)
      : Stage(context, &node, node.label()), input_(std::move(input)), buffer_(size, key) {}

 protected:
  Chunk produce(int64_t most) override {
    fill();
    if (ended_) return drain(most);
    Chunk chunk = input_->next(most);
    if (chunk.empty()) {
      ended_ = true;
      return drain(most);
    }
    for (Example& element : chunk) buffer_.exchange(element);
    return chunk;
  }
  void transfer_members(StateArchive& archive) override {
    buffer_.transfer(archive);
    archive.flag(ended_);
    buffer_.transfer_items(archive, [&](Example& element) { archive.element(element); });
    input_->transfer(archive);
  }

 private:
  void fill() {
    while (!ended_ && buffer_.room() > 0) {
      check_cancelled();
      Chunk chunk = input_->next(static_cast<int64_t>(buffer_.room()));
      ended_ = chunk.empty();
      for (Example& element : chunk) buffer_.add(std::move(element));
    }
  }

  Chunk drain(int64_t most) {
    Chunk chunk;
    while (!buffer_.empty() && static_cast<int64_t>(chunk.size()) < std::min(most, largest_chunk))
      chunk.push_back(buffer_.take());
    return chunk;
  }

  std::unique_ptr<Stage> input_;
  ShuffleBuffer<Example> buffer_;
  bool ended_ = false;
};

// The same order of a source whose elements are found by their numbers: 8 bytes in place of an
// element.
class IndexedShuffleStage : public Stage {
 public:
  IndexedShuffleStage(const Context& context, const Node& node, const IndexedNode& source,
                      std::shared_ptr<StageCounters> source_counters, int64_t size, uint64_t key)
      : Stage(context, &node, node.label()),
        source_(source),
        source_counters_(std::move(source_counters)),
        size_(source.cardinality()),
        buffer_(size, key) {}

 protected:
  Chunk produce(int64_t most) override {
    const int64_t count = std::min({most, largest_chunk, size_ - buffer_.drawn()});
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(next());
    return elements(numbers);
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect(name_in(source_.label()));
    archive.expect("elements", size_);
    buffer_.transfer(archive);
    const int64_t drawn = buffer_.drawn();
    if (drawn < 0 || drawn > size_) archive.damaged("the place in a shuffled source");
    if (buffer_.capacity() < size_) {
      archive.integer(read_, 0, size_);
      buffer_.transfer_items(archive,
                             [&](int64_t& number) { archive.integer(number, 0, size_ - 1); });
      if (buffer_.size() != read_ - drawn) archive.damaged("the size of a shuffle buffer");
    } else if (!archive.saving()) {  // of a source that lies in the buffer whole, drawn again
      buffer_.restart();
      while (buffer_.drawn() < drawn) next();
    }
  }

 private:
  int64_t next() {
    fill();
    if (read_ == size_) return buffer_.take();
    int64_t number = read_++;
    buffer_.exchange(number);
    return number;
  }

  void fill() {
    constexpr int64_t between_looks = 1 << 16;
    for (; read_ < size_ && buffer_.room() > 0; ++read_) {
      if (read_ % between_looks == 0) check_cancelled();
      buffer_.add(read_);
    }
  }

  // In the source's name, as if a stage of its own made them.
  Chunk elements(const std::vector<int64_t>& numbers) {
    const Timer timer(source_counters_->busy_ns);
    Chunk chunk;
    chunk.reserve(numbers.size());
    for (const int64_t number : numbers) chunk.push_back(source_.element(number));
    source_counters_->elements += static_cast<int64_t>(chunk.size());
    source_counters_->bytes += static_cast<int64_t>(estimated_bytes(chunk));
    return chunk;
  }

  const IndexedNode& source_;
  const std::shared_ptr<StageCounters> source_counters_;
  const int64_t size_;
  int64_t read_ = 0;  // of the source
  ShuffleBuffer<int64_t> buffer_;
};

class ShuffleNode : public UnaryNode {
 public:
  ShuffleNode(NodePointer input, int64_t size, ShuffleOptions options, std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        size_(size),
        seed_(options.seed),
        reshuffle_(options.reshuffle_each_iteration) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    const uint64_t key = seed_.key(context, reshuffle_);
    if (const auto* source = dynamic_cast<const IndexedNode*>(&input())) {
      auto counters = Stage::counters_of(context, source, source->label());  // the first of the two
      return std::make_unique<IndexedShuffleStage>(context, *this, *source, std::move(counters),
                                                   size_, key);
    }
    return std::make_unique<ShuffleStage>(context, *this, input().make(context), size_, key);
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
    const char* hint = "a buffer as large as the dataset shuffles evenly";
    if (buffer_size == unknown_cardinality) hint = "this is an unknown cardinality: name a number";
    if (buffer_size == infinite_cardinality)
      hint = "this dataset has no end: shuffle before repeat";
    raise<InvalidArgument>({.what = str("shuffle(", buffer_size, ")"),
                            .wanted = "a buffer of at least 1 element",
                            .hint = hint,
                            .location = location});
  }
  return Dataset(
      std::make_shared<ShuffleNode>(node_, buffer_size, options, label_at("shuffle", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
