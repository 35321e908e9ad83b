#include "backends/cpu/plan/prepared_steps.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Which steps compute from parameters alone. Begins with all that might, and drops those that read
// or write what another one has a hand in until none is left to drop.
template <class Noted>
class Candidates {
 public:
  Candidates(const std::vector<Noted>& steps, const std::vector<PlaceId>& parameters,
             const MemoryLayout& memory)
      : steps_(steps), memory_(memory), chosen_(steps.size()) {
    for (PlaceId place : parameters) parameters_.insert(memory.root(place));
    for (size_t i = 0; i < steps.size(); ++i) {
      chosen_[i] = steps[i].index >= 0;
      for (PlaceId place : steps[i].writes) writers_[memory.root(place)].push_back(i);
    }
    while (drop_some()) {
    }
    keep_those_with_parameters();
    while (drop_some()) {
    }
  }

  bool chosen(size_t step) const { return chosen_[step]; }

 private:
  bool drop_some() {
    bool dropped = false;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (!chosen_[i] || computes_alone(steps_[i])) continue;
      chosen_[i] = false;
      dropped = true;
    }
    return dropped;
  }

  bool computes_alone(const Noted& step) const {
    const auto may_read = [&](PlaceId place) {
      const PlaceId root = memory_.root(place);
      return parameters_.count(root) > 0 || memory_.is_constant(root) || is_written_alone(root);
    };
    const auto may_write = [&](PlaceId place) { return is_written_alone(memory_.root(place)); };
    return !step.writes.empty() && std::all_of(step.reads.begin(), step.reads.end(), may_read) &&
           std::all_of(step.writes.begin(), step.writes.end(), may_write);
  }

  // A temporary that steps which are chosen write to, and no others.
  bool is_written_alone(PlaceId root) const {
    const auto found = writers_.find(root);
    return memory_.is_temporary(root) && found != writers_.end() &&
           std::all_of(found->second.begin(), found->second.end(),
                       [&](size_t writer) { return chosen_[writer]; });
  }

  // A constant that is written again and again takes less time than memory for it is worth.
  void keep_those_with_parameters() {
    std::set<PlaceId> from_parameters = parameters_;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (!chosen_[i]) continue;
      const auto& reads = steps_[i].reads;
      chosen_[i] = std::any_of(reads.begin(), reads.end(), [&](PlaceId place) {
        return from_parameters.count(memory_.root(place)) > 0;
      });
      if (!chosen_[i]) continue;
      for (PlaceId place : steps_[i].writes) from_parameters.insert(memory_.root(place));
    }
  }

  const std::vector<Noted>& steps_;
  const MemoryLayout& memory_;
  std::set<PlaceId> parameters_;
  std::unordered_map<PlaceId, std::vector<size_t>> writers_;
  std::vector<bool> chosen_;
};

}  // namespace

size_t PreparedSteps::add(const StepNote& note) {
  steps_.push_back({note.reads, note.writes});
  return steps_.size() - 1;
}

std::vector<int64_t> PreparedSteps::choose(MemoryLayout& memory) const {
  const Candidates<Noted> candidates(steps_, parameters_, memory);
  std::set<PlaceId> written, kept;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (!candidates.chosen(i)) continue;
    for (PlaceId place : steps_[i].writes) written.insert(memory.root(place));
  }
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (candidates.chosen(i)) continue;
    for (PlaceId place : steps_[i].reads) {
      if (written.count(memory.root(place)) > 0) kept.insert(memory.root(place));
    }
  }
  int64_t parameters = 0, bytes = 0;
  for (PlaceId place : parameters_) parameters += memory.bytes(place);
  for (PlaceId place : kept) bytes += memory.bytes(place);
  if (bytes > 2 * parameters) return {};
  for (PlaceId place : kept) memory.set_prepared(place);
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (candidates.chosen(i)) chosen.push_back(steps_[i].index);
  }
  return chosen;
}

}  // namespace cpu
}  // namespace systolic::inline v0
