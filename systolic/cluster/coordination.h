// What the processes of one run agree through: keys and values, barriers, who is alive, and the
// step at which all stop. The service lives in process 0; the others are told its address.
//
//   const auto run = cluster::join(cluster::find_place());
//   if (run->place().processes.index == 0) run->put("id", make_id());
//   const std::string id = run->get("id", 60);
//   run->barrier("data is there", 600);
//
// Every wait has a deadline and names who is missing. A process that dies, hangs or is cut off
// fails the run: every call of the others then raises Unavailable that names it, and `on_failure`
// is told within seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/cluster/place/place.h"

namespace systolic::inline v0 {
namespace cluster {

struct JoinOptions {
  double join_seconds = 300;  // until all processes have joined
  double lost_seconds = 10;   // without a sign of life: that process is lost
  double leave_seconds = 60;  // that a process which is done waits for the others
  std::string token = {};     // a secret that all processes share; others are refused
  // Called once, on a thread of its own, when the run fails. By default the error is printed and
  // the process ends with exit code 1, since it may stand in a sum that will never end.
  std::function<void(const Error&)> on_failure = {};
};

// May be called by several threads.
class Coordination {
 public:
  // Leaves the run, as leave() does; as a failure where an exception is on its way.
  virtual ~Coordination() = default;
  virtual const Place& place() const = 0;

  // A key is written once; InvalidArgument for a second time. Values of at most 16 MiB, of all keys
  // 256 MiB: ResourceExhausted beyond.
  virtual void put(const std::string& key, const std::string& value) = 0;
  // Waits for the key; DeadlineExceeded names it.
  virtual std::string get(const std::string& key, double seconds) = 0;
  virtual std::optional<std::string> try_get(const std::string& key) = 0;

  // Waits until all processes have called with this name; DeadlineExceeded names the missing. A
  // name may be used again once all have passed.
  virtual void barrier(const std::string& name, double seconds) = 0;
  // A barrier at which all must bring the same value: FailedPrecondition names the first process
  // whose value is not process 0's, with both.
  virtual void agree(const std::string& name, const std::string& value, double seconds) = 0;
  // A barrier at which each learns what all bring, by process index: together at most 16 MiB.
  virtual std::vector<std::string> gather(const std::string& name, const std::string& value,
                                          double seconds) = 0;

  // This process is about to be taken away: all shall stop at one step.
  virtual void give_notice(const std::string& reason) = 0;
  // Called by each process before each step, counted from 0: whether all stop here. Cheap until
  // somebody gave notice. Then it waits until all have said where they are, and the answer is true
  // from the step after the last of these.
  virtual bool stops_at(int64_t step) = 0;

  // This process is done: whatever becomes of it now fails nobody. Waits until all others are done,
  // too, so that its connections last while they still read from them and process 0 still saves; at
  // most `seconds`, and no longer once the run has failed. False where some were not done, who are
  // named by a warning. A second call returns at once.
  virtual bool leave(double seconds) = 0;

  // This process is about to end, by a failure of its own: once it is gone, and no sooner, the run
  // fails for this reason. So whoever looks at exit codes sees this process's first.
  virtual void announce_failure(const std::string& reason) = 0;

  // The run cannot go on: the others are told this reason. This process has left it, then.
  virtual void fail(const std::string& reason) = 0;
  // What failed the run, if it did.
  virtual std::optional<std::string> failure() const = 0;
};

// Joins the run, and starts the service in process 0. DeadlineExceeded names who has not joined:
// "host 0 of 4: workers 2 (10.0.0.3) and 3 (10.0.0.4) have not joined after 300 s".
// InvalidArgument where two processes have one index, or other counts or versions;
// PermissionDenied for another token; Unimplemented in a build without gRPC.
std::unique_ptr<Coordination> join(const Place& place, JoinOptions options = {});

}  // namespace cluster
}  // namespace systolic::inline v0
