#include "systolic/cluster/this_run.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <mutex>

#include "systolic/base/log.h"
#include "systolic/base/process/interrupt.h"
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

// What the handler needs when the process ends.
struct Joined {
  pid_t process = 0;  // another one is a child, which has not joined
  std::weak_ptr<Coordination> run;
};
Joined& joined() {
  static Joined instance;
  return instance;
}

// The others learn of the failure when the connection breaks, which lasts as long as the process.
// Its threads must not meet static objects that are gone, so none that is older than the run goes.
[[noreturn]] void end_with_connection(int exit_code) {
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(exit_code);
}

// Before static objects go, among them the connections from which others still read.
void leave_run(int exit_code, void*) noexcept {
  constexpr double saving_seconds = 600;  // process 0 may write much when all were asked to end
  const std::shared_ptr<Coordination> run = joined().run.lock();
  if (!run || ::getpid() != joined().process) return;
  try {
    constexpr int first_of_signals = 129;
    if (exit_code >= first_of_signals || !interrupted_by().empty()) {
      run->leave(saving_seconds);
    } else if (exit_code == 0) {
      run->leave(JoinOptions{}.leave_seconds);
    } else {
      run->announce_failure(str("it ended with exit code ", exit_code));
      end_with_connection(exit_code);
    }
  } catch (const std::exception& error) {  // the run had failed before
    log_warning(error.what());
  }
}

std::shared_ptr<Coordination> join_as_found() {
  const Surroundings surroundings = this_machine();
  const Place place = find_place(surroundings);
  if (place.alone()) return nullptr;
  speak_as(place);
  std::shared_ptr<Coordination> run = join(place, options_of(surroundings));
  joined() = {::getpid(), run};
  ::on_exit(leave_run, nullptr);
  return run;
}

}  // namespace

std::shared_ptr<Coordination> this_run() {
  static std::mutex mutex;
  static std::shared_ptr<Coordination> run;
  static bool asked = false;
  const std::lock_guard lock(mutex);
  if (asked) return run;
  run = join_as_found();
  asked = true;
  return run;
}

}  // namespace cluster
}  // namespace systolic::inline v0
