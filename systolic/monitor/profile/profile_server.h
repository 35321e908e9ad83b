// Answers `systolic profile PID`: records this process for as long as is asked.
#pragma once

#include <string>
#include <thread>

#include "systolic/monitor/shared_memory/status_folder.h"

namespace systolic::inline v0 {
namespace monitor {

class ProfileServer {
 public:
  // Waits for requests on a thread of its own, which does nothing until one comes. One is answered
  // at a time. Errors of open_status_folder(); Unavailable where no socket can be had.
  // Removes the sockets of processes that are gone.
  explicit ProfileServer(const std::string& folder = default_status_folder());
  // Ends a recording that is under way; removes the socket.
  ~ProfileServer();
  ProfileServer(const ProfileServer&) = delete;
  ProfileServer& operator=(const ProfileServer&) = delete;

 private:
  void run() const;
  void answer(const Descriptor& asker) const;
  // False where the asker is gone, or the server is to end.
  bool wait(const Descriptor& asker, double seconds) const;

  Descriptor folder_, socket_, end_;
  std::string name_;
  std::thread thread_;
};

}  // namespace monitor
}  // namespace systolic::inline v0
