#include "backends/cpu/plan/step_chain.h"

#include <algorithm>
#include <numeric>

#include "systolic/base/cache_size.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Shares of the second-level cache, which is what a chain is to stay in.
struct Limits {
  const int64_t cache = second_level_cache_bytes();
  // What parts in work at once may touch, beside what they read again and again. With three times
  // as much a chain with a packed operand took 1.3 times as long: such a cache forgets early.
  int64_t at_once(int64_t reused) const { return (cache - reused) / 4; }
  // What all parts of a chain may read again and again: the rest is for their own.
  const int64_t reused = cache / 8 * 5;
  // A part that touches more does not fit a cache.
  const int64_t part = cache;
  // A chain that touches less lies in the cache anyway, and costs more to hand out than it saves.
  const int64_t least = cache / 4;
  // What a step may read that passes a chain unless it runs in parts itself: states of generators,
  // masks.
  const int64_t passing = cache / 16;
  // What of an argument may be copied to its result in the end instead of being written in place:
  // counters, states of generators.
  static constexpr int64_t copied = 64;
};
const Limits& limits() {
  static const Limits limits;
  return limits;
}

// So many parts a thread even out a processor that others use too.
constexpr int64_t parts_per_thread = 4;

}  // namespace

ChainedSteps::ChainedSteps(std::vector<Member> members, int64_t parts, int64_t parts_at_once,
                           int threads)
    : members_(std::move(members)),
      parts_(parts),
      parts_at_once_(parts_at_once),
      threads_(threads) {
  for (const Member& member : members_) {
    for (PlaceId place : member.places) places_ = std::max(places_, place + 1);
    for (PlaceId place : member.scratch) places_ = std::max(places_, place + 1);
  }
}

// Before other threads run them. The work that is recorded now is the whole chain.
void ChainedSteps::name_members() const {
  if (!spans::are_recorded() || members_.front().span_work != spans::no_work) return;
  for (const Member& member : members_) {
    member.span_work =
        span_work_of(member.described, spans::WorkKind::member, spans::current_work());
  }
}

void ChainedSteps::run(const Frame& frame) const {
  name_members();
  const int64_t blocks = (parts_ + parts_at_once_ - 1) / parts_at_once_;
  frame.pool().parallel_tasks(blocks, threads_, [&](int64_t block, int thread) {
    const int64_t begin = block * parts_at_once_;
    run_parts(frame, begin, std::min(begin + parts_at_once_, parts_), thread);
  });
}

void ChainedSteps::run_parts(const Frame& frame, int64_t begin, int64_t end, int thread) const {
  // One table a thread of the process, for all chains: no run allocates but the first.
  thread_local std::vector<std::byte*> pointers;
  if (pointers.size() < static_cast<size_t>(places_)) pointers.resize(static_cast<size_t>(places_));
  const auto set = [&](PlaceId place, int64_t offset) {
    // Where the whole array would begin, which need not be inside of anything.
    pointers[static_cast<size_t>(place)] = reinterpret_cast<std::byte*>(
        reinterpret_cast<uintptr_t>(frame.at(place)) + static_cast<uintptr_t>(offset));
  };
  for (const Member& member : members_) {
    for (PlaceId place : member.places) set(place, 0);
    for (PlaceId place : member.scratch) set(place, thread * member.scratch_bytes);
  }
  for (const Buffer& buffer : buffers_) {
    set(buffer.place, thread * buffer.thread_bytes - begin * buffer.part_bytes);
  }
  const Frame own = frame.with(pointers);
  for (const Member& member : members_) {
    const spans::Span span([&] { return member.span_work; });
    member.run(own, begin * member.parts_each, end * member.parts_each);
  }
}

StepChain::StepChain(const MemoryLayout& memory, int position, int threads, Member first)
    : memory_(&memory), position_(position), threads_(threads), parts_(first.note.parts.count) {
  add(std::move(first));
}

void StepChain::add(Member member) {
  const StepNote& note = member.note;
  if (!members_.empty()) parts_ = joined_parts(note);
  const size_t index = members_.size();
  for (size_t i = 0; i < note.reads.size(); ++i) {
    note_access(note.reads[i], index, note.parts.read_pieces[i]);
  }
  for (size_t i = 0; i < note.writes.size(); ++i) {
    note_access(note.writes[i], index, note.parts.written_pieces[i]);
    written_[note.writes[i]] = note.parts.written_pieces[i];
  }
  for (PlaceId place : note.scratch) note_access(place, index, 1);
  members_.push_back(std::move(member));
}

void StepChain::note_access(PlaceId place, size_t member, int64_t pieces) {
  const PlaceId root = memory_->root(place);
  const bool whole = memory_->bytes(place) == memory_->bytes(root);
  accesses_[root].push_back({member, pieces, whole});
}

bool StepChain::is_by_parts(const Access& access) const {
  return access.whole && access.pieces % parts_ == 0;
}

