// The connection to a served device: commands go out in order, answers come to whoever waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "systolic/remote/remote_client.h"
#include "systolic/remote/wire/convert.h"

namespace systolic::inline v0 {
namespace remote {

// May be used by several threads. Every call raises Unavailable once the connection is lost.
class Link {
 public:
  // Connects and opens the session: what the server said of its device is in opened().
  Link(const std::string& address, const RemoteOptions& options);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const wire::Opened& opened() const { return opened_; }
  // A number that names a new array or program.
  uint64_t new_number() { return next_number_++; }

  // Without an answer: a fault shows where what the command makes is used.
  void send(const wire::Command& command);
  // Waits for the answer; a fault is thrown.
  wire::Event call(wire::Command& command);
  // An array that comes in pieces.
  Literal download(uint64_t buffer, int core);
  void upload(uint64_t buffer, const Literal& literal, const runtime::Placement& placement);
  // The server may forget it. Never throws: a lost server has forgotten all.
  void free_buffer(uint64_t buffer) noexcept;
  void free_program(uint64_t program) noexcept;

 private:
  struct Stream;
  struct Waiting {
    wire::Event event;
    ir::Type type;
    std::string data;
    bool done = false;
  };

  void read_events();
  void take(wire::Event& event);
  // The finished wait for the answer to `command`.
  Waiting answer(wire::Command& command);
  [[noreturn]] void raise_lost() const;

  std::string address_;
  std::unique_ptr<Stream> stream_;
  wire::Opened opened_;
  std::atomic<uint64_t> next_number_{1};
  std::mutex write_mutex_;
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  uint64_t next_call_ = 1;
  std::map<uint64_t, Waiting> waiting_;
  bool is_lost_ = false;
  std::string why_lost_;
  std::thread reader_;
};

}  // namespace remote
}  // namespace systolic::inline v0
