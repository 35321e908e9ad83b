#include "backends/pjrt/buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/pjrt/shards.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {

using Kind = runtime::Placement::Kind;

Buffer::Buffer(ClientStatePtr state, ir::Type type, runtime::Placement placement, Parts parts,
               RunLabel label)
    : state_(std::move(state)),
      type_(std::move(type)),
      placement_(std::move(placement)),
      label_(std::move(label)),
      parts_(std::move(parts)) {
  const std::lock_guard lock(state_->mutex);
  state_->buffers.insert(this);
}

Buffer::~Buffer() {
  const std::lock_guard lock(state_->mutex);
  state_->buffers.erase(this);
}

Parts Buffer::parts() const {
  const std::lock_guard lock(mutex_);
  if (parts_ == nullptr) {
    raise<FailedPrecondition>(
        {.what = str("the buffer ", ir::to_string(type_), " was deleted"),
         .hint = "it was donated to a program, or the TPU system was initialized again"});
  }
  return parts_;
}

bool Buffer::deleted() const {
  const std::lock_guard lock(mutex_);
  return parts_ == nullptr;
}

bool Buffer::is_ready() const {
  const Parts parts = this->parts();
  return std::all_of(parts->begin(), parts->end(),
                     [](const DeviceBuffer& part) { return part.ready().ready(); });
}

void Buffer::release() {
  Parts last;
  const std::lock_guard lock(mutex_);
  last.swap(parts_);
}

Literal Buffer::read(const DeviceBuffer& part) const {
  try {
    return part.to_host();
  } catch (const Error& error) {
    if (label_.name.empty()) throw;
    error.rethrow_within(label_.name, label_.location);
  }
}

Literal Buffer::to_literal() const {
  const Parts parts = this->parts();
  if (placement_.kind == Kind::replicated || placement_.kind == Kind::single) {
    return read(parts->front());
  }
  if (placement_.kind == Kind::per_core) {
    Literal all(type_.dtype, type_.shape.with_inserted(0, state_->topology.local_cores()));
    std::byte* to = all.mutable_raw();
    for (const DeviceBuffer& part : *parts) {
      const Literal one = read(part);
      std::memcpy(to, one.raw(), one.byte_size());
      to += one.byte_size();
    }
    return all;
  }
  const int64_t cores = state_->topology.cores();
  if (state_->topology.num_processes() > 1) {
    raise<Unimplemented>({.what = str("the array ", ir::to_string(type_),
                                      " is read, of which other processes hold parts")});
  }
  Literal all(type_.dtype, type_.shape);
  // Neighbours that hold the same part: one of them is read.
  const auto step = static_cast<size_t>(cores / ir::tile_count(placement_.sharding));
  for (size_t core = 0; core < parts->size(); core += step) {
    put_part(all, read((*parts)[core]),
             ir::shard_range(type_.shape, placement_.sharding, static_cast<int64_t>(core), cores));
  }
  return all;
}

Literal Buffer::core_literal(int core) const {
  const size_t device = state_->device_of(core);
  const Parts parts = this->parts();
  const bool one = placement_.kind == Kind::replicated || placement_.kind == Kind::single;
  return read(one ? parts->front() : (*parts)[device]);
}

int64_t Buffer::bytes_on(int core) const {
  if (placement_.kind == Kind::single && placement_.core != core) return 0;
  const std::lock_guard lock(mutex_);
  if (parts_ == nullptr) return 0;
  const bool single = placement_.kind == Kind::single;
  return (*parts_)[single ? 0 : state_->device_of(core)].device_bytes();
}

}  // namespace pjrt
}  // namespace systolic::inline v0
