// The coordination service on a port: one thread hands requests to a Meeting.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "systolic/cluster/coordination/meeting.h"

namespace systolic::inline v0 {
namespace cluster {

class Server {
 public:
  // Listens on `address`, "host:port"; port 0 takes a free one. Unavailable where it cannot.
  Server(const std::string& address, MeetingOptions options);
  // Ends all calls.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  // Waits until all processes have left or the run failed. False after `seconds`.
  bool wait_until_over(double seconds) const;
  // Waits until all who can hear it have been told that the run has failed. False after `seconds`.
  bool wait_until_told(double seconds) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace cluster
}  // namespace systolic::inline v0
