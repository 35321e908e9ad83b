// A compiled program of the software TPU: a flat list of steps over memory whose layout is known.
//
// Every array lies at a place (PlaceId): in the arena that all temporaries share, in an argument,
// in a result, or in a constant. Running resolves the places to pointers once, then calls the steps
// in order: nothing is looked up or allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backends/cpu/plan/matrix_work.h"
#include "systolic/base/spans/spans.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace cpu {

using PlaceId = int32_t;
inline constexpr PlaceId no_place = -1;

struct Step;

// An argument that does not lie in one piece. Equal pieces, each a row of its first axis.
struct ArgumentInPieces {
  PlaceId place = no_place;
  int64_t piece_bytes = 0;
  std::vector<std::byte*> pieces;
};

// What belongs to one run; most is known only when it is over.
struct RunState {
  std::vector<ArgumentInPieces> in_pieces;
  // The step that threw, and the one of the plan's own list that holds it, in a loop or branch.
  const Step* failed = nullptr;
  const Step* failed_outermost = nullptr;
  int64_t failed_round = -1;  // of the outermost loop around it; -1: it is in none
  // Work beyond the plan's, in which loops count once.
  double more_flops = 0;
  double more_bytes = 0;
  MatrixWork more_matrix = {};
  double outermost_rounds = 0;  // of loops that are in no loop or branch
  // What steps that prepare have computed is there: they are left out.
  bool is_prepared = false;
};

// Where a place lies.
struct Slot {
  // moving: a part of an array that a step chooses while running, by Frame::move. prepared: memory
  // of the program's own, which lasts from run to run.
  enum class Kind : uint8_t { arena, argument, result, constant, moving, prepared };
  Kind kind = Kind::arena;
  int32_t index = 0;   // which argument, result or constant; moving: the place that moves
  int64_t offset = 0;  // bytes
};

// A place, or part of one, that moves: how far after the place that moves it lies.
struct MovingPart {
  PlaceId place = no_place, moves_with = no_place;
  int64_t offset = 0;  // bytes
};

// What a step sees while it runs: its places as pointers.
class Frame {
 public:
  Frame(std::vector<std::byte*>& pointers, const std::vector<MovingPart>& moving, ThreadPool& pool,
        RunState& state)
      : pointers_(pointers.data()), moving_(&moving), pool_(&pool), state_(&state) {}

  template <class T = std::byte>
  T* at(PlaceId place) const {
    return reinterpret_cast<T*>(pointers_[place]);
  }
  // The byte at `offset` of an argument or constant, of which steps take rows
  // (Plan::taken_by_rows).
  std::byte* row_at(PlaceId place, int64_t offset) const {
    for (const ArgumentInPieces& argument : state_->in_pieces) {
      if (argument.place != place) continue;
      const auto piece = static_cast<size_t>(offset / argument.piece_bytes);
      return argument.pieces[piece] + offset % argument.piece_bytes;
    }
    return pointers_[place] + offset;
  }
  // From now on `place`, a moving one, and its parts lie at `to`.
  void move(PlaceId place, std::byte* to) const {
    for (const MovingPart& part : *moving_) {
      if (part.moves_with == place) pointers_[part.place] = to + part.offset;
    }
  }
  // The same run with other places.
  Frame with(std::vector<std::byte*>& pointers) const {
    return Frame(pointers, *moving_, *pool_, *state_);
  }
  ThreadPool& pool() const { return *pool_; }
  RunState& state() const { return *state_; }

 private:
  std::byte** pointers_;
  const std::vector<MovingPart>* moving_;
  ThreadPool* pool_;
  RunState* state_;
};

struct Step {
  std::function<void(const Frame&)> run;
  std::string text;  // "dot_general f32[32,128]", for dumps and profiles
  double flops = 0;
  double bytes = 0;
  MatrixWork matrix = {};
  bool loops = false;  // runs other steps more than once
  // Computes from parameters alone (prepared_steps.h).
  bool prepares = false;
  // Where the last op in it was written.
  SourceLocation location = {};
  const char* layer_path = "";
  // What profiles call it, once one was recorded. Steps of a plan run one at a time.
  mutable spans::WorkId span_work = spans::no_work;
};

// What profiles call a step; of one that runs as a part of another, with that one's number.
spans::WorkId span_work_of(const Step& step, spans::WorkKind kind,
                           spans::WorkId member_of = spans::no_work);

// Runs steps one after the other. One that throws is noted in the frame's state.
void run_steps(const std::vector<Step>& steps, const Frame& frame);

// How a result gets its memory.
struct PlanResult {
  int64_t bytes = 0;
  int64_t aliased_argument = -1;  // takes that argument's memory
};

struct Plan {
  std::vector<Step> steps;
  std::vector<Slot> slots;  // by PlaceId
  std::vector<MovingPart> moving;
  std::vector<Literal> constants;
  int64_t arena_bytes = 0;
  // The part of these bytes, when the most are in use, that only waits: arrays that were there
  // before the step that runs then, and are needed after it.
  int64_t waiting_bytes = 0;
  int64_t prepared_bytes = 0;
  // The arguments that steps which prepare may read: where none of them has changed since the last
  // run, these steps need not run. Empty: there are no such steps.
  std::vector<size_t> prepared_from;
  std::vector<int64_t> argument_bytes;
  // By argument: its place where all that steps do is to take parts of single rows of its first
  // axis, by Frame::row_at: it need not lie in one piece. Else no_place.
  std::vector<PlaceId> taken_by_rows;
  // By argument: the first step that writes to its memory, which a result takes; -1: none does.
  std::vector<int64_t> first_overwrite;
  int64_t last_loop = -1;  // the last step that loops; -1: none does
  std::vector<PlanResult> results;
  double flops = 0;  // of one run
  double bytes = 0;  // read and written by one run
  MatrixWork matrix = {};

  // One line a step, for people.
  std::string text() const;
};

}  // namespace cpu
}  // namespace systolic::inline v0
