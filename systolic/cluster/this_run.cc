#include "systolic/cluster/this_run.h"

#include <cstdlib>
#include <mutex>

#include "systolic/cluster/place/source.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

JoinOptions options_of(const Surroundings& surroundings) {
  JoinOptions options;
  options.token = surroundings.variable("SYSTOLIC_CLUSTER_TOKEN").value_or("");
  options.join_seconds =
      Variables(surroundings, "Systolic").number_or("SYSTOLIC_JOIN_SECONDS", 300, 1);
  return options;
}

}  // namespace

std::shared_ptr<Coordination> this_run() {
  static std::mutex mutex;
  static std::shared_ptr<Coordination> run;
  static bool asked = false;
  const std::lock_guard lock(mutex);
  if (asked) return run;
  const Surroundings surroundings = this_machine();
  const Place place = find_place(surroundings);
  if (!place.alone()) run = join(place, options_of(surroundings));
  asked = true;
  return run;
}

}  // namespace cluster
}  // namespace systolic::inline v0
