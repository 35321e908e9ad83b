// One process of a pod.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {
namespace cluster {

// Text that comes in pieces, cut into lines. A line of more than 64 KiB goes on in pieces.
class LineCutter {
 public:
  explicit LineCutter(std::function<void(std::string_view)> line) : line_(std::move(line)) {}
  void add(std::string_view text);
  void end();

 private:
  std::function<void(std::string_view)> line_;
  std::string rest_;
};

class Worker {
 public:
  struct Start {
    std::vector<std::string> command;
    std::map<std::string, std::string> variables;  // beside this process's own
    bool keeps_output = false;                     // this process's standard output and error
  };
  // Starts it; NotFound or PermissionDenied where the program does not start.
  explicit Worker(const Start& start);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&&) = delete;
  // Kills it where it still runs.
  ~Worker();

  pid_t id() const { return id_; }
  // Pipes of its standard output and error; -1 at their ends, and where it keeps this process's.
  int output() const { return output_; }
  int error() const { return error_; }
  // Reads what is there; false at the end.
  bool read(int& pipe, LineCutter& lines);
  int& output_pipe() { return output_; }
  int& error_pipe() { return error_; }

  void send(int signal) const;
  // Its exit code, or 128 + the signal that ended it; nothing while it runs.
  std::optional<int> poll();

 private:
  pid_t id_ = -1;
  int output_ = -1, error_ = -1;
  std::optional<int> code_;
};

}  // namespace cluster
}  // namespace systolic::inline v0
