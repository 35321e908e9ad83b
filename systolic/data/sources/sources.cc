// Datasets that begin a pipeline: arrays, numbers, generators.
#include "systolic/data/sources/sources.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/sources/indexed_node.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// Tells arrays apart: names, types, shapes and a checksum of the values.
std::string described(const Example& arrays) {
  std::string text;
  for (const auto& [name, array] : arrays) {
    uint32_t sum = 0;
    if (array.dtype() != DType::string) sum = io::crc32c(array.raw(), array.byte_size());
    for (int64_t i = 0; array.dtype() == DType::string && i < array.size(); ++i) {
      const std::string_view value = array.string_at(i);
      const uint64_t size = value.size();
      sum = io::crc32c(value.data(), value.size(), io::crc32c(&size, sizeof size, sum));
    }
    text += str(name, " ", array.dtype(), array.shape(), " ", sum, ";");
  }
  return text;
}

class SlicesNode : public IndexedNode {
 public:
  SlicesNode(Example arrays, int64_t rows, std::string label)
      : IndexedNode(std::move(label), Options{}), arrays_(std::move(arrays)), rows_(rows) {}
  int64_t cardinality() const override { return rows_; }
  ElementSpec spec() const override {
    ElementSpec spec = spec_of(arrays_);
    for (TensorSpec& row : spec) row.shape = row.shape.without(0);
    return spec;
  }
  std::string origin() const override { return described(arrays_); }
  Example element(int64_t i) const override {
    Example::Components rows;
    rows.reserve(arrays_.size());
    for (const auto& [name, value] : arrays_) rows.push_back({name, value.row(i)});
    return Example(std::move(rows));
  }

 private:
  Example arrays_;
  int64_t rows_;
};

class SingleNode : public IndexedNode {
 public:
  explicit SingleNode(Example element)
      : IndexedNode("from_tensors", Options{}), element_(std::move(element)) {}
  int64_t cardinality() const override { return 1; }
  ElementSpec spec() const override { return spec_of(element_); }
  std::string origin() const override { return described(element_); }
  Example element(int64_t) const override { return element_; }

 private:
  Example element_;
};

class RangeNode : public IndexedNode {
 public:
  RangeNode(int64_t start, int64_t count, int64_t step)
      : IndexedNode("range", Options{}), start_(start), count_(count), step_(step) {}
  int64_t cardinality() const override { return count_; }
  ElementSpec spec() const override { return {{"value", Shape{}, DType::i64}}; }
  std::string origin() const override { return str(start_, " ", count_, " ", step_); }
  Example element(int64_t i) const override {
    return Example{{"value", Literal::scalar<int64_t>(start_ + i * step_)}};
  }

 private:
  int64_t start_, count_, step_;
};

class ElementsNode : public IndexedNode {
 public:
  ElementsNode(Chunk elements, std::string label)
      : IndexedNode(std::move(label), Options{}), elements_(std::move(elements)) {}
  int64_t cardinality() const override { return static_cast<int64_t>(elements_.size()); }
  ElementSpec spec() const override {
    return elements_.empty() ? ElementSpec{} : spec_of(elements_.front());
  }
  std::string origin() const override {
    std::string all;
    for (const Example& each : elements_) all += described(each);
    return all;
  }
  Example element(int64_t i) const override { return elements_[static_cast<size_t>(i)]; }

 private:
  Chunk elements_;
};

using Generator = std::function<std::optional<Example>()>;

class GeneratorNode : public Node {
 public:
  GeneratorNode(std::function<Generator()> make_generator, ElementSpec signature, std::string label)
      : Node(std::move(label), Options{}),
        make_generator_(std::move(make_generator)),
        signature_(std::move(signature)) {}
  std::unique_ptr<Stage> make(const Context& context) const override;
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override {
    if (!signature_.empty()) return signature_;
    const std::optional<Example> first = generator()();
    return first ? spec_of(*first) : ElementSpec{};
  }
  void check(const Example& element, int64_t index) const {
    if (signature_.empty() || fits(element, signature_)) return;
    raise<InvalidArgument>({.what = str(label(), ", element ", index, ": ", element),
                            .wanted = str(signature_, ", the output_signature")});
  }

  Generator generator() const {
    if (Generator made = call_maker()) return made;
    raise<InvalidArgument>({.what = str(label(), ": the function returned an empty std::function"),
                            .wanted = "a function that returns elements, then std::nullopt",
                            .hint = "return [i = 0]() mutable -> std::optional<Example> { ... }"});
  }

 private:
  Generator call_maker() const {
    try {
      return make_generator_();
    } catch (...) {
      rethrow_as_function_failed(label());
    }
  }
  std::function<Generator()> make_generator_;
  ElementSpec signature_;
};

class GeneratorStage : public Stage {
 public:
  GeneratorStage(const Context& context, const GeneratorNode& node)
      : Stage(context, &node, node.label()), node_(node), generator_(node.generator()) {}

