// Starts a program several times on this machine, as the processes of one run.
//
//   run_pod({.processes = 4, .command = {"./mnist", "--batch", "256"}}, std::cout, std::cerr);
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace systolic::inline v0 {
namespace cluster {

struct PodOptions {
  int processes = 1;
  std::vector<std::string> command = {};  // the program, found as a shell finds it, and arguments
  // After one has failed the others end by themselves, told by the run; whoever has not after this
  // time gets SIGTERM, and SIGKILL after as long again.
  double grace_seconds = 10;
  // The whole run is started again this many times where it fails.
  int restarts = 0;
  // With fewer processes each time, the one that failed first left out, down to this many; 0: as
  // many as before. The program goes on from its checkpoint with the same global batch.
  int min_processes = 0;
};

// Each gets SYSTOLIC_PROCESS_ID, SYSTOLIC_NUM_PROCESSES, SYSTOLIC_LOCAL_PROCESS_ID,
// SYSTOLIC_LOCAL_PROCESSES, SYSTOLIC_COORDINATOR_ADDRESS (a free port of 127.0.0.1) and
// SYSTOLIC_CLUSTER_TOKEN. Process 0 has this one's standard input and output; lines of the others
// begin with "[2] ". Ctrl-C and SIGTERM go to all, a SIGINT that a program sends as SIGTERM. They
// end with this process, even if it is killed.
//
// The exit code: 0 where all ended with it, else that of the first that did not (128 + the signal
// that ended it), 130 after Ctrl-C. NotFound for a program that there is not.
int run_pod(const PodOptions& options, std::ostream& out, std::ostream& err);

}  // namespace cluster
}  // namespace systolic::inline v0
