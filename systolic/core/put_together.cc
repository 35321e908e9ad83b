#include "systolic/core/put_together.h"

#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

std::string prefix(const TogetherOptions& options) {
  return options.what.empty() ? "" : options.what + ": ";
}

void check_numbers(std::span<const Literal> arrays, const TogetherOptions& options) {
  if (!arrays.empty() && byte_width(arrays.front().dtype()) > 0) return;
  raise<InvalidArgument>(
      {.what = str(prefix(options), arrays.empty() ? std::string("no ") + options.unit
                                                   : "strings cannot be combined"),
       .wanted = "one array of numbers or more",
       .location = options.location});
}

[[noreturn]] void raise_misfit(std::span<const Literal> arrays, size_t i, std::string_view but_for,
                               const TogetherOptions& options) {
  const Literal &array = arrays[i], &first = arrays.front();
  raise<InvalidArgument>(
      {.what = str(prefix(options), options.unit, " ", options.first + static_cast<int64_t>(i),
                   " is ", array.dtype(), array.shape()),
       .wanted =
           str(first.dtype(), first.shape(), " as ", options.unit, " ", options.first, but_for),
       .hint = options.hint,
       .location = options.location});
}

void append(const Literal& array, std::byte*& to) {
  if (array.byte_size() > 0) std::memcpy(to, array.raw(), array.byte_size());
  to += array.byte_size();
}

bool same_rows(const Literal& a, const Literal& b) {
  if (a.dtype() != b.dtype() || a.rank() != b.rank() || a.rank() == 0) return false;
  for (int axis = 1; axis < a.rank(); ++axis) {
    if (a.shape()[axis] != b.shape()[axis]) return false;
  }
  return true;
}

}  // namespace

Literal stacked(std::span<const Literal> arrays, const TogetherOptions& options) {
  check_numbers(arrays, options);
  const Literal& first = arrays.front();
  for (size_t i = 1; i < arrays.size(); ++i) {
    const bool fits = arrays[i].dtype() == first.dtype() && arrays[i].shape() == first.shape();
    if (!fits) raise_misfit(arrays, i, "", options);
  }
  Literal result(first.dtype(),
                 first.shape().with_inserted(0, static_cast<int64_t>(arrays.size())));
  std::byte* to = result.mutable_raw();
  for (const Literal& array : arrays) append(array, to);
  return result;
}

Literal joined(std::span<const Literal> arrays, const TogetherOptions& options) {
  check_numbers(arrays, options);
  const Literal& first = arrays.front();
  int64_t rows = 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!same_rows(arrays[i], first)) raise_misfit(arrays, i, ", but for the first axis", options);
    rows += arrays[i].shape()[0];
  }
  Shape shape = first.shape();
  shape.set(0, rows);
  Literal result(first.dtype(), shape);
  std::byte* to = result.mutable_raw();
  for (const Literal& array : arrays) append(array, to);
  return result;
}

}  // namespace systolic::inline v0
