#include "systolic/cluster/pod/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

constexpr size_t most_line = size_t{1} << 16;

struct Pipe {
  std::array<int, 2> ends = {-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      raise<ResourceExhausted>({.what = str("cannot make a pipe: ", std::strerror(errno)),
                                .hint = "raise the limit of open files (ulimit -n)"});
    }
  }
  ~Pipe() {
    for (int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int take_reader() { return std::exchange(ends[0], -1); }
  void close_writer() { ::close(std::exchange(ends[1], -1)); }
};

// In the child: becomes the program, or says in `failure` why it cannot.
[[noreturn]] void become(char* const* arguments, const Pipe* output, const Pipe* error,
                         const Pipe& failure, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it went before that was said
  if (output != nullptr) ::dup2(output->ends[1], STDOUT_FILENO);
  if (error != nullptr) ::dup2(error->ends[1], STDERR_FILENO);
  ::execvp(arguments[0], arguments);
  const int number = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure.ends[1], &number, sizeof(number));
  ::_exit(127);
}

[[noreturn]] void raise_not_started(const std::string& program, int number) {
  const ErrorReport report{.what = str("cannot start '", program, "': ", std::strerror(number))};
  if (number == EACCES) raise<PermissionDenied>(report);
  raise<NotFound>(report);
}

}  // namespace

void LineCutter::add(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    rest_ += text.substr(0, end);
    if (end == std::string_view::npos) {
      if (rest_.size() >= most_line) this->end();
      return;
    }
    line_(rest_);
    rest_.clear();
    text.remove_prefix(end + 1);
  }
}

void LineCutter::end() {
  if (!rest_.empty()) line_(rest_);
  rest_.clear();
}

Worker::Worker(const Start& start) {
  std::vector<char*> arguments;
  for (const std::string& word : start.command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  Pipe output, error, failure;
  const bool keeps = start.keeps_output;
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) {
    raise<ResourceExhausted>({.what = str("cannot start a process: ", std::strerror(errno)),
                              .hint = "raise the limit of processes (ulimit -u)"});
  }
  if (id_ == 0) {
    for (const auto& [name, value] : start.variables) ::setenv(name.c_str(), value.c_str(), 1);
    become(arguments.data(), keeps ? nullptr : &output, keeps ? nullptr : &error, failure, parent);
  }
  failure.close_writer();
  int number = 0;
  if (::read(failure.ends[0], &number, sizeof(number)) == static_cast<ssize_t>(sizeof(number))) {
    ::waitpid(id_, nullptr, 0);
    id_ = -1;
    raise_not_started(start.command[0], number);
  }
  if (keeps) return;
  output_ = output.take_reader();
  error_ = error.take_reader();
}

Worker::Worker(Worker&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      output_(std::exchange(other.output_, -1)),
      error_(std::exchange(other.error_, -1)),
      code_(other.code_) {}

Worker::~Worker() {
  if (id_ > 0 && !code_) {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  for (int pipe : {output_, error_}) {
    if (pipe >= 0) ::close(pipe);
  }
}

bool Worker::read(int& pipe, LineCutter& lines) {
  std::array<char, 1 << 14> text{};
  const ssize_t size = ::read(pipe, text.data(), text.size());
  if (size < 0 && errno == EINTR) return true;
  if (size > 0) {
    lines.add({text.data(), static_cast<size_t>(size)});
    return true;
  }
  lines.end();
  ::close(std::exchange(pipe, -1));
  return false;
}

void Worker::send(int signal) const {
  if (id_ > 0 && !code_) ::kill(id_, signal);
}

std::optional<int> Worker::poll() {
  if (code_ || id_ <= 0) return code_;
  int status = 0;
  if (::waitpid(id_, &status, WNOHANG) != id_) return std::nullopt;
  code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return code_;
}

}  // namespace cluster
}  // namespace systolic::inline v0
