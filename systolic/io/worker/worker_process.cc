#include "systolic/io/worker/worker_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/local_file_system.h"

namespace systolic::inline v0 {
namespace io {
namespace {

namespace wire = worker_wire;

constexpr int least_number = 10;  // above those that the worker knows its files by

[[noreturn]] void raise_no_worker(std::string_view what, int error_number,
                                  SourceLocation location) {
  raise<ResourceExhausted>(
      {.what = str("no process to read a file: ", what, ": ", strerror(error_number)),
       .location = location});
}

// The same open file under a number that the worker's are not.
OpenNumber moved_up(int number) {
  return OpenNumber(::fcntl(number, F_DUPFD_CLOEXEC, least_number));
}

int new_memory_file(bool program) {
#ifdef MFD_EXEC  // Linux 6.3 and newer ask which files may be programs
  const unsigned exec = program ? MFD_EXEC : MFD_NOEXEC_SEAL;
  const int number = ::memfd_create("systolic", MFD_CLOEXEC | exec);
  if (number >= 0 || errno != EINVAL) return number;
#endif
  static_cast<void>(program);
  return ::memfd_create("systolic", MFD_CLOEXEC);
}

// What posix_spawn does in the new process: nothing of the user's signals, and the three files.
class SpawnSettings {
 public:
  SpawnSettings(int socket, int file, int window) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions_, number, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions_, socket, wire::socket_number);
    if (file >= 0) {
      posix_spawn_file_actions_adddup2(&actions_, file, wire::file_number);
    } else {
      posix_spawn_file_actions_addopen(&actions_, wire::file_number, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions_, window, wire::window_number);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  // 0, or what is in the way.
  int spawn(pid_t& process, int program, const std::string& library_folder,
            const WorkerLimits& limits) {
    std::string name = "systolic_worker", memory = str(limits.memory_bytes),
                seconds = str(limits.processor_seconds);
    std::array<char*, 4> arguments = {name.data(), memory.data(), seconds.data(), nullptr};
    std::string libraries = str("LD_LIBRARY_PATH=", library_folder);
    std::array<char*, 2> environment = {library_folder.empty() ? nullptr : libraries.data(),
                                        nullptr};
    return posix_spawn(&process, str("/proc/self/fd/", program).c_str(), &actions_, &attributes_,
                       arguments.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

OpenNumber::~OpenNumber() {
  if (number_ >= 0) ::close(number_);
}
OpenNumber::OpenNumber(OpenNumber&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
OpenNumber& OpenNumber::operator=(OpenNumber&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

OpenNumber file_in_memory(SourceLocation location) {
  const OpenNumber file(new_memory_file(false));
  OpenNumber moved = moved_up(file);
  if (moved < 0) raise_no_worker("no file in memory", errno, location);
  return moved;
}

OpenNumber WorkerProgram::written(SourceLocation location) const {
  if (image_.empty())
    raise<Unimplemented>({.what = absent_.what, .hint = absent_.hint, .location = location});
  const OpenNumber file(new_memory_file(true));
  OpenNumber program = moved_up(file);
  if (program < 0 || !write_all(program, image_.data(), image_.size()))
    raise_no_worker("no memory for its program", errno, location);
  return program;
}

int WorkerProgram::descriptor(SourceLocation location) const {
  const std::lock_guard lock(mutex_);
  if (file_ < 0) file_ = written(location);
  return file_;
}

WorkerProcess::WorkerProcess(const WorkerProgram& program, int file, uint64_t window_bytes,
                             const WorkerLimits& limits, const std::string& path,
                             SourceLocation location)
    : program_(program), path_(path), limits_(limits), window_file_(file_in_memory(location)) {
  limits_.memory_bytes += window_bytes;
  if (::ftruncate(window_file_, static_cast<off_t>(window_bytes)) != 0)
    raise_no_worker("no shared memory", errno, location);
  start(file, location);
  void* memory = ::mmap(nullptr, window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, window_file_, 0);
  const int error = errno;
  if (memory == MAP_FAILED) {
    end();
    raise_no_worker("no shared memory", error, location);
  }
  window_ = {static_cast<char*>(memory), window_bytes};
}

WorkerProcess::~WorkerProcess() {
  end();
  if (!window_.empty()) ::munmap(window_.data(), window_.size());
}

void WorkerProcess::start(int file, SourceLocation location) {
  const int program = program_.descriptor(location);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    raise_no_worker("no socket", errno, location);
  socket_ = OpenNumber(ends[0]);
  const OpenNumber other(ends[1]), socket = moved_up(other), moved_file = moved_up(file);
  if (socket < 0 || (file >= 0 && moved_file < 0))
    raise_no_worker("no open files left", errno, location);
  SpawnSettings settings(socket, moved_file, window_file_);
  const int error = settings.spawn(process_, program, program_.library_folder(), limits_);
  if (error == 0) return;
  process_ = -1;
  if (error != EACCES && error != EPERM && error != ENOENT)
    raise_no_worker("it does not start", error, location);
  raise<Unimplemented>({.what = str("this system does not start the reader of ", program_.format(),
                                    ": ", strerror(error)),
                        .hint = "it is started from memory, by way of /proc: mount that, and let "
                                "vm.memfd_noexec be 0 or 1",
                        .location = location});
}

void WorkerProcess::allow(uint64_t processor_seconds) {
  limits_.processor_seconds += processor_seconds;
  const rlimit limit{limits_.processor_seconds, RLIM_INFINITY};
  if (process_ >= 0) ::prlimit(process_, RLIMIT_CPU, &limit, nullptr);
}

// How it ended, as waitpid says; 0 where somebody else has waited for it.
int WorkerProcess::wait_for_end() {
  int status = 0;
  pid_t waited = 0;
  do {
    waited = ::waitpid(process_, &status, 0);
  } while (waited < 0 && errno == EINTR);
  process_ = -1;
  return waited < 0 ? 0 : status;
}

void WorkerProcess::end() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  wait_for_end();
}

void WorkerProcess::raise_ended(SourceLocation location) {
  if (process_ >= 0) {
    const int status = wait_for_end();
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    how_it_ended_ = by == SIGXCPU ? str("it took more than ", limits_.processor_seconds,
                                        " seconds of processor time")
                    : by != 0     ? str("signal ", by, " (", strsignal(by), ")")
                                  : str("it ended with status ", WEXITSTATUS(status));
  }
  raise<DataLoss>({.what = str("'", path_, "' ended the process that read it: ", how_it_ended_),
                   .hint = "the file is damaged, or made to do harm",
                   .location = location});
}

void WorkerProcess::send(const wire::Message& message, SourceLocation location) {
  ssize_t count = -1;
  while (process_ >= 0 && count < 0) {
    count = ::send(socket_, &message, sizeof(message), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) break;
  }
  if (count != sizeof(message)) raise_ended(location);
}

wire::Message WorkerProcess::receive(SourceLocation location) {
  wire::Message message;
  ssize_t count = -1;
  do {
    count = ::recv(socket_, &message, sizeof(message), 0);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof(message)) raise_ended(location);
  return message;
}

void WorkerProcess::take_piece(const Take& take, std::string_view piece) {
  try {
    take(piece);
  } catch (...) {
    end();  // it would wait for the rest to be taken
    how_it_ended_ = "what it sent was not taken";
    throw;
  }
}

// How many bytes of the file came into the window.
uint64_t WorkerProcess::fetched(const wire::Message& wanted) {
  try {
    return fetch_ ? fetch_(wanted.a, window_.first(std::min<uint64_t>(wanted.b, window_.size())))
                  : 0;
  } catch (...) {
    end();
    how_it_ended_ = "its file could not be read";
    throw;
  }
}

void WorkerProcess::finish(const Take& take, SourceLocation location) {
  for (;;) {
    const wire::Message answer = receive(location);
    if (answer.kind == wire::Kind::done) return;
    if (answer.kind == wire::Kind::fetch) {
      send({.kind = wire::Kind::go_on, .a = fetched(answer)}, location);
      continue;
    }
    const std::string_view piece(window_.data(), std::min<uint64_t>(answer.a, window_.size()));
    if (answer.kind == wire::Kind::damaged) {
      raise<DataLoss>({.what = str("'", path_, "' cannot be read: ", piece), .location = location});
    }
    take_piece(take, piece);
    send({.kind = wire::Kind::go_on}, location);
  }
}

}  // namespace io
}  // namespace systolic::inline v0
