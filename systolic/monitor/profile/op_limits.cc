#include "systolic/monitor/profile/op_limits.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "systolic/base/text.h"
#include "systolic/monitor/profile/columns.h"
#include "systolic/monitor/profile/layer_costs.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// An op whose limit is below this a run is done before all threads have begun with it.
constexpr double least_work_seconds = 2e-6;
constexpr double busy_enough = 0.6;
constexpr double least_share_of_time = 1e-3;

struct Reason {
  std::string_view words;  // of names of ops
  const char* text;
};
constexpr std::array reasons = {
    Reason{"gather scatter dynamic_slice dynamic_update_slice row_updates lookup",
           "takes rows from anywhere in memory"},
    Reason{"sort top_k", "compares and moves, and multiplies nothing"},
    Reason{"rng_bit_generator rng threefry philox", "draws bits by integers"},
    Reason{"exponential exp log log1p expm1 tanh logistic erf power sine cosine tan cbrt atan2",
           "has functions of many operations, each of which counts as one"},
    Reason{"transpose reverse pad concatenate slice reshape copy",
           "moves elements, and multiplies nothing"},
    Reason{"reduce reduce_window select_and_scatter cumulative", "adds in an order that is fixed"},
};

// The words of an op's name: "fused(multiply reduce) f32[96]" has fused, multiply, reduce, f32.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

bool has_word(std::string_view text, std::string_view word) {
  const std::vector<std::string> words = split(text, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string as_percent(double share) { return str(fixed(100 * share, 1), " %"); }

std::string why_of(const LimitedOp& op, const ProcessorLimits& limits) {
  if (op.limit_seconds < least_work_seconds * static_cast<double>(std::max<int64_t>(op.runs, 1))) {
    return "has too little to do: its start takes longer";
  }
  if (op.threads_busy < busy_enough) {
    return str("keeps its threads busy for ", as_percent(op.threads_busy), " of its time");
  }
  for (const std::string& word : words_of(op.op)) {
    for (const Reason& reason : reasons) {
      if (has_word(reason.words, word)) return reason.text;
    }
  }
  const bool computes = op.flops / limits.flops >= op.bytes / limits.bytes;
  return computes ? "its kernel multiplies more slowly" : "its kernel reads and writes more slowly";
}

// Threads that compute: the one that runs programs, and those that take parts over.
double compute_threads(const Profile& profile) {
  const auto takes_parts = [](const spans::RecordedThread& thread) {
    return std::any_of(thread.spans.begin(), thread.spans.end(),
                       [](const spans::RecordedSpan& span) { return span.is_share; });
  };
  return 1.0 + static_cast<double>(std::count_if(profile.recorded.threads.begin(),
                                                 profile.recorded.threads.end(), takes_parts));
}

std::vector<LimitedOp> all_ops(const Profile& profile, const ProcessorLimits& limits) {
  const double threads = compute_threads(profile);
  std::vector<LimitedOp> ops;
  for (const Cost& cost : op_costs(profile)) {
    if (!(cost.flops > 0) && !(cost.bytes > 0)) continue;
    ops.push_back(
        {.op = cost.op,
         .layer = cost.layer,
         .file = cost.file,
         .line = cost.line,
         .runs = cost.runs,
         .seconds = cost.seconds,
         .limit_seconds = std::max(cost.flops / limits.flops, cost.bytes / limits.bytes),
         .flops = cost.flops,
         .bytes = cost.bytes,
         .threads_busy = cost.seconds > 0 ? cost.thread_seconds / cost.seconds / threads : 0});
  }
  return ops;
}

double seconds_of(const std::vector<LimitedOp>& ops) {
  double seconds = 0;
  for (const LimitedOp& op : ops) seconds += op.seconds;
  return seconds;
}

std::string row(const LimitedOp& op, double all_seconds) {
  return str(
      right(as_percent(op.seconds / all_seconds), 8), right(with_commas(op.runs), 10),
      right(str(fixed(1e6 * op.seconds / static_cast<double>(std::max<int64_t>(op.runs, 1)), 1),
                " us"),
            14),
      right(as_percent(op.share()), 10), right(as_percent(op.threads_busy), 10), "  ");
}

std::string line_of(const LimitedOp& op) {
  const std::string layer = op.layer.empty() ? "(no layer)" : op.layer;
  return op.line == 0 ? layer
                      : str(layer, " at ", op.file.substr(op.file.rfind('/') + 1), ":", op.line);
}

const std::string header = str(right("share", 8), right("runs", 10), right("a run", 14),
                               right("of limit", 10), right("threads", 10), "  ");

}  // namespace

std::vector<LimitedOp> ops_below(const Profile& profile, const ProcessorLimits& limits,
                                 double share) {
  std::vector<LimitedOp> ops = all_ops(profile, limits), below;
  const double least = least_share_of_time * seconds_of(ops);
  for (LimitedOp& op : ops) {
    if (op.share() >= share || op.seconds < least) continue;
    op.why = why_of(op, limits);
    below.push_back(std::move(op));
  }
  return below;
}

std::vector<LimitedOp> kind_limits(const Profile& profile, const ProcessorLimits& limits) {
  std::map<std::string, LimitedOp> kinds;
  for (const LimitedOp& op : all_ops(profile, limits)) {
    LimitedOp& kind = kinds[words_of(op.op).front()];
    const double busy = kind.threads_busy * kind.seconds + op.threads_busy * op.seconds;
    kind.runs += op.runs;
    kind.seconds += op.seconds;
    kind.limit_seconds += op.limit_seconds;
    kind.flops += op.flops;
    kind.bytes += op.bytes;
    kind.threads_busy = kind.seconds > 0 ? busy / kind.seconds : 0;
  }
  std::vector<LimitedOp> sorted;
  for (auto& [name, kind] : kinds) {
    kind.op = name;
    sorted.push_back(std::move(kind));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LimitedOp& a, const LimitedOp& b) { return a.seconds > b.seconds; });
  return sorted;
}

std::vector<std::string> limits_text(const Profile& profile, const ProcessorLimits& limits,
                                     double share) {
  const std::vector<LimitedOp> kinds = kind_limits(profile, limits);
  const std::vector<LimitedOp> below = ops_below(profile, limits, share);
  const double all = seconds_of(kinds);
  std::vector<std::string> lines = {str("against ", fixed(limits.flops / 1e9, 1), " GFLOP/s and ",
                                        fixed(limits.bytes / 1e9, 1), " GB/s of all threads"),
                                    "", header + "kind of op"};
  for (const LimitedOp& kind : kinds) lines.push_back(row(kind, all) + kind.op);
  lines.emplace_back();
  if (below.empty()) {
    lines.push_back(str("no op is below ", as_percent(share), " of its limit"));
    return lines;
  }
  lines.push_back(str("below ", as_percent(share), " of their limit, ",
                      as_percent(seconds_of(below) / all), " of the time:"));
  lines.push_back(header + "op, and why");
  for (const LimitedOp& op : below) {
    lines.push_back(str(row(op, all), op.op, " in ", line_of(op), ": ", op.why));
  }
  return lines;
}

}  // namespace monitor
}  // namespace systolic::inline v0
