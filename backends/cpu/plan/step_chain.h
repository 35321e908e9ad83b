// Steps that follow one another and run together, part by part: the scores of a head's attention,
// their softmax and the sums that it weighs; what a residual connection adds and its normalization.
// What only they read is never stored whole: each thread has a buffer for the parts that it works
// on, which its cache holds.
//
// A step joins the chain before it where it reads something of the chain, and part i of it reads
// of that only what part i of the chain wrote. A step that reads nothing of the chain may pass it
// and run before it, and one that nothing waits for may run after it (Planner::let_chain_grow).
// Results do not depend on the parts: a part computes what the whole step does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backends/cpu/plan/memory_layout.h"
#include "backends/cpu/plan/plan.h"
#include "backends/cpu/plan/step_note.h"

namespace systolic::inline v0 {
namespace cpu {

// A chain in a finished plan.
class ChainedSteps {
 public:
  struct Member {
    std::function<void(const Frame&, int64_t begin, int64_t end)> run;
    int64_t parts_each = 1;  // this many of its parts are one of the chain's
    std::vector<PlaceId> places = {};
    std::vector<PlaceId> scratch = {};
    int64_t scratch_bytes = 0;
    Step described = {};                               // as it is called alone; run is empty
    mutable spans::WorkId span_work = spans::no_work;  // what profiles call it
  };
  // A place that only the chain reads: what a part has of it, and each thread's buffer.
  struct Buffer {
    PlaceId place = no_place;
    int64_t part_bytes = 0, thread_bytes = 0;
  };

  ChainedSteps(std::vector<Member> members, int64_t parts, int64_t parts_at_once, int threads);

  int64_t parts_at_once() const { return parts_at_once_; }
  void set_buffers(std::vector<Buffer> buffers) { buffers_ = std::move(buffers); }
  void run(const Frame& frame) const;

 private:
  void name_members() const;
  void run_parts(const Frame& frame, int64_t begin, int64_t end, int thread) const;

  std::vector<Member> members_;
  int64_t parts_, parts_at_once_;
  int threads_;
  PlaceId places_ = 0;  // those used are below
  std::vector<Buffer> buffers_;
};

// A chain that grows.
class StepChain {
 public:
  struct Member {
    StepNote note;
    Step step;  // where it runs whole
    // By PreparedSteps, where it may be prepared if it runs whole.
    std::optional<size_t> noted = {};
  };

  // Begins with a step that runs in parts. All steps of a chain have one position, so that no two
  // of their places share memory but where they may.
  StepChain(const MemoryLayout& memory, int position, int threads, Member first);

  int position() const { return position_; }
  bool joins(const StepNote& note) const;
  void add(Member member);
  // Whether the step may run before the chain instead of after it.
  bool passes(const StepNote& note) const;
  void note_passed(const StepNote& note);

  const std::vector<Member>& members() const { return members_; }
  // Whether running it part by part is worth it.
  bool worthwhile() const;
  // (result, operand) of any member that may share memory.
  std::vector<std::pair<PlaceId, PlaceId>> shares() const;
  // (result, operand) that only earlier members read: each part has read its piece of the one
  // before any member writes that of the other, or of what lies in its memory. What a chain reads
  // and writes then passes through the caches once. Asked for when all of the plan is known and
  // shares() are given.
  std::vector<std::pair<PlaceId, PlaceId>> later_shares(const MemoryLayout& memory) const;
  std::shared_ptr<ChainedSteps> finish() const;
  Step step(std::shared_ptr<const ChainedSteps> steps) const;
  // What only the chain touches; asked for when all of the plan is known.
  struct Private {
    PlaceId place = no_place;
    int64_t part_bytes = 0;
  };
  std::vector<Private> private_places(const MemoryLayout& memory) const;

 private:
  struct Access {
    size_t member = 0;
    int64_t pieces = 1;
    bool whole = true;  // the place is all of its root, so that its pieces are the root's
  };
  // What the chain does in one memory, which several of its places may share.
  struct Touched {
    size_t first = 0, last = 0;  // members
    bool by_parts = true;        // each part touches a piece of its own
    bool written = false;
  };
  int64_t joined_parts(const StepNote& note) const;
  bool is_written(PlaceId root) const;
  int64_t bytes_with(const StepNote* more) const;
  int64_t reused_bytes() const;
  bool may_overwrite(size_t member, PlaceId to, PlaceId from) const;
  void note_access(PlaceId place, size_t member, int64_t pieces);
  bool is_by_parts(const Access& access) const;
  std::unordered_map<PlaceId, Touched> touched_memory(const MemoryLayout& memory) const;
  PlaceId dying_operand(const MemoryLayout& memory, PlaceId to,
                        const std::unordered_map<PlaceId, Touched>& touched) const;

  const MemoryLayout* memory_;
  int position_, threads_;
  int64_t parts_ = 0;
  std::vector<Member> members_;
  std::unordered_map<PlaceId, int64_t> written_;               // by place: its pieces
  std::unordered_map<PlaceId, std::vector<Access>> accesses_;  // by root: of all members
  std::unordered_set<PlaceId> passed_;                         // roots that steps before it touch
};

}  // namespace cpu
}  // namespace systolic::inline v0
