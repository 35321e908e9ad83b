#include "backends/interpreter/buffer.h"

#include "backends/interpreter/elements.h"
#include "systolic/base/error.h"
#include "systolic/ir/shard.h"

namespace systolic::inline v0 {
namespace interpreter {

using Kind = runtime::Placement::Kind;

Buffer::Buffer(Literal literal, runtime::Placement placement, std::shared_ptr<DeviceState> state)
    : literal_(std::move(literal)),
      placement_(std::move(placement)),
      type_{literal_.dtype(),
            placement_.kind == Kind::per_core ? literal_.shape().without(0) : literal_.shape()},
      state_(std::move(state)),
      generation_(state_->generation) {
  count_memory(1);
}

Buffer::~Buffer() {
  if (!deleted()) count_memory(-1);
}

int64_t Buffer::bytes_on(int core) const {
  const auto bytes = static_cast<int64_t>(literal_.byte_size());
  switch (placement_.kind) {
    case Kind::replicated:
      return bytes;
    case Kind::per_core:
      return bytes / state_->cores();
    case Kind::single:
      return core == placement_.core ? bytes : 0;
    case Kind::sharded:
      break;
  }
  return bytes / ir::tile_count(placement_.sharding);
}

void Buffer::count_memory(int64_t sign) {
  for (int core = 0; core < state_->cores(); ++core) {
    state_->memory_in_use[static_cast<size_t>(core)] += sign * bytes_on(core);
  }
}

Literal Buffer::to_literal() const {
  if (deleted()) {
    raise<FailedPrecondition>({.what = str("the buffer ", to_string(type_), " was deleted"),
                               .hint = "the TPU system was initialized again after it was made"});
  }
  return literal_;
}

namespace {

Literal part_of(const Literal& whole, const ir::ShardRange& range) {
  return moved({whole.dtype(), Shape(range.size)}, whole, whole, [&](const Index& index) {
    Index from = index;
    for (size_t i = 0; i < from.size(); ++i) from[i] += range.start[i];
    return offset_of(whole.shape(), from);
  });
}

}  // namespace

Literal Buffer::core_literal(int core) const {
  const Literal whole = to_literal();
  if (core < 0 || core >= state_->cores()) {
    raise<InvalidArgument>(
        {.what = str("core ", core), .wanted = str("0 to ", state_->cores() - 1)});
  }
  switch (placement_.kind) {
    case Kind::per_core:
      return whole.row(core);
    case Kind::sharded:
      return part_of(whole,
                     ir::shard_range(whole.shape(), placement_.sharding, core, state_->cores()));
    default:
      return whole;
  }
}

}  // namespace interpreter
}  // namespace systolic::inline v0
