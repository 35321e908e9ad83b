// Batches of arrays of different lengths: padded_batch and ragged_batch.
#include <algorithm>
#include <cstring>
#include <span>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/data/transformations/batch.h"

namespace systolic::inline v0 {
namespace data {
namespace {

using Elements = std::span<const Example>;
// Makes one element of several; `first_index` is the number of the first.
using Stack = std::function<Example(Elements, int64_t first_index)>;

class GatherStage : public Stage {
 public:
  GatherStage(const Context& context, const Node& node, std::unique_ptr<Stage> input, int64_t size,
              bool drop_remainder, const Stack& stack)
      : Stage(context, &node, node.label()),
        input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder),
        stack_(stack) {}

 protected:
  Chunk produce(int64_t) override {
    Chunk elements;
    while (!ended_ && static_cast<int64_t>(elements.size()) < size_) {
      check_cancelled();
      Chunk chunk = input_->next(size_ - static_cast<int64_t>(elements.size()));
      ended_ = chunk.empty();
      std::move(chunk.begin(), chunk.end(), std::back_inserter(elements));
    }
    const auto count = static_cast<int64_t>(elements.size());
    if (count == 0 || (drop_remainder_ && count < size_)) return {};
    index_ += count;
    return {stack_(elements, index_ - count)};
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("batch_size", size_);
    archive.flag(ended_);
    archive.integer(index_, 0, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  std::unique_ptr<Stage> input_;
  const int64_t size_;
  const bool drop_remainder_;
  const Stack& stack_;
  bool ended_ = false;
  int64_t index_ = 0;
};

class GatherNode : public UnaryNode {
 public:
  GatherNode(NodePointer input, int64_t size, bool drop_remainder, std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        size_(size),
        drop_remainder_(drop_remainder) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<GatherStage>(context, *this, input().make(context), size_,
                                         drop_remainder_, stack_);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    if (elements < 0) return elements;
    return elements / size_ + (!drop_remainder_ && elements % size_ > 0 ? 1 : 0);
  }
  int64_t batch_size() const override { return size_; }

 protected:
  int64_t rows() const {
    return drop_remainder_ || input().cardinality() == infinite_cardinality ? size_ : -1;
  }
  Stack stack_;

 private:
  int64_t size_;
  bool drop_remainder_;
};

void check_names(Elements elements, std::string_view label, int64_t first_index) {
  const Example& first = elements.front();
  for (size_t i = 1; i < elements.size(); ++i) {
    const Example& element = elements[i];
    bool alike = element.size() == first.size();
    for (size_t c = 0; alike && c < first.size(); ++c) {
      const Literal &x = element.value(c), &y = first.value(c);
      alike = element.name(c) == first.name(c) && x.dtype() == y.dtype() && x.rank() == y.rank();
    }
    if (alike) continue;
    raise<InvalidArgument>(
        {.what = str(label, ", element ", first_index + static_cast<int64_t>(i), ": ", element),
         .wanted = str("the same names, types and ranks as element ", first_index, ": ", first)});
  }
}

// The shape that all arrays fit into: the longest of each axis, or what `asked` says.
Shape common_shape(Elements elements, size_t c, const Shape* asked, std::string_view label,
                   int64_t first_index) {
  Shape shape = elements.front().value(c).shape();
  if (asked != nullptr && asked->rank() != shape.rank()) {
    raise<InvalidArgument>({.what = str(label, ": padded shape ", *asked, " for '",
                                        elements.front().name(c), "' of shape ", shape)});
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    for (size_t i = 0; i < elements.size(); ++i) {
      const int64_t size = elements[i].value(c).shape()[axis];
      shape.set(axis, std::max(shape[axis], size));
      if (asked == nullptr || (*asked)[axis] < 0 || size <= (*asked)[axis]) continue;
      raise<InvalidArgument>(
          {.what = str(label, ", element ", first_index + static_cast<int64_t>(i), ": '",
                       elements[i].name(c), "' of shape ", elements[i].value(c).shape()),
           .wanted = str("at most the padded shape ", *asked),
           .hint = "cut longer arrays with data::slice, or leave them out with filter"});
    }
    if (asked != nullptr && (*asked)[axis] >= 0) shape.set(axis, (*asked)[axis]);
  }
  return shape;
}

// Calls copy(from, to, count) for every row of the last axis of `inner` at its place in `outer`.
template <class Copy>
void for_each_row(const Shape& inner, const Shape& outer, const Copy& copy) {
  const int rank = inner.rank();
  if (rank == 0) return copy(0, 0, 1);
  const int64_t length = inner[rank - 1];
  if (inner.elements() == 0) return;
  const int64_t rows = inner.elements() / length;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t left = row, to = 0, stride = outer[rank - 1];
    for (int axis = rank - 2; axis >= 0; --axis) {
      to += left % inner[axis] * stride;
      left /= inner[axis];
      stride *= outer[axis];
    }
    copy(row * length, to, length);
  }
}

Literal pad_strings(Elements elements, size_t c, const Shape& shape, const Literal* padding) {
  const int64_t each = shape.elements();
  std::vector<std::string_view> views(static_cast<size_t>(each) * elements.size(),
                                      padding != nullptr ? padding->bytes() : std::string_view());
  for (size_t i = 0; i < elements.size(); ++i) {
    const Literal& value = elements[i].value(c);
    const int64_t start = each * static_cast<int64_t>(i);
    for_each_row(value.shape(), shape, [&](int64_t from, int64_t to, int64_t count) {
      for (int64_t k = 0; k < count; ++k)
        views[static_cast<size_t>(start + to + k)] = value.string_at(from + k);
    });
  }
  return Literal::strings(views, shape.with_inserted(0, static_cast<int64_t>(elements.size())));
}

// Bit by bit: not every i64 is a double.
Literal filled_with(const Literal& one, const Shape& shape) {
  Literal result(one.dtype(), shape);
  const size_t width = one.byte_size(), bytes = result.byte_size();
  for (size_t at = 0; at < bytes; at += width)
    std::memcpy(result.mutable_raw() + at, one.raw(), width);
  return result;
}

Literal pad_numbers(Elements elements, size_t c, const Shape& shape, const Literal* padding) {
  const DType dtype = elements.front().value(c).dtype();
  const Shape whole = shape.with_inserted(0, static_cast<int64_t>(elements.size()));
  Literal result = padding != nullptr ? filled_with(padding->convert(dtype), whole)
                                      : Literal::zeros(dtype, whole);
  if (whole.elements() == 0) return result;
  const auto width = static_cast<int64_t>(byte_width(dtype));
  std::byte* out = result.mutable_raw();
  for (size_t i = 0; i < elements.size(); ++i) {
    const Literal& value = elements[i].value(c);
    for_each_row(value.shape(), shape, [&](int64_t from, int64_t to, int64_t count) {
      std::memcpy(out + to * width, value.raw() + from * width, static_cast<size_t>(count * width));
    });
    out += shape.elements() * width;
  }
  return result;
}

template <class Value>
const Value* find_named(const std::map<std::string, Value>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

void check_padding(const Literal* padding, const Literal& array, const std::string& name,
                   std::string_view label) {
  if (padding == nullptr) return;
  const bool strings = array.dtype() == DType::string;
  const bool alike = padding->size() == 1 && (padding->dtype() == DType::string) == strings;
  const auto is_whole = [&] {
    return padding->convert(array.dtype()).convert(padding->dtype()) == *padding;
  };
  if (alike && (strings || is_float(array.dtype()) || is_complex(array.dtype()) || is_whole()))
    return;
  raise<InvalidArgument>(
      {.what = str(label, ": the padding value of '", name, "' is ", padding->dtype(),
                   padding->shape(), alike ? str(" ", *padding) : ""),
       .wanted = str("one ", strings ? "string" : "number", " of ", array.dtype())});
}

template <class Value>
void check_known(const std::map<std::string, Value>& of_names, std::string_view option,
                 const Example& element, std::string_view label) {
  for (const auto& [name, value] : of_names) {
    if (element.contains(name)) continue;
    const auto closest = closest_names(name, element.names(), 1);
    raise<InvalidArgument>(
        {.what = str(label, ": ", option, " of '", name, "', which the elements do not have"),
         .wanted = join(element.names()),
         .hint = closest.empty() ? "" : str("did you mean '", closest.front(), "'")});
  }
}

Example stack_padded(Elements elements, const PaddedBatchOptions& options, std::string_view label,
                     int64_t first_index) {
  check_names(elements, label, first_index);
  check_known(options.padded_shapes, "padded_shapes", elements.front(), label);
  check_known(options.padding_values, "padding_values", elements.front(), label);
  Example::Components components;
  for (size_t c = 0; c < elements.front().size(); ++c) {
    const std::string& name = elements.front().name(c);
    const Literal* padding = find_named(options.padding_values, name);
    const Literal& first = elements.front().value(c);
    check_padding(padding, first, name, label);
    const Shape shape =
        common_shape(elements, c, find_named(options.padded_shapes, name), label, first_index);
    components.push_back({name, first.dtype() == DType::string
                                    ? pad_strings(elements, c, shape, padding)
                                    : pad_numbers(elements, c, shape, padding)});
  }
  return Example(std::move(components));
}

class PaddedBatchNode : public GatherNode {
 public:
  PaddedBatchNode(NodePointer input, int64_t size, PaddedBatchOptions options, std::string label)
      : GatherNode(std::move(input), size, options.drop_remainder, std::move(label)),
        options_(std::move(options)) {
    stack_ = [this](Elements elements, int64_t first_index) {
      return stack_padded(elements, options_, this->label(), first_index);
    };
  }
  ElementSpec spec() const override {
    ElementSpec spec = input().spec();
    for (TensorSpec& row : spec) {
      const Shape* asked = find_named(options_.padded_shapes, row.name);
      for (int axis = 0; axis < row.shape.rank(); ++axis) {
        const bool known = asked != nullptr && axis < asked->rank() && (*asked)[axis] >= 0;
        row.shape.set(axis, known ? (*asked)[axis] : -1);
      }
      row.shape = row.shape.with_inserted(0, rows());
    }
    return spec;
  }

 private:
  PaddedBatchOptions options_;
};

// One array of all rows, and where each starts.
void append_ragged(Elements elements, size_t c, Example::Components& out) {
  const Literal& first = elements.front().value(c);
  std::vector<int64_t> splits{0};
  std::vector<Example> rows;
  for (const Example& element : elements) {
    const Literal& value = element.value(c);
    const int64_t length = value.shape()[0];
    splits.push_back(splits.back() + length);
    for (int64_t row = 0; row < length; ++row) rows.push_back(Example{{"row", value.row(row)}});
  }
  const std::string& name = elements.front().name(c);
  Literal values = rows.empty() ? Literal(first.dtype(), first.shape())
                                : stack_elements(rows, str("ragged_batch, '", name, "'")).only();
  const auto count = static_cast<int64_t>(splits.size());
  out.push_back({name, std::move(values)});
  out.push_back({name + "_row_splits", Literal::from(splits, {count})});
}

Example stack_ragged(Elements elements, std::string_view label, int64_t first_index) {
  check_names(elements, label, first_index);
  Example::Components components;
  for (size_t c = 0; c < elements.front().size(); ++c) {
    if (elements.front().value(c).rank() > 0) {
      append_ragged(elements, c, components);
      continue;
    }
    std::vector<Example> scalars;
    for (const Example& element : elements)
      scalars.push_back(Example{{element.name(c), element.value(c)}});
    components.push_back(
        {elements.front().name(c), stack_elements(scalars, label, first_index).only()});
  }
  return Example(std::move(components));
}

class RaggedBatchNode : public GatherNode {
 public:
  RaggedBatchNode(NodePointer input, int64_t size, BatchOptions options, std::string label)
      : GatherNode(std::move(input), size, options.drop_remainder, std::move(label)) {
    stack_ = [this](Elements elements, int64_t first_index) {
      return stack_ragged(elements, this->label(), first_index);
    };
  }
  ElementSpec spec() const override {
    ElementSpec spec;
    for (TensorSpec& row : input().spec()) {
      const bool ragged = row.shape.rank() > 0;
      if (ragged) {
        row.shape.set(0, -1);
      } else {
        row.shape = Shape{rows()};
      }
      const std::string name = row.name;
      spec.push_back(std::move(row));
      const int64_t splits = rows() < 0 ? -1 : rows() + 1;
      if (ragged) spec.push_back({name + "_row_splits", Shape{splits}, DType::i64});
    }
    return spec;
  }
};

void check_batch_size(int64_t size, std::string_view name, SourceLocation location) {
  if (size >= 1) return;
  raise<InvalidArgument>(
      {.what = str(name, "(", size, ")"), .wanted = "a size of at least 1", .location = location});
}

}  // namespace

Dataset Dataset::padded_batch(int64_t batch_size, PaddedBatchOptions options,
                              SourceLocation location) const {
  check_batch_size(batch_size, "padded_batch", location);
  return Dataset(std::make_shared<PaddedBatchNode>(node_, batch_size, std::move(options),
                                                   label_at("padded_batch", location)));
}

Dataset Dataset::ragged_batch(int64_t batch_size, BatchOptions options,
                              SourceLocation location) const {
  check_batch_size(batch_size, "ragged_batch", location);
  return Dataset(std::make_shared<RaggedBatchNode>(node_, batch_size, options,
                                                   label_at("ragged_batch", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