// In how many parts the chain would run with the step; 0 where they do not fit each other, or the
// step reads nothing of the chain.
int64_t StepChain::joined_parts(const StepNote& note) const {
  int64_t parts = std::gcd(parts_, note.parts.count);
  if (parts != std::min(parts_, note.parts.count)) return 0;
  bool reads = false;
  for (size_t i = 0; i < note.reads.size(); ++i) {
    if (accesses_.count(memory_->root(note.reads[i])) == 0) continue;
    const auto written = written_.find(note.reads[i]);
    if (written == written_.end()) {
      // What the chain reads too, or a part of what it writes.
      if (is_written(memory_->root(note.reads[i]))) return 0;
      continue;
    }
    reads = true;
    if (written->second % parts != 0 || note.parts.read_pieces[i] % parts != 0) return 0;
  }
  return reads ? parts : 0;
}

// The bytes of all places that the chain touches piece by piece, each counted once.
int64_t StepChain::bytes_with(const StepNote* more) const {
  std::unordered_set<PlaceId> counted;
  int64_t bytes = 0;
  const auto count = [&](const StepNote& note) {
    const auto add = [&](PlaceId place, int64_t pieces) {
      if (pieces > 1 && counted.insert(place).second) bytes += memory_->bytes(place);
    };
    for (size_t i = 0; i < note.reads.size(); ++i) add(note.reads[i], note.parts.read_pieces[i]);
    for (size_t i = 0; i < note.writes.size(); ++i) {
      add(note.writes[i], note.parts.written_pieces[i]);
    }
  };
  for (const Member& member : members_) count(member.note);
  if (more != nullptr) count(*more);
  return bytes;
}

int64_t StepChain::reused_bytes() const {
  return std::accumulate(
      members_.begin(), members_.end(), int64_t{0},
      [](int64_t sum, const Member& member) { return sum + member.note.parts.reused_bytes; });
}

bool StepChain::joins(const StepNote& note) const {
  if (note.parts.count < parts_per_thread * threads_) return false;
  if (reused_bytes() + note.parts.reused_bytes > limits().reused) return false;
  const int64_t parts = joined_parts(note);
  if (parts < parts_per_thread * threads_) return false;
  const bool writes_anew = std::all_of(note.writes.begin(), note.writes.end(), [&](PlaceId place) {
    const PlaceId root = memory_->root(place);
    return accesses_.count(root) == 0 && passed_.count(root) == 0;
  });
  return writes_anew && bytes_with(&note) / parts <= limits().part;
}

bool StepChain::is_written(PlaceId root) const {
  return std::any_of(written_.begin(), written_.end(),
                     [&](const auto& entry) { return memory_->root(entry.first) == root; });
}

bool StepChain::passes(const StepNote& note) const {
  // Elementwise steps alone gain nothing, and their order says what a run that fails has
  // overwritten.
  if (members_.size() == 1 && !members_[0].note.in_place.empty()) return false;
  int64_t bytes = 0;
  bool reads_beside = false;  // what the chain reads too, as the products of one gradient do
  for (PlaceId place : note.reads) {
    bytes += memory_->bytes(place);
    const PlaceId root = memory_->root(place);
    if (is_written(root)) return false;
    reads_beside = reads_beside || accesses_.count(root) != 0;
  }
  const bool small = note.parts.count > 0 || reads_beside || bytes <= limits().passing;
  if (note.loops || !small) return false;
  for (PlaceId place : note.writes) {
    if (accesses_.count(memory_->root(place)) != 0) return false;
  }
  // It would no longer write in place.
  return std::all_of(note.in_place.begin(), note.in_place.end(), [&](const auto& pair) {
    const int64_t most = memory_->is_argument(pair.second) ? limits().copied : limits().passing;
    return memory_->bytes(pair.first) <= most;
  });
}

void StepChain::note_passed(const StepNote& note) {
  for (const auto* places : {&note.reads, &note.writes, &note.scratch}) {
    for (PlaceId place : *places) passed_.insert(memory_->root(place));
  }
}

bool StepChain::worthwhile() const {
  return members_.size() > 1 && bytes_with(nullptr) >= limits().least;
}

// Each part reads its own piece of `from` for the last time when it writes the same one of `to`.
bool StepChain::may_overwrite(size_t member, PlaceId to, PlaceId from) const {
  const auto& reads = accesses_.at(memory_->root(from));
  const auto& writes = accesses_.at(memory_->root(to));
  const bool read = std::all_of(reads.begin(), reads.end(), [&](const Access& access) {
    return access.member <= member && is_by_parts(access);
  });
  return read && is_by_parts(writes[0]);
}

std::vector<std::pair<PlaceId, PlaceId>> StepChain::shares() const {
  if (members_.size() == 1) return members_[0].note.in_place;
  std::vector<std::pair<PlaceId, PlaceId>> shares;
  std::unordered_set<PlaceId> given, taken;
  for (size_t i = 0; i < members_.size(); ++i) {
    for (const auto& [to, from] : members_[i].note.in_place) {
      // Each operand and each result once: with one position for all, what a result has taken
      // would seem to end with it.
      const PlaceId result = memory_->root(to), operand = memory_->root(from);
      if (passed_.count(operand) != 0 || !may_overwrite(i, to, from)) continue;
      if (given.count(operand) != 0 || !taken.insert(result).second) continue;
      given.insert(operand);
      shares.emplace_back(to, from);
    }
  }
  return shares;
}

