// How far each op is from what a processor can do, and what keeps it there.
//
//   for (const LimitedOp& op : ops_below(profile, {.flops = 230e9, .bytes = 40e9}, 0.25)) ...
#pragma once

#include <string>
#include <vector>

#include "systolic/monitor/profile/profile.h"

namespace systolic::inline v0 {
namespace monitor {

// What all threads of a processor can do together in a second; both above 0.
struct ProcessorLimits {
  double flops = 0;  // multiplications and additions of f32
  double bytes = 0;  // read from memory and written to it
};

// An op at one line, or, of kind_limits, all ops of one kind.
struct LimitedOp {
  std::string op = {}, layer = {}, file = {};
  int line = 0;
  int64_t runs = 0;
  double seconds = 0;        // of all runs
  double limit_seconds = 0;  // what the limits allow: flops or bytes, whichever takes longer
  double flops = 0, bytes = 0;
  // Time of all threads that compute it, divided by its own times the number of threads: 1 where
  // all of them were busy.
  double threads_busy = 0;
  std::string why = {};  // what keeps it from its limit, as far as a profile shows it

  double share() const { return seconds > 0 ? limit_seconds / seconds : 0; }
};

// Ops that reach less than this share of their limit, the costliest first; those that together
// take less than a thousandth of the time of all ops are left out.
std::vector<LimitedOp> ops_below(const Profile& profile, const ProcessorLimits& limits,
                                 double share);

// By the kind of op, such as "convolution" or "fused", the costliest first; `why` is empty.
std::vector<LimitedOp> kind_limits(const Profile& profile, const ProcessorLimits& limits);

// Both as tables: what `systolic profile FILE --below 25 --gflops 230 --gbytes 40` prints.
std::vector<std::string> limits_text(const Profile& profile, const ProcessorLimits& limits,
                                     double share);

}  // namespace monitor
}  // namespace systolic::inline v0
