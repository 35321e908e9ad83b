#include "systolic/cluster/this_run.h"

#include <cstdio>
#include <mutex>

#include "systolic/base/log.h"
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

// The first process speaks for all; what another has to say is a warning, and says whose it is.
void speak_as(const Place& place) {
  if (place.processes.index == 0) return;
  set_log_sink(
      [name = place.worker_name(place.processes.index)](LogLevel level, std::string_view text) {
        if (level == LogLevel::info) return;
        const std::string line =
            str(level == LogLevel::error ? "ERROR: " : "WARNING: ", name, ": ", text, "\n");
        std::fwrite(line.data(), 1, line.size(), stderr);
      });
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
  if (!place.alone()) {
    speak_as(place);
    run = join(place, options_of(surroundings));
  }
  asked = true;
  return run;
}

}  // namespace cluster
}  // namespace systolic::inline v0