std::unordered_map<PlaceId, StepChain::Touched> StepChain::touched_memory(
    const MemoryLayout& memory) const {
  std::unordered_map<PlaceId, Touched> touched;
  for (const auto& [root, accesses] : accesses_) {
    Touched& here = touched.try_emplace(memory.root(root), Touched{members_.size()}).first->second;
    for (const Access& access : accesses) {
      here.first = std::min(here.first, access.member);
      here.last = std::max(here.last, access.member);
      here.by_parts = here.by_parts && is_by_parts(access);
    }
  }
  for (const auto& [place, pieces] : written_) touched.at(memory.root(place)).written = true;
  for (PlaceId root : passed_) {
    const auto found = touched.find(memory.root(root));
    if (found != touched.end()) found->second.by_parts = false;
  }
  return touched;
}

// As large as `to`, and read for the last time, everywhere, by members before the first that writes
// anything there; no_place where there is none.
PlaceId StepChain::dying_operand(const MemoryLayout& memory, PlaceId to,
                                 const std::unordered_map<PlaceId, Touched>& touched) const {
  const size_t first = touched.at(to).first;
  for (size_t i = 0; i < first; ++i) {
    for (PlaceId operand : members_[i].note.reads) {
      const PlaceId from = memory.root(operand);
      const Touched& read = touched.at(from);
      const bool before = read.by_parts && !read.written && read.last < first &&
                          memory.first_write(from) < position_;
      const bool fits = memory.bytes(from) == memory.bytes(to);
      if (before && fits && memory.dies_at(from, position_)) return from;
    }
  }
  return no_place;
}

std::vector<std::pair<PlaceId, PlaceId>> StepChain::later_shares(const MemoryLayout& memory) const {
  auto touched = touched_memory(memory);
  std::vector<std::pair<PlaceId, PlaceId>> shares;
  for (const Member& member : members_) {
    for (PlaceId result : member.note.writes) {
      const PlaceId to = memory.root(result);
      // A result of this chain alone has a buffer; one that lies in an operand has its memory.
      const bool born = memory.first_write(to) == position_ && !memory.lives_only_at(to, position_);
      if (!born || !touched.at(to).by_parts) continue;
      const PlaceId from = dying_operand(memory, to, touched);
      if (from == no_place) continue;
      shares.emplace_back(to, from);
      touched.at(to).by_parts = touched.at(from).by_parts = false;  // once each
    }
  }
  return shares;
}

std::shared_ptr<ChainedSteps> StepChain::finish() const {
  std::vector<ChainedSteps::Member> members;
  for (const Member& member : members_) {
    const StepNote& note = member.note;
    ChainedSteps::Member chained{.run = note.parts.run,
                                 .parts_each = note.parts.count / parts_,
                                 .places = note.reads,
                                 .scratch = note.scratch,
                                 .scratch_bytes = note.parts.scratch_bytes,
                                 .described = member.step};
    chained.described.run = nullptr;
    chained.places.insert(chained.places.end(), note.writes.begin(), note.writes.end());
    members.push_back(std::move(chained));
  }
  const int64_t part_bytes = std::max<int64_t>(1, bytes_with(nullptr) / parts_);
  const int64_t most = std::max<int64_t>(1, parts_ / (parts_per_thread * threads_));
  const int64_t fitting = limits().at_once(reused_bytes()) / part_bytes;
  return std::make_shared<ChainedSteps>(std::move(members), parts_,
                                        std::clamp<int64_t>(fitting, 1, most), threads_);
}

Step StepChain::step(std::shared_ptr<const ChainedSteps> steps) const {
  Step step = members_.back().step;
  step.run = [steps = std::move(steps)](const Frame& frame) { steps->run(frame); };
  step.text =
      str(members_[0].step.text, " and ", members_.size() - 1, " more in ", parts_, " parts");
  step.flops = step.bytes = 0;
  step.matrix = {};
  for (const Member& member : members_) {
    step.text += "\n  " + member.step.text;
    step.flops += member.step.flops;
    step.bytes += member.step.bytes;
    step.matrix += member.step.matrix;
  }
  return step;
}

std::vector<StepChain::Private> StepChain::private_places(const MemoryLayout& memory) const {
  std::vector<Private> result;
  std::unordered_set<PlaceId> whole;  // roots of which something is touched outside its part
  for (const auto& [root, accesses] : accesses_) {
    const bool by_parts = std::all_of(accesses.begin(), accesses.end(),
                                      [&](const Access& access) { return is_by_parts(access); });
    if (!by_parts) whole.insert(memory.root(root));
  }
  for (PlaceId root : passed_) whole.insert(memory.root(root));
  for (const auto& [place, pieces] : written_) {
    const PlaceId root = memory.root(place);
    if (whole.count(root) != 0 || !memory.lives_only_at(root, position_)) continue;
    result.push_back({place, memory.bytes(place) / parts_});
  }
  return result;
}

}  // namespace cpu
}  // namespace systolic::inline v0
