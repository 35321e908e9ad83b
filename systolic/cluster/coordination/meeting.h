// The coordination service's state, without a network: requests go in with a way to answer them,
// now or later. One thread calls it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "systolic/cluster/coordination/messages.h"

namespace systolic::inline v0 {
namespace cluster {

struct MeetingOptions {
  int count = 1;  // processes
  std::string version = {};
  std::string token = {};
  double lost_seconds = 10;
  uint64_t most_value_bytes = uint64_t{1} << 28;  // of all keys
};

class Meeting {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Answer = std::function<void(const wire::Reply&)>;

  explicit Meeting(MeetingOptions options);

  // Answers now, or later: when what was asked for is there, its wait is over, or the run failed.
  void handle(Time now, const wire::Request& request, Answer answer);
  // The connection of an unanswered request broke.
  void disconnected(Time now, const wire::Request& request);
  // Ends waits that are over, and finds who is silent. To be called some ten times a second.
  void tick(Time now);

  bool failed() const { return !failure_.empty(); }
  // Whether the run has failed and all who can hear it have been told.
  bool all_told() const;
  // Whether nobody is in the run any more.
  bool is_over() const;

 private:
  enum class State { absent, joining, joined, left };
  struct Worker {
    State state = State::absent;
    uint64_t session = 0;
    std::string host;
    Time heard;
    std::string ends_by = {};  // why it is about to end, where it has said so
    bool watches = false;      // has a Watch here, or had one
    bool told = false;         // that the run has failed
  };
  struct Waiting {
    wire::Request request;
    Time until;
    Answer answer;
  };

  void join(Time now, const wire::Request& request, Answer answer);
  void put(const wire::Put& put, const Answer& answer);
  void get(Time now, const wire::Request& request, Answer answer);
  void barrier(Time now, const wire::Request& request, Answer answer);
  void step(Time now, const wire::Request& request, Answer answer);
  void watch(Time now, const wire::Request& request, Answer answer);
  void ready(Time now, const wire::Request& request, Answer answer);
  void agree_on_step();
  void leave(Time now, const wire::Request& request, Answer answer);
  void end_waits(Time now);
  // "worker 2 (host) has left the run"; empty where nobody has.
  std::string left_text() const;
  void notice(const std::string& reason);

  // Why this request is not from who it says; empty where it is.
  std::string refusal(const wire::Request& request) const;
  std::string refusal_to_join(const wire::Request& request) const;
  void wait(Time now, const wire::Request& request, Answer answer);
  // By this process, which need not be told.
  void fail(int process, const std::string& reason);
  void tell_failure(int process, const Answer& answer);
  std::string name(int process) const;
  // Takes the waiting requests that `belongs` says out of the list.
  std::vector<Waiting> take(const std::function<bool(const wire::Request&)>& belongs);
  // Whether every process that has not left has such a request waiting.
  bool all_wait(const std::function<bool(const wire::Request&)>& belongs) const;
  // Which processes this request waits for.
  std::vector<int32_t> missing(const wire::Request& request) const;

  MeetingOptions options_;
  std::vector<Worker> workers_;
  std::map<std::string, std::string> values_;
  uint64_t value_bytes_ = 0;
  std::vector<Waiting> waiting_;
  std::string failure_, notice_;
  int64_t stop_step_ = -1;  // once all have said how far they are
};

}  // namespace cluster
}  // namespace systolic::inline v0
