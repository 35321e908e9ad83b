// x[...]: a slice of known positions, or a dynamic slice where a position is a Tensor.
#include "systolic/trace/indexing.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Index::Index(Position position, SourceLocation at) : location(at), value_(position.value) {}
Index::Index(Slice range, SourceLocation at) : location(at), value_(range) {}
Index::Index(Ellipsis rest, SourceLocation at) : location(at), value_(rest) {}
Index::Index(NewAxis axis, SourceLocation at) : location(at), value_(axis) {}
Index::Index(const Tensor& position, SourceLocation at) : location(at), value_(position) {}
Index::Index(const Index& other) = default;
Index::Index(Index&& other) noexcept = default;
Index& Index::operator=(const Index& other) = default;
Index& Index::operator=(Index&& other) noexcept = default;
Index::~Index() = default;

namespace {

// Collects, axis by axis, what to cut out and which axes to keep.
struct Cut {
  std::vector<int64_t> start, limit, stride;
  std::vector<int64_t> reversed;                    // axes that run backwards
  std::vector<std::pair<int64_t, Tensor>> dynamic;  // axis, position
  std::vector<int64_t> result;  // sizes after taken axes are dropped and new ones inserted
};

void take_all(Cut& cut, int64_t size) {
  cut.start.push_back(0);
  cut.limit.push_back(size);
  cut.stride.push_back(1);
  cut.result.push_back(size);
}

void take_position(Cut& cut, int64_t position, int64_t size, int axis, SourceLocation location) {
  const int64_t positive = position < 0 ? position + size : position;
  if (positive < 0 || positive >= size) {
    raise<InvalidArgument>(
        {.what = str("index ", position, " of axis ", axis, ", which has size ", size),
         .wanted = str("a position in [", -size, ", ", size, ")"),
         .location = location});
  }
  cut.start.push_back(positive);
  cut.limit.push_back(positive + 1);
  cut.stride.push_back(1);
}

int64_t clamped(std::optional<int64_t> position, int64_t otherwise, int64_t size, int64_t low,
                int64_t high) {
  if (!position) return otherwise;
  return std::clamp(*position < 0 ? *position + size : *position, low, high);
}

// Python's begin:end:step. A negative step is a forward slice, reversed afterwards.
void take_range(Cut& cut, const Slice& range, int64_t size, SourceLocation location) {
  if (range.step == 0) raise<InvalidArgument>({.what = "a Slice of step 0", .location = location});
  const auto axis = static_cast<int64_t>(cut.start.size());
  if (range.step > 0) {
    const int64_t begin = clamped(range.begin, 0, size, 0, size);
    const int64_t end = std::max(begin, clamped(range.end, size, size, 0, size));
    cut.start.push_back(begin);
    cut.limit.push_back(end);
    cut.stride.push_back(range.step);
    cut.result.push_back((end - begin + range.step - 1) / range.step);
    return;
  }
  const int64_t first = clamped(range.begin, size - 1, size, -1, size - 1);
  const int64_t last = std::min(first, clamped(range.end, -1, size, -1, size - 1));
  const int64_t step = -range.step;
  const int64_t count = (first - last + step - 1) / step;
  const int64_t begin = count == 0 ? 0 : first - (count - 1) * step;
  cut.start.push_back(begin);
  cut.limit.push_back(count == 0 ? 0 : first + 1);
  cut.stride.push_back(step);
  cut.result.push_back(count);
  if (count > 1) cut.reversed.push_back(axis);
}

void take_tensor(Cut& cut, const Tensor& position, int64_t size, SourceLocation location) {
  if (position.dtype() == DType::pred) {
    raise<InvalidArgument>(
        {.what = "a Tensor indexed by a mask: the size of the result would depend on the data",
         .wanted = "shapes that are known before the program runs",
         .hint = "keep the shape and mask instead: sum(where(mask, x, 0)) / sum(cast(mask, "
                 "DType::f32))",
         .location = location});
  }
  if (!is_integer(position.dtype()) || position.rank() != 0) {
    raise<InvalidArgument>({.what = str("a Tensor of ", to_string(position.dtype()), " and shape ",
                                        position.shape(), " as an index"),
                            .wanted = "an integer scalar",
                            .hint = "use gather(x, indices, axis) for several positions",
                            .location = location});
  }
  cut.dynamic.emplace_back(static_cast<int64_t>(cut.start.size()), position);
  take_all(cut, size);
  cut.result.pop_back();
}

int axes_taken(std::span<const Index> indices) {
  return static_cast<int>(std::count_if(indices.begin(), indices.end(), [](const Index& index) {
    return !std::holds_alternative<Ellipsis>(index.value()) &&
           !std::holds_alternative<NewAxis>(index.value());
  }));
}

Cut cut_of(const Shape& shape, std::span<const Index> indices) {
  const int taken = axes_taken(indices);
  if (taken > shape.rank()) {
    raise<InvalidArgument>({.what = str(taken, " indices for a Tensor of shape ", shape),
                            .wanted = str("at most ", shape.rank()),
                            .location = indices.front().location});
  }
  Cut cut;
  auto size_here = [&] { return shape[static_cast<int>(cut.start.size())]; };
  for (const Index& index : indices) {
    const auto& value = index.value();
    if (std::holds_alternative<NewAxis>(value)) {
      cut.result.push_back(1);
    } else if (std::holds_alternative<Ellipsis>(value)) {
      for (int i = 0; i < shape.rank() - taken; ++i) take_all(cut, size_here());
    } else if (const auto* position = std::get_if<int64_t>(&value)) {
      take_position(cut, *position, size_here(), static_cast<int>(cut.start.size()),
                    index.location);
    } else if (const auto* range = std::get_if<Slice>(&value)) {
      take_range(cut, *range, size_here(), index.location);
    } else {
      take_tensor(cut, std::get<Tensor>(value), size_here(), index.location);
    }
  }
  while (static_cast<int>(cut.start.size()) < shape.rank()) take_all(cut, size_here());
  return cut;
}

ir::Value take_dynamic(Trace& trace, ir::Value x, const Cut& cut, SourceLocation location) {
  std::vector<ir::Value> starts(static_cast<size_t>(x.rank()),
                                trace.builder().constant(Literal::scalar<int32_t>(0)));
  std::vector<int64_t> sizes = x.shape().to_vector();
  for (const auto& [axis, position] : cut.dynamic) {
    const auto i = static_cast<size_t>(axis);
    ir::Value start = ir::convert(trace.value_of(position, location), DType::i32);
    // Negative positions count from the back, as constants do.
    const double size = static_cast<double>(sizes[i]);
    start = ir::select(ir::compare(start, 0.0, ir::Direction::lt), start + size, start);
    starts[i] = start;
    sizes[i] = 1;
  }
  return ir::dynamic_slice(x, starts, sizes);
}

bool takes_all(const Cut& cut, const Shape& shape) {
  const auto is = [](int64_t wanted) { return [=](int64_t number) { return number == wanted; }; };
  return std::all_of(cut.start.begin(), cut.start.end(), is(0)) &&
         std::all_of(cut.stride.begin(), cut.stride.end(), is(1)) && cut.limit == shape.to_vector();
}

}  // namespace

