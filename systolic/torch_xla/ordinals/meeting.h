// Where the ordinals of one xmp::spawn, each a thread, come together: at a step, a rendezvous, a
// mesh_reduce. The last one to come acts for all. Internal.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace torch_xla {

class Meeting {
 public:
  // What an ordinal comes with.
  struct Visit {
    std::string what;  // "mark_step", "rendezvous 'init'": the same on all ordinals
    SourceLocation location;
    void* call = nullptr;  // for whoever acts
  };
  // Given the visits by ordinal.
  using Act = std::function<void(std::span<Visit* const>)>;

  explicit Meeting(int ordinals);

  // Waits until all ordinals have come and one has acted. Each throws what the act threw. Ordinals
  // that come to different places, and one that has left, are a FailedPrecondition on all: no one
  // waits for what cannot happen.
  void join(int ordinal, Visit visit, const Act& act);
  // The ordinal has returned, or thrown `failure`: it will not come again.
  void leave(int ordinal, std::exception_ptr failure);

  // What was thrown by the ordinal that left first of those that threw, and which it was; -1: none.
  std::pair<int, std::exception_ptr> first_failure() const;

 private:
  struct Round {
    std::vector<Visit*> visits;  // by ordinal; null: has not come yet
    int come = 0;
    bool done = false;
    std::exception_ptr failed;
  };
  struct Departure {
    bool left = false;
    std::string how;  // "returned", "threw InvalidArgument: ..."
  };
  std::shared_ptr<Round> new_round() const;
  void fail_where_one_left(Round& round);
  static void check_same_place(std::span<Visit* const> visits);

  const int ordinals_;
  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::shared_ptr<Round> round_;  // not all have come
  std::vector<Departure> departures_;
  std::pair<int, std::exception_ptr> first_failure_{-1, nullptr};
};

}  // namespace torch_xla
}  // namespace systolic::inline v0
