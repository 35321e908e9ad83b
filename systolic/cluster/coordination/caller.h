// Calls of the coordination service over one connection.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "systolic/cluster/coordination/messages.h"

namespace grpc {
class ClientContext;
}

namespace systolic::inline v0 {
namespace cluster {

// What came of a call: an answer, or why there is none.
struct Called {
  wire::Reply reply;
  bool answered = false;
  std::string fault;  // "connection refused"
};

// May be called by several threads.
class Caller {
 public:
  explicit Caller(const std::string& address);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Waits for the connection; false where there is none after `seconds`. A call that finds none
  // fails at once, and the connection would not be made before the next one: gRPC goes on with it
  // only while somebody waits.
  bool wait_for_connection(double seconds);
  // Waits for the answer for the request's own wait and `grace_seconds` more.
  Called call(const wire::Request& request, double grace_seconds);
  // Ends the calls that wait, and later ones at once.
  void cancel();

 private:
  struct Channel;
  std::unique_ptr<Channel> channel_;
  std::mutex mutex_;
  std::set<grpc::ClientContext*> calls_;
  bool cancelled_ = false;
};

}  // namespace cluster
}  // namespace systolic::inline v0
