// Decides where every array of a program lies.
//
// Lowering asks for places and says, in the order in which steps will run, which step writes and
// reads which. From that follow the lifetimes: two places whose lifetimes do not overlap may share
// bytes of the arena, a step that may work in place gives its operand's memory to its result, and a
// donated argument's memory becomes its result's where nothing reads the argument afterwards.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "backends/cpu/plan/plan.h"

namespace systolic::inline v0 {
namespace cpu {

class MemoryLayout {
 public:
  // kept: no result takes its memory, so that no step writes to it.
  PlaceId argument(int32_t index, int64_t bytes, bool kept);
  PlaceId constant(int32_t index, int64_t bytes);
  // In the arena until assign() finds better.
  PlaceId temporary(int64_t bytes);
  // Memory that a step chooses while running, by Frame::move.
  PlaceId moving(int64_t bytes);
  // `bytes` of `parent` from `offset` on.
  PlaceId part(PlaceId parent, int64_t offset, int64_t bytes);

  // The position of the next step. Each step has one; a loop has one before and one after its body.
  int position() const { return position_; }
  int next_position() { return position_++; }

  void write(PlaceId place, int position);
  void read(PlaceId place, int position);
  // At `position`, `to` may be written over `from`: no element of `from` is read there after it is
  // written.
  void may_share(PlaceId to, PlaceId from, int position);

  // Steps in [begin, now) run many times: what they read from before lives until the end.
  void close_loop(int begin);
  // The value in `from`, computed by the body of a loop or branch that began at `begin`, is to go
  // to `to`. True where `from` now lies in `to`; else the caller copies.
  bool move_into(PlaceId from, PlaceId to, int begin);
  // `place` holds result `index` when the program ends. False where the caller must first copy it
  // to a temporary of its own (an argument, a constant, a part, or already another result).
  // aliased: the argument whose memory the result takes, or no_place.
  bool bind_result(PlaceId place, int32_t index, PlaceId aliased);
  // The place of a result that is copied at the end.
  PlaceId result(int32_t index, int64_t bytes, PlaceId aliased);

  PlaceId root(PlaceId place) const;
  // Position of the first write to the place's memory; -1: never written.
  int first_write(PlaceId place) const { return info(root(place)).first; }
  bool is_argument(PlaceId place) const { return info(root(place)).kind == Slot::Kind::argument; }
  int64_t bytes(PlaceId place) const { return info(place).bytes; }
  bool is_constant(PlaceId root) const { return info(root).kind == Slot::Kind::constant; }
  bool is_temporary(PlaceId root) const { return info(root).kind == Slot::Kind::arena; }
  // A temporary, a root, gets memory that lasts from run to run, and that no other place shares.
  void set_prepared(PlaceId root) { info(root).kind = Slot::Kind::prepared; }
  // A step has said that it writes or reads it.
  bool is_used(PlaceId place) const { return info(root(place)).last >= 0; }
  // No step writes to it.
  bool is_kept(PlaceId place) const { return info(root(place)).kept; }

  // When all is known: gives results the memory of operands as may_share() has allowed since the
  // last time.
  void settle() { apply_shares(); }
  // After settle(): a temporary that is written and read at that position and no other.
  bool lives_only_at(PlaceId place, int position) const;
  // When all is known: a temporary that nothing reads after that position.
  bool dies_at(PlaceId place, int position) const;
  // After settle(): what a temporary takes in the arena, where that is less than the array.
  void resize(PlaceId place, int64_t bytes) { info(root(place)).bytes = bytes; }

  // After settle(): offsets of all places; `arena_bytes` receives the arena's size, `waiting_bytes`
  // how much of it merely waits when the most is in use, `prepared_bytes` the size of what lasts.
  std::vector<Slot> assign(int64_t& arena_bytes, int64_t& waiting_bytes, int64_t& prepared_bytes);

 private:
  struct Info {
    int64_t bytes = 0;
    Slot::Kind kind = Slot::Kind::arena;
    int32_t index = 0;
    PlaceId parent = no_place;
    int64_t offset = 0;
    bool kept = false;
    int first = -1;  // position of the first write
    int last = -1;   // position of the last read or write
  };
  struct Share {
    PlaceId to, from;
    int position;
  };

  const Info& info(PlaceId place) const { return places_[static_cast<size_t>(place)]; }
  Info& info(PlaceId place) { return places_[static_cast<size_t>(place)]; }
  PlaceId add(Info place);
  bool whole(PlaceId place) const;
  bool shared_at(PlaceId to, PlaceId from, int position) const;
  void give(PlaceId place, PlaceId target);
  void apply_shares();

  std::vector<Info> places_;
  std::vector<Share> shares_;
  int position_ = 0;
};

// Offsets for blocks of `bytes` that are in use during [first, last], so that those in use at once
// do not overlap: largest first, each at the lowest free offset. Returns the size of the whole.
struct ArenaBlock {
  int64_t bytes = 0;
  int first = 0, last = 0;
  int64_t offset = 0;
};
int64_t pack_arena(std::vector<ArenaBlock>& blocks);

// At the position where the blocks in use have the most bytes (the first such), the bytes of those
// that were in use before it and are after it.
int64_t waiting_at_peak(const std::vector<ArenaBlock>& blocks);

}  // namespace cpu
}  // namespace systolic::inline v0
