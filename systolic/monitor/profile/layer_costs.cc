#include "systolic/monitor/profile/layer_costs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace systolic::inline v0 {
namespace monitor {
namespace {

using spans::Work;
using spans::WorkId;
using spans::WorkKind;

double seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

// What was seen of a work.
struct Seen {
  int64_t runs = 0, ns = 0, thread_ns = 0;
  double cores = 0;  // of all runs together
};

class CostReader {
 public:
  explicit CostReader(const Profile& profile) : profile_(profile) {
    for (const auto& thread : profile.recorded.threads) read(thread);
  }

  // By what `key` makes of a work.
  template <class Key>
  std::vector<Cost> costs(const Key& key) const {
    using KeyType = decltype(key(std::declval<const Work&>()));
    std::map<KeyType, Cost> costs;
    const auto add = [&](WorkId id, double share, const Seen& seen) {
      const Work& work = profile_.work(id);
      add_to(costs[key(work)], work, share, seen);
    };
    for (const auto& [id, seen] : ops_) {
      const auto members = members_.find(id);
      if (members == members_.end()) {
        add(id, 1, seen);
        continue;
      }
      int64_t all = 0;
      for (const auto& [member, ns] : members->second) all += ns;
      for (const auto& [member, ns] : members->second) {
        add(member, all > 0 ? static_cast<double>(ns) / static_cast<double>(all) : 0, seen);
      }
    }
    std::vector<Cost> sorted;
    for (auto& [name, cost] : costs) sorted.push_back(std::move(cost));
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Cost& a, const Cost& b) { return a.seconds > b.seconds; });
    return sorted;
  }

 private:
  void read(const spans::RecordedThread& thread) {
    const std::vector<NestedSpan> nested = nested_spans(thread);
    std::vector<int64_t> own_ns(nested.size()), core(nested.size(), -1), op(nested.size(), -1);
    std::vector<bool> has_ops(nested.size(), false);
    for (size_t i = 0; i < nested.size(); ++i) {
      const auto& span = *nested[i].span;
      const Work& work = profile_.work(span.work);
      own_ns[i] = span.end_ns - span.begin_ns;
      if (nested[i].parent >= 0) {
        const auto parent = static_cast<size_t>(nested[i].parent);
        core[i] = core[parent];
        op[i] = op[parent];
      }
      if (work.kind == WorkKind::program) core[i] = span.number;
      if (work.kind == WorkKind::wait && op[i] >= 0) {
        ops_[nested[static_cast<size_t>(op[i])].span->work].thread_ns -= own_ns[i];
      }
      if (span.is_share && work.kind == WorkKind::op) ops_[span.work].thread_ns += own_ns[i];
      if (work.kind == WorkKind::member) members_[work.member_of][span.work] += own_ns[i];
      if (work.kind != WorkKind::op || span.is_share) continue;
      if (op[i] >= 0) {
        own_ns[static_cast<size_t>(op[i])] -= own_ns[i];
        has_ops[static_cast<size_t>(op[i])] = true;
      }
      op[i] = static_cast<int64_t>(i);
    }
    for (size_t i = 0; i < nested.size(); ++i) {
      if (op[i] == static_cast<int64_t>(i)) add(*nested[i].span, own_ns[i], has_ops[i], core[i]);
    }
  }

  // An op that runs others, as a loop does, has their work in its own figures.
  void add(const spans::RecordedSpan& span, int64_t ns, bool has_ops, int64_t core) {
    Seen& seen = ops_[span.work];
    seen.ns += ns;
    seen.thread_ns += ns;
    if (has_ops) return;
    ++seen.runs;
    seen.cores += core < 0 ? std::max(profile_.cores, 1) : 1;
  }

  void add_to(Cost& cost, const Work& work, double share, const Seen& seen) const {
    const auto runs = static_cast<double>(seen.runs);
    const double time = share * seconds(seen.ns);
    if (time >= cost.longest_seconds) {
      cost.longest_seconds = time;
      cost.layer = work.layer;
      cost.op = work.name;
      cost.file = work.file;
      cost.line = work.line;
    }
    cost.runs += seen.runs;
    cost.seconds += time;
    cost.thread_seconds += share * seconds(seen.thread_ns);
    cost.flops += work.flops * runs;
    cost.bytes += work.bytes * runs;
    if (!(profile_.peak_flops > 0) || !(profile_.peak_bytes > 0) || !(seen.cores > 0)) return;
    const double cores = seen.cores / runs;
    const double compute = runs * work.flops / (profile_.peak_flops * cores);
    const double memory = runs * work.bytes / (profile_.peak_bytes * cores);
    cost.compute_seconds += compute;
    cost.memory_seconds += memory;
    cost.roofline_seconds += std::max(compute, memory);
  }

  const Profile& profile_;
  std::map<WorkId, Seen> ops_;
  std::unordered_map<WorkId, std::map<WorkId, int64_t>> members_;  // of an op: their time
};

// The sum of the lengths of intervals, what lies in several counted once.
double covered(std::vector<std::pair<int64_t, int64_t>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  int64_t ns = 0, reached = 0;
  for (const auto& [begin, end] : intervals) {
    ns += std::max<int64_t>(0, end - std::max(begin, reached));
    reached = std::max(reached, end);
  }
  return seconds(ns);
}

}  // namespace

std::vector<Cost> layer_costs(const Profile& profile) {
  return CostReader(profile).costs([](const Work& work) { return work.layer; });
}

std::vector<Cost> op_costs(const Profile& profile) {
  return CostReader(profile).costs(
      [](const Work& work) { return std::tuple(work.layer, work.name, work.file, work.line); });
}

TimeUse time_use(const Profile& profile) {
  TimeUse use{.total = seconds(profile.recorded.duration_ns)};
  std::vector<std::pair<int64_t, int64_t>> programs;
  for (const auto& thread : profile.recorded.threads) {
    int64_t input_ns = 0, threads_ns = 0, steps = 0;
    const std::vector<NestedSpan> nested = nested_spans(thread);
    std::vector<bool> in_program(nested.size(), false);
    for (size_t i = 0; i < nested.size(); ++i) {
      const auto& span = *nested[i].span;
      const Work& work = profile.work(span.work);
      const int64_t ns = span.end_ns - span.begin_ns;
      in_program[i] = work.kind == WorkKind::program ||
                      (nested[i].parent >= 0 && in_program[static_cast<size_t>(nested[i].parent)]);
      if (work.kind == WorkKind::step) ++steps;
      if (work.kind == WorkKind::program) programs.emplace_back(span.begin_ns, span.end_ns);
      if (work.kind == WorkKind::wait) (in_program[i] ? threads_ns : input_ns) += ns;
      if (span.is_share) use.compute_threads += seconds(ns);
    }
    if (steps > 0) use.waits_for_input += seconds(input_ns);
    use.waits_for_threads += seconds(threads_ns);
    use.steps += steps;
  }
  use.programs = covered(std::move(programs));
  return use;
}

}  // namespace monitor
}  // namespace systolic::inline v0
