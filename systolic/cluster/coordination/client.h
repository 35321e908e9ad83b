// A process's end of the coordination service.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "systolic/cluster/coordination.h"
#include "systolic/cluster/coordination/caller.h"
#include "systolic/cluster/coordination/server.h"

namespace systolic::inline v0 {
namespace cluster {

class Client final : public Coordination {
 public:
  // Joins: see cluster::join.
  Client(Place place, JoinOptions options);
  ~Client() override;

  const Place& place() const override { return place_; }
  void put(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key, double seconds) override;
  std::optional<std::string> try_get(const std::string& key) override;
  void barrier(const std::string& name, double seconds) override;
  void agree(const std::string& name, const std::string& value, double seconds) override;
  std::vector<std::string> gather(const std::string& name, const std::string& value,
                                  double seconds) override;
  void give_notice(const std::string& reason) override;
  bool stops_at(int64_t step) override;
  bool leave(double seconds) override;
  void announce_failure(const std::string& reason) override;
  void fail(const std::string& reason) override;
  std::optional<std::string> failure() const override;

 private:
  void join();
  wire::Request join_request() const;
  void wait_until_watched();
  // The answer to a request of this process; raises where the run failed or it was refused.
  wire::Reply call(wire::Request request, double seconds);
  // The answer to all at a barrier; raises where not all came, or brought what they should not.
  wire::Reply meet(const std::string& name, const std::string& value, bool gathers, double seconds);
  // Says only that it ends by an exception; whether it is heard or not, this process goes.
  void leave_as_failed();
  // The thread that hears news.
  void watch();
  bool hear(const wire::Reply& reply);
  void settle_stop_step();
  void lose(const std::string& reason);
  void tell_others() const;
  [[noreturn]] void raise_failure() const;
  std::string who() const;
  std::string missing_text(const wire::Reply& reply) const;

  Place place_;
  JoinOptions options_;
  std::unique_ptr<Server> server_;  // in process 0
  Caller caller_;
  uint64_t session_ = 0;

  mutable std::mutex mutex_;
  std::string failure_;
  std::atomic<bool> noticed_{false};
  std::mutex step_mutex_;  // held while the step is agreed on, so that none begins meanwhile
  std::condition_variable step_agreed_;
  int64_t step_ = 0;        // at which this process is
  int64_t stop_step_ = -1;  // at which all stop
  std::atomic<bool> leaving_{false};
  std::thread watcher_;
};

}  // namespace cluster
}  // namespace systolic::inline v0