 protected:
  // One at a time: nobody knows how long a generator takes.
  Chunk produce(int64_t) override {
    Chunk chunk;
    if (ended_) return chunk;
    if (auto element = generator_()) {
      node_.check(*element, given_++);
      chunk.push_back(std::move(*element));
    } else {
      ended_ = true;
    }
    return chunk;
  }
  // A generator's state cannot be seen: it is called as often again.
  void transfer_members(StateArchive& archive) override {
    int64_t given = given_;
    archive.flag(ended_);
    archive.integer(given, 0, INT64_MAX);
    if (archive.saving() || ended_) return;
    for (; given_ < given; ++given_) {
      check_cancelled();
      if (generator_()) continue;
      raise<FailedPrecondition>(
          {.what = str("the generator ended after ", given_, " elements"),
           .wanted = str(given, ", as many as the saved iterator had read"),
           .hint = "a generator is restored by calling it again: let it give the same elements"});
    }
  }

 private:
  const GeneratorNode& node_;
  Generator generator_;
  int64_t given_ = 0;
  bool ended_ = false;
};

std::unique_ptr<Stage> GeneratorNode::make(const Context& context) const {
  return std::make_unique<GeneratorStage>(context, *this);
}

}  // namespace

NodePointer node_of_elements(Chunk elements, std::string label) {
  return std::make_shared<ElementsNode>(std::move(elements), std::move(label));
}

Dataset from_tensor_slices(const Example& arrays, SourceLocation location) {
  if (arrays.empty())
    raise<InvalidArgument>({.what = "from_tensor_slices of no arrays", .location = location});
  int64_t rows = -1;
  for (const auto& [name, value] : arrays) {
    const bool fits = value.rank() > 0 && (rows < 0 || value.shape()[0] == rows);
    if (!fits) {
      raise<InvalidArgument>(
          {.what = str("from_tensor_slices: '", name, "' of shape ", value.shape()),
           .wanted = rows < 0 ? std::string("at least one axis")
                              : str(rows, " rows, as the arrays before it"),
           .location = location});
    }
    rows = value.shape()[0];
  }
  return Dataset(
      std::make_shared<SlicesNode>(arrays, rows, label_at("from_tensor_slices", location)));
}

Dataset from_tensor_slices(const std::pair<ArrayLike, ArrayLike>& arrays, SourceLocation location) {
  return from_tensor_slices(Example{{"x", arrays.first.array()}, {"y", arrays.second.array()}},
                            location);
}

Dataset from_tensor_slices(const std::tuple<ArrayLike, ArrayLike, ArrayLike>& arrays,
                           SourceLocation location) {
  const auto& [x, y, weights] = arrays;
  return from_tensor_slices(
      Example{{"x", x.array()}, {"y", y.array()}, {"sample_weight", weights.array()}}, location);
}

Dataset from_tensor_slices(const std::pair<Example, ArrayLike>& arrays, SourceLocation location) {
  Example::Components components(arrays.first.begin(), arrays.first.end());
  components.push_back({"y", arrays.second.array()});
  return from_tensor_slices(Example(std::move(components)), location);
}

Dataset from_tensor_slices(const std::pair<Example, Example>& arrays, SourceLocation location) {
  Example::Components components(arrays.first.begin(), arrays.first.end());
  components.insert(components.end(), arrays.second.begin(), arrays.second.end());
  return from_tensor_slices(Example(std::move(components)), location);
}

Dataset from_tensor_slices(const Literal& array, SourceLocation location) {
  return from_tensor_slices(Example{{"x", array}}, location);
}

Dataset list_files(const std::string& pattern, ListFilesOptions options, SourceLocation location) {
  const std::vector<std::string> paths = io::glob(pattern, location);
  const Dataset files = from_tensor_slices(Example{{"path", Literal::strings(paths)}}, location);
  if (!options.shuffle) return files;
  return files.shuffle(static_cast<int64_t>(paths.size()), {.seed = options.seed}, location);
}

Dataset from_tensors(const Example& element) {
  return Dataset(std::make_shared<SingleNode>(element));
}

Dataset range(int64_t stop) { return range(0, stop); }

Dataset range(int64_t start, int64_t stop, int64_t step, SourceLocation location) {
  if (step == 0) raise<InvalidArgument>({.what = "range with step 0", .location = location});
  const auto bits = [](int64_t n) { return static_cast<uint64_t>(n); };
  const bool empty = step > 0 ? stop <= start : start <= stop;
  const uint64_t distance = step > 0 ? bits(stop) - bits(start) : bits(start) - bits(stop);
  const uint64_t width = step > 0 ? bits(step) : -bits(step);
  const uint64_t count = empty ? 0 : (distance - 1) / width + 1;
  if (count > bits(INT64_MAX)) {
    raise<InvalidArgument>({.what = str("range(", start, ", ", stop, ", ", step, ")"),
                            .wanted = str("at most ", INT64_MAX, " numbers"),
                            .location = location});
  }
  return Dataset(std::make_shared<RangeNode>(start, static_cast<int64_t>(count), step));
}

Dataset from_generator(std::function<Generator()> make, GeneratorOptions options,
                       SourceLocation location) {
  if (!make) {
    raise<InvalidArgument>({.what = "from_generator with an empty function", .location = location});
  }
  return Dataset(std::make_shared<GeneratorNode>(
      std::move(make), std::move(options.output_signature), label_at("from_generator", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
