#include "backends/cpu/plan/memory_layout.h"

#include <algorithm>

#include "backends/cpu/plan/array_alignment.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

int64_t aligned(int64_t bytes) {
  return (bytes + array_alignment - 1) / array_alignment * array_alignment;
}

}  // namespace

PlaceId MemoryLayout::add(Info place) {
  places_.push_back(place);
  return static_cast<PlaceId>(places_.size() - 1);
}

PlaceId MemoryLayout::argument(int32_t index, int64_t bytes, bool kept) {
  return add({.bytes = bytes, .kind = Slot::Kind::argument, .index = index, .kept = kept});
}

PlaceId MemoryLayout::constant(int32_t index, int64_t bytes) {
  return add({.bytes = bytes, .kind = Slot::Kind::constant, .index = index, .kept = true});
}

PlaceId MemoryLayout::moving(int64_t bytes) {
  const auto place = static_cast<PlaceId>(places_.size());
  return add({.bytes = bytes, .kind = Slot::Kind::moving, .index = place});
}

PlaceId MemoryLayout::temporary(int64_t bytes) { return add({.bytes = bytes}); }

PlaceId MemoryLayout::part(PlaceId parent, int64_t offset, int64_t bytes) {
  if (offset == 0 && bytes == info(parent).bytes) return parent;
  return add({.bytes = bytes, .parent = parent, .offset = offset});
}

PlaceId MemoryLayout::root(PlaceId place) const {
  while (info(place).parent != no_place) place = info(place).parent;
  return place;
}

void MemoryLayout::write(PlaceId place, int position) {
  Info& top = info(root(place));
  if (top.first < 0) top.first = position;
  top.last = std::max(top.last, position);
}

void MemoryLayout::read(PlaceId place, int position) {
  Info& top = info(root(place));
  top.last = std::max(top.last, position);
}

void MemoryLayout::may_share(PlaceId to, PlaceId from, int position) {
  shares_.push_back({to, from, position});
}

void MemoryLayout::close_loop(int begin) {
  const int end = next_position();
  for (Info& place : places_) {
    if (place.parent == no_place && place.first < begin && place.last >= begin) place.last = end;
  }
}

// Covers its root from end to end, so that the two may trade memory.
bool MemoryLayout::whole(PlaceId place) const {
  int64_t offset = 0;
  PlaceId top = place;
  for (; info(top).parent != no_place; top = info(top).parent) offset += info(top).offset;
  return offset == 0 && info(top).bytes == info(place).bytes;
}

bool MemoryLayout::shared_at(PlaceId to, PlaceId from, int position) const {
  return std::any_of(shares_.begin(), shares_.end(), [&](const Share& share) {
    return share.position == position && root(share.to) == to && root(share.from) == from &&
           whole(share.to) && whole(share.from);
  });
}

// From now on `place`, a root, lies in `target`, a root.
void MemoryLayout::give(PlaceId place, PlaceId target) {
  Info& from = info(place);
  Info& to = info(target);
  if (to.first < 0 || (from.first >= 0 && from.first < to.first)) to.first = from.first;
  to.last = std::max(to.last, from.last);
  from.parent = target;
  from.offset = 0;
}

bool MemoryLayout::move_into(PlaceId from, PlaceId to, int begin) {
  const PlaceId source = root(from), target = root(to);
  const Info& value = info(source);
  if (source == target || value.kind != Slot::Kind::arena || value.first < begin) return false;
  if (!whole(from) || !whole(to) || value.bytes != info(target).bytes) return false;
  const int last_read = info(target).last;
  const bool free =
      last_read < value.first || (last_read == value.first && shared_at(source, target, last_read));
  if (free) give(source, target);
  return free;
}

bool MemoryLayout::bind_result(PlaceId place, int32_t index, PlaceId aliased) {
  const PlaceId top = root(place);
  Info& value = info(top);
  if (value.kind != Slot::Kind::arena || !whole(place) || value.first < 0) return false;
  if (aliased == no_place) {
    value.kind = Slot::Kind::result;
    value.index = index;
    return true;
  }
  const PlaceId argument = root(aliased);
  if (info(argument).bytes != value.bytes) return false;
  const int last_read = info(argument).last;
  const bool free =
      last_read < value.first || (last_read == value.first && shared_at(top, argument, last_read));
  if (free) give(top, argument);
  return free;
}

PlaceId MemoryLayout::result(int32_t index, int64_t bytes, PlaceId aliased) {
  if (aliased != no_place) return aliased;
  return add({.bytes = bytes, .kind = Slot::Kind::result, .index = index});
}

