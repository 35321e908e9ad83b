#include "systolic/ops/control.h"

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

int64_t rows_to_visit(std::string_view op, const Tensor& xs, At at) {
  if (xs.rank() > 0 && xs.shape()[0] > 0) return xs.shape()[0];
  raise<InvalidArgument>({.what = str(op, " over shape ", xs.shape()),
                          .wanted = "a first axis with an element",
                          .location = at});
}

Tensor element_at(const Tensor& xs, const Tensor& i) {
  return v0::squeeze(v0::gather(xs, v0::reshape(i, {1}), 0), {0});
}

// `rows` places for what has the type of `first`.
Tensor places_for(const Tensor& first, int64_t rows) {
  std::vector<int64_t> sizes{rows};
  for (int axis = 0; axis < first.rank(); ++axis) sizes.push_back(first.shape()[axis]);
  return v0::zeros(Shape(sizes), first.dtype());
}

Tensor with_row(const Tensor& rows, const Tensor& i, const Tensor& row) {
  std::vector<Operand> starts(static_cast<size_t>(rows.rank()), Operand(0));
  starts[0] = i;
  return v0::slice_update(rows, starts, v0::expand_dims(row, 0));
}

// Along the first axis, from `first` on.
Tensor rows_from(const Tensor& x, int64_t first, int64_t count) {
  Shape begin(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0)), size = x.shape();
  begin.set(0, first);
  size.set(0, count);
  return v0::slice(x, begin, size);
}

}  // namespace

Tensors fori_loop(int64_t lower, int64_t upper,
                  const std::function<Tensors(const Tensor&, const Tensors&)>& body,
                  const Tensors& initial, At at) {
  if (upper <= lower) return initial;
  return v0::for_range(
      upper - lower, initial,
      [&](const Tensor& i, const Tensors& state) { return body(i + lower, state); }, at);
}

Scanned scan(const ScanStep& f, const Tensors& initial, const Tensor& xs, bool reverse, At at) {
  const int64_t rows = rows_to_visit("scan", xs, at);
  const auto place_of = [&](const Tensor& i) { return reverse ? rows - 1 - i : i; };
  // The first element by itself: it shows the type of the y's.
  const Tensor start = place_of(v0::zeros({}, DType::i32));
  const auto [carry, y] = f(initial, element_at(xs, start));
  Tensors state = carry;
  state.push_back(with_row(places_for(y, rows), start, y));
  const auto round = [&](const Tensor& i, const Tensors& now) {
    const Tensor place = place_of(i + 1);
    auto [next, value] = f({now.begin(), now.end() - 1}, element_at(xs, place));
    next.push_back(with_row(now.back(), place, value));
    return next;
  };
  if (rows > 1) state = v0::for_range(rows - 1, state, round, at);
  const Tensor ys = state.back();
  state.pop_back();
  return {state, ys};
}

Tensor map(const std::function<Tensor(const Tensor&)>& f, const Tensor& xs, At at) {
  return scan([&](const Tensors&, const Tensor& x) { return std::pair(Tensors{}, f(x)); }, {}, xs,
              false, at)
      .ys;
}
Tensor vectorized_map(const std::function<Tensor(const Tensor&)>& f, const Tensor& xs, At at) {
  return map(f, xs, at);
}

// Each round combines with what stands twice as far off (Hillis and Steele 1986).
Tensor associative_scan(const std::function<Tensor(const Tensor&, const Tensor&)>& f,
                        const Tensor& xs, bool reverse, int axis, At at) {
  const auto place = static_cast<int>(positive_axis(axis, xs.rank(), at));
  std::vector<int> order{place};
  for (int i = 0; i < xs.rank(); ++i) {
    if (i != place) order.push_back(i);
  }
  std::vector<int> back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int>(i);
  Tensor y = v0::transpose(xs, order, at);
  if (reverse) y = v0::flip(y, {0}, at);
  const int64_t rows = rows_to_visit("associative_scan", y, at);
  for (int64_t distance = 1; distance < rows; distance *= 2) {
    const Tensor joined =
        f(rows_from(y, 0, rows - distance), rows_from(y, distance, rows - distance));
    y = v0::concat({rows_from(y, 0, distance), joined}, 0, at);
  }
  if (reverse) y = v0::flip(y, {0}, at);
  return v0::transpose(y, back, at);
}

Tensors switch_case(const Tensor& index, const std::vector<std::function<Tensors()>>& branches,
                    At at) {
  if (branches.empty()) {
    raise<InvalidArgument>(
        {.what = "switch of no branches", .wanted = "1 or more", .location = at});
  }
  std::function<Tensors(size_t)> from = [&](size_t i) -> Tensors {
    if (i + 1 == branches.size()) return branches[i]();
    return v0::cond(
        index <= static_cast<int64_t>(i), branches[i], [&, i] { return from(i + 1); }, at);
  };
  return from(0);
}

}  // namespace ops
}  // namespace systolic::inline v0