Tensor index_by(const Tensor& x, std::span<const Index> indices) {
  const SourceLocation location = indices.front().location;
  Trace& trace = Trace::current();
  trace.at(location);
  Cut cut = cut_of(x.shape(), indices);
  ir::Value value = trace.value_of(x, location);
  // First, so that a gradient goes to one position of the whole array, and not to a cut of it.
  if (!cut.dynamic.empty()) value = take_dynamic(trace, value, cut, location);
  for (const auto& [axis, position] : cut.dynamic) cut.limit[static_cast<size_t>(axis)] = 1;
  if (!takes_all(cut, value.shape())) value = ir::slice(value, cut.start, cut.limit, cut.stride);
  if (!cut.reversed.empty()) value = ir::reverse(value, cut.reversed);
  return wrap(ir::reshape(value, Shape(cut.result)));
}

StaticCut cut_by(const Shape& shape, std::span<const Index> indices) {
  const Cut cut = cut_of(shape, indices);
  return {.start = cut.start,
          .limit = cut.limit,
          .stride = cut.stride,
          .is_all = takes_all(cut, shape),
          .reverses = !cut.reversed.empty(),
          .result = Shape(cut.result)};
}

Tensor Tensor::operator[](Index index) const { return index_by(*this, {&index, 1}); }

Tensor Tensor::operator[](std::initializer_list<Index> indices) const {
  return index_by(*this, {indices.begin(), indices.size()});
}

}  // namespace systolic::inline v0
