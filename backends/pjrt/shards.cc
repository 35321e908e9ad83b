#include "backends/pjrt/shards.h"

#include <cstring>
#include <vector>

namespace systolic::inline v0 {
namespace pjrt {
namespace {

// Calls copy(offset in whole, offset in part, bytes) for each run that is contiguous in both.
template <class Copy>
void for_each_run(const Literal& whole, const ir::ShardRange& range, const Copy& copy) {
  const Shape part(range.size);
  const int64_t width = byte_width(whole.dtype());
  const int last = part.rank() - 1;
  if (part.elements() == 0) return;
  if (last < 0) return copy(0, 0, width);
  const std::vector<int64_t> strides = whole.shape().strides();
  const int64_t run = part[last] * width;
  std::vector<int64_t> index(range.size.size(), 0);
  Shape rows = part;
  rows.set(last, 1);
  int64_t to = 0;
  do {
    int64_t from = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) {
      from += (range.start[axis] + index[axis]) * strides[axis];
    }
    copy(from * width, to, run);
    to += run;
  } while (next_index(rows, index));
}

}  // namespace

Literal part_of(const Literal& whole, const ir::ShardRange& range) {
  Literal part(whole.dtype(), Shape(range.size));
  std::byte* to = part.mutable_raw();
  for_each_run(whole, range, [&](int64_t from, int64_t at, int64_t bytes) {
    std::memcpy(to + at, whole.raw() + from, static_cast<size_t>(bytes));
  });
  return part;
}

void put_part(Literal& whole, const Literal& part, const ir::ShardRange& range) {
  std::byte* to = whole.mutable_raw();
  for_each_run(whole, range, [&](int64_t at, int64_t from, int64_t bytes) {
    std::memcpy(to + at, part.raw() + from, static_cast<size_t>(bytes));
  });
}

}  // namespace pjrt
}  // namespace systolic::inline v0