// Gives an operand that dies in a step to the step's result.
void MemoryLayout::apply_shares() {
  for (const Share& share : shares_) {
    const PlaceId to = root(share.to), from = root(share.from);
    if (to == from || !whole(share.to) || !whole(share.from)) continue;
    const Info& target = info(to);
    const Info& source = info(from);
    const bool dies = dies_at(from, share.position);
    const bool born = target.first == share.position &&
                      (target.kind == Slot::Kind::arena || target.kind == Slot::Kind::result);
    if (dies && born && source.bytes == target.bytes) give(from, to);
  }
  shares_.clear();
}

bool MemoryLayout::lives_only_at(PlaceId place, int position) const {
  const Info& top = info(root(place));
  return top.kind == Slot::Kind::arena && top.first == position && top.last == position;
}

bool MemoryLayout::dies_at(PlaceId place, int position) const {
  const Info& top = info(root(place));
  return top.kind == Slot::Kind::arena && top.last == position;
}

std::vector<Slot> MemoryLayout::assign(int64_t& arena_bytes, int64_t& waiting_bytes,
                                       int64_t& prepared_bytes) {
  std::vector<ArenaBlock> blocks;
  std::vector<size_t> block_of(places_.size());
  std::vector<int64_t> prepared_at(places_.size(), 0);
  prepared_bytes = 0;
  for (size_t i = 0; i < places_.size(); ++i) {
    const Info& place = places_[i];
    if (place.parent == no_place && place.kind == Slot::Kind::prepared) {
      prepared_at[i] = prepared_bytes;
      prepared_bytes += aligned(place.bytes);
    }
    if (place.parent != no_place || place.kind != Slot::Kind::arena || place.last < 0) continue;
    block_of[i] = blocks.size();
    blocks.push_back({.bytes = place.bytes, .first = std::max(place.first, 0), .last = place.last});
  }
  arena_bytes = pack_arena(blocks);
  waiting_bytes = waiting_at_peak(blocks);

  std::vector<Slot> slots(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) {
    int64_t offset = 0;
    auto top = static_cast<PlaceId>(i);
    for (; info(top).parent != no_place; top = info(top).parent) offset += info(top).offset;
    const Info& place = info(top);
    offset += prepared_at[static_cast<size_t>(top)];
    slots[i] = {.kind = place.kind, .index = place.index, .offset = offset};
    const bool packed = place.kind == Slot::Kind::arena && place.last >= 0;
    if (packed) slots[i].offset += blocks[block_of[static_cast<size_t>(top)]].offset;
  }
  return slots;
}

namespace {

// The lowest offset at which `bytes` fit between the blocks in use, which are sorted by offset.
int64_t lowest_gap(const std::vector<const ArenaBlock*>& in_use, int64_t bytes) {
  int64_t offset = 0;
  for (const ArenaBlock* block : in_use) {
    if (block->offset - offset >= bytes) break;
    offset = std::max(offset, block->offset + aligned(block->bytes));
  }
  return offset;
}

}  // namespace

int64_t pack_arena(std::vector<ArenaBlock>& blocks) {
  std::vector<ArenaBlock*> order;
  for (ArenaBlock& block : blocks) order.push_back(&block);
  std::stable_sort(order.begin(), order.end(),
                   [](const ArenaBlock* a, const ArenaBlock* b) { return a->bytes > b->bytes; });
  std::vector<const ArenaBlock*> placed;  // by offset
  std::vector<const ArenaBlock*> in_use;
  int64_t size = 0;
  for (ArenaBlock* block : order) {
    in_use.clear();
    for (const ArenaBlock* other : placed) {
      if (other->first <= block->last && block->first <= other->last) in_use.push_back(other);
    }
    block->offset = lowest_gap(in_use, aligned(block->bytes));
    size = std::max(size, block->offset + aligned(block->bytes));
    const auto before = std::upper_bound(
        placed.begin(), placed.end(), block,
        [](const ArenaBlock* a, const ArenaBlock* b) { return a->offset < b->offset; });
    placed.insert(before, block);
  }
  return size;
}

int64_t waiting_at_peak(const std::vector<ArenaBlock>& blocks) {
  int end = 0;
  for (const ArenaBlock& block : blocks) end = std::max(end, block.last + 1);
  std::vector<int64_t> change(static_cast<size_t>(end) + 1, 0);  // of the bytes in use
  for (const ArenaBlock& block : blocks) {
    change[static_cast<size_t>(block.first)] += block.bytes;
    change[static_cast<size_t>(block.last) + 1] -= block.bytes;
  }
  int peak = 0;
  int64_t most = 0, now = 0;
  for (int position = 0; position < end; ++position) {
    now += change[static_cast<size_t>(position)];
    if (now <= most) continue;
    most = now;
    peak = position;
  }
  int64_t waiting = 0;
  for (const ArenaBlock& block : blocks) {
    if (block.first < peak && block.last > peak) waiting += block.bytes;
  }
  return waiting;
}

}  // namespace cpu
}  // namespace systolic::inline v0
