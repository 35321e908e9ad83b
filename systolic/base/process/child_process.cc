#include "systolic/base/process/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr size_t most_result = size_t{64} << 20, most_log = size_t{64} << 10;
constexpr char returned = 'R', thrown = 'E';

// Each field after its length.
std::string encode(char head, const std::vector<std::string>& fields) {
  std::string out(1, head);
  for (const std::string& field : fields) {
    const uint64_t size = field.size();
    out.append(reinterpret_cast<const char*>(&size), sizeof(size));
    out += field;
  }
  return out;
}

// False where the bytes do not end with a field.
bool decode(std::string_view bytes, std::vector<std::string>& fields) {
  while (!bytes.empty()) {
    uint64_t size = 0;
    if (bytes.size() < sizeof(size)) return false;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    if (bytes.size() < size) return false;
    fields.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return true;
}

template <class... Kinds>
[[noreturn]] void raise_named(const std::string& kind, ErrorReport report) {
  ((kind == Kinds::kind_name ? throw Kinds(report) : void()), ...);
  throw Internal(std::move(report));
}

// What a child threw: kind, what, got, wanted, hint.
[[noreturn]] void raise_again(std::vector<std::string> fields) {
  fields.resize(5);
  raise_named<InvalidArgument, FailedPrecondition, NotFound, PermissionDenied, DataLoss,
              Unavailable, ResourceExhausted, Unimplemented, OutOfRange, DeadlineExceeded,
              Cancelled>(
      fields[0], {.what = fields[1], .got = fields[2], .wanted = fields[3], .hint = fields[4]});
}

std::string outcome_of(const std::function<std::vector<std::string>()>& work) {
  try {
    return encode(returned, work());
  } catch (const Error& error) {
    const ErrorReport& report = error.report();
    return encode(thrown, {error.kind(), report.what, report.got, report.wanted, report.hint});
  } catch (const std::exception& error) {
    return encode(thrown, {"Internal", error.what()});
  }
}

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // nobody reads any more
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      raise<ResourceExhausted>(
          {.what = str("cannot open a pipe to a child process: ", strerror(errno))});
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  std::array<int, 2> ends{-1, -1};
};

[[noreturn]] void be_child(pid_t parent, Pipe& result, Pipe& log,
                           const std::function<std::vector<std::string>()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before it could be asked for
  for (int number : {SIGINT, SIGTERM, SIGABRT, SIGSEGV}) signal(number, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(log.ends[1], STDOUT_FILENO);
  dup2(log.ends[1], STDERR_FILENO);
  write_all(result.ends[1], outcome_of(work));
  _exit(0);  // no destructors: they belong to the process that was forked
}

// Reads what is there; false at the end.
bool read_some(int file, std::string& text, size_t most, bool keep_end) {
  std::array<char, 65536> block;
  const ssize_t count = read(file, block.data(), block.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  text.append(block.data(), static_cast<size_t>(count));
  if (text.size() > most) {
    if (!keep_end) return false;
    text.erase(0, text.size() - most);
  }
  return true;
}

// Until both pipes have ended; false where the deadline comes first.
bool read_both(Pipe& result, Pipe& log, std::string& bytes, std::string& text, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::array<pollfd, 2> files{{{result.ends[0], POLLIN, 0}, {log.ends[0], POLLIN, 0}}};
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    const int count = poll(files.data(), files.size(), static_cast<int>(left.count()));
    if (count < 0 && errno != EINTR) return false;
    if (count <= 0) continue;
    if (files[0].revents != 0 && !read_some(files[0].fd, bytes, most_result, false)) {
      files[0].fd = -1;
    }
    if (files[1].revents != 0 && !read_some(files[1].fd, text, most_log, true)) files[1].fd = -1;
  }
  return true;
}

}  // namespace

ChildResult run_in_child(const std::function<std::vector<std::string>()>& work,
                         double deadline_seconds) {
  Pipe result, log;
  const pid_t parent = getpid(), child = fork();
  if (child < 0) {
    raise<ResourceExhausted>({.what = str("cannot start a child process: ", strerror(errno))});
  }
  if (child == 0) be_child(parent, result, log, work);
  result.close_end(1);
  log.close_end(1);
  ChildResult outcome;
  std::string bytes;
  outcome.timed_out = !read_both(result, log, bytes, outcome.log, deadline_seconds);
  if (outcome.timed_out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (outcome.timed_out) return outcome;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (bytes.empty() || !decode(std::string_view(bytes).substr(1), outcome.fields)) {
    outcome.fields.clear();
    if (outcome.signal == 0 && outcome.status == 0) outcome.status = -1;
    return outcome;
  }
  if (bytes[0] == thrown) raise_again(std::move(outcome.fields));
  return outcome;
}

}  // namespace systolic::inline v0
