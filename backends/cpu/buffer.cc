#include "backends/cpu/buffer.h"

#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/ir/shard.h"

namespace systolic::inline v0 {
namespace cpu {

using runtime::Placement;

int64_t shards(const std::optional<ir::Sharding>& sharding) {
  return sharding ? ir::tile_count(*sharding) : 1;
}

CpuBuffer::CpuBuffer(std::shared_ptr<Engine> engine, ir::Type type, Placement placement,
                     MemoryBlockPtr block)
    : engine_(std::move(engine)),
      type_(std::move(type)),
      placement_(std::move(placement)),
      block_(std::move(block)) {
  engine_->add(*this);
  if (block_ != nullptr) count_memory(true);
}

CpuBuffer::~CpuBuffer() {
  engine_->remove(*this);
  if (block_ != nullptr) count_memory(false);
}

void CpuBuffer::count_memory(bool held) const {
  const bool alone = placement_.kind == Placement::Kind::single;
  engine_->change_memory(alone ? placement_.core : Engine::all_cores,
                         held ? held_bytes() : -held_bytes());
}

MemoryBlockPtr CpuBuffer::block() const {
  const std::lock_guard lock(mutex_);
  return block_;
}

MemoryBlockPtr CpuBuffer::release() {
  const std::lock_guard lock(mutex_);
  if (block_ != nullptr) count_memory(false);
  return std::exchange(block_, nullptr);
}

void CpuBuffer::restore(MemoryBlockPtr block) {
  const std::lock_guard lock(mutex_);
  if (block_ == nullptr && block != nullptr) count_memory(true);
  block_ = std::move(block);
}

bool CpuBuffer::deleted() const {
  const std::lock_guard lock(mutex_);
  return block_ == nullptr;
}

MemoryBlockPtr CpuBuffer::live_block() const {
  MemoryBlockPtr block = this->block();
  if (block == nullptr) {
    raise<FailedPrecondition>(
        {.what = str("the buffer ", ir::to_string(type_), " is gone"),
         .hint = "it was donated to a program, or the TPU system was initialized again; read it "
                 "before, or keep the program's result instead"});
  }
  return block;
}

namespace {

// Arrays this small are copied to the host: sharing would keep a donated block from being used
// again.
constexpr size_t copied_bytes = 64 << 10;

Literal host_view(const MemoryBlockPtr& block, const ir::Type& type, int64_t offset) {
  const std::byte* data = block->data() + offset;
  const auto bytes = static_cast<size_t>(type.bytes());
  if (bytes > copied_bytes) return Literal::wrap(type.dtype, type.shape, data, block);
  Literal literal(type.dtype, type.shape);
  if (bytes > 0) std::memcpy(literal.mutable_raw(), data, bytes);
  return literal;
}

}  // namespace

Literal CpuBuffer::to_literal() const {
  ir::Type whole = type_;
  if (placement_.kind == Placement::Kind::per_core) {
    whole.shape = type_.shape.with_inserted(0, engine_->cores());
  }
  return host_view(live_block(), whole, 0);
}

namespace {

Literal part_of(const Literal& whole, const ir::ShardRange& range) {
  Literal part(whole.dtype(), Shape(range.size));
  if (part.size() == 0) return part;
  const auto width = static_cast<size_t>(byte_width(whole.dtype()));
  const std::vector<int64_t> strides = whole.shape().strides();
  std::byte* to = part.mutable_raw();
  std::vector<int64_t> index(range.size.size(), 0);
  do {
    int64_t from = 0;
    for (size_t i = 0; i < index.size(); ++i) from += (range.start[i] + index[i]) * strides[i];
    std::memcpy(to, whole.raw() + static_cast<size_t>(from) * width, width);
    to += width;
  } while (next_index(part.shape(), index));
  return part;
}

}  // namespace

Literal CpuBuffer::core_literal(int core) const {
  if (core < 0 || core >= engine_->cores()) {
    raise<InvalidArgument>(
        {.what = str("core ", core), .wanted = str("one of the ", engine_->cores(), " cores")});
  }
  switch (placement_.kind) {
    case Placement::Kind::per_core:
      return host_view(live_block(), type_, core * type_.bytes());
    case Placement::Kind::sharded:
      if (!placement_.sharding.replicated()) {
        return part_of(to_literal(),
                       ir::shard_range(type_.shape, placement_.sharding, core, engine_->cores()));
      }
      break;
    case Placement::Kind::single:
      if (placement_.core != core) {
        raise<InvalidArgument>(
            {.what = str("the buffer is on core ", placement_.core), .got = str("core ", core)});
      }
      break;
    case Placement::Kind::replicated:
      break;
  }
  return to_literal();
}

int64_t CpuBuffer::held_bytes() const {
  const bool sharded = placement_.kind == Placement::Kind::sharded;
  return sharded ? type_.bytes() / shards(placement_.sharding) : type_.bytes();
}

int64_t CpuBuffer::bytes_on(int core) const {
  const bool elsewhere = placement_.kind == Placement::Kind::single && placement_.core != core;
  return deleted() || elsewhere ? 0 : held_bytes();
}

}  // namespace cpu
}  // namespace systolic::inline v0
