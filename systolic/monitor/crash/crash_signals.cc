#include "systolic/monitor/crash/crash_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>

#include "systolic/monitor/crash/build_ids.h"
#include "systolic/monitor/crash/hide_secrets.h"
#include "systolic/monitor/crash/write_record.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr std::array<int, 7> deadly_signals{SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
                                            SIGSYS,  SIGABRT, SIGQUIT};
constexpr unsigned most_seconds = 10;  // for the handler, which the crash may have left without
                                       // what it needs

struct Registered {
  std::atomic<CrashRecord*> record{nullptr};
  std::atomic<int> file{-1};
  std::atomic<const char*> path{nullptr};
};
std::array<Registered, 8> registered_records;

std::atomic<int64_t> dying_thread{0};
std::terminate_handler terminate_before = nullptr;
// Tells of the exception that nobody caught; written before std::terminate goes on.
FixedText<1500> uncaught;
std::atomic<bool> is_terminating{false};

void say(const char* text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

// The other process may be gone by now.
void read_program_name(int64_t process, FixedText<16>& name) {
  std::array<char, 40> path{};
  std::string_view rest = "/proc/";
  size_t used = rest.copy(path.data(), rest.size());
  std::array<char, 20> digits{};
  size_t count = 0;
  for (int64_t left = process; left > 0; left /= 10) {
    digits[count++] = static_cast<char>('0' + left % 10);
  }
  while (count > 0) path[used++] = digits[--count];
  rest = "/comm";
  rest.copy(path.data() + used, rest.size());
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 16> text{};
  const ssize_t got = read(file, text.data(), text.size());
  close(file);
  const std::string_view whole(text.data(), got > 0 ? static_cast<size_t>(got) : 0);
  name = whole.substr(0, whole.find('\n'));
}

void complete(CrashRecord& record, int number, const siginfo_t& info) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  record.time = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  record.signal = number;
  record.cause = CrashCause::signal;
  if (is_terminating) {
    record.cause = CrashCause::terminate;
    record.error = uncaught;
  }
  record.signal_code = info.si_code;
  const bool sent = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
  if (sent) {
    record.by_process = info.si_pid == 0 ? -1 : info.si_pid;  // 0: of another container
    record.by_user = info.si_uid;
    read_program_name(info.si_pid, record.by_program);
  } else if (number == SIGSEGV || number == SIGBUS) {
    record.address = reinterpret_cast<uintptr_t>(info.si_addr);
  }
}

// The first record gets the stacks; the threads answer once.
void write_records(int number, const siginfo_t& info, const void* interrupted) {
  const ThreadStacks* stacks = nullptr;
  for (Registered& one : registered_records) {
    CrashRecord* record = one.record.load();
    if (record == nullptr || record->process != getpid()) continue;  // a forked process's parent's
    complete(*record, number, info);
    if (stacks == nullptr) {
      all_stacks_for_ever(record->stacks, interrupted);
      stacks = &record->stacks;
    } else {
      record->stacks = *stacks;
    }
    const bool written = write_record(one.file.load(), *record);
    if (const char* path = one.path.load()) {
      say("The run died. What is known of it: systolic doctor ");
      say(path);
      say(written ? "\n" : " (not all of it could be written: the disk is full)\n");
    }
  }
}

void on_deadly_signal(int number, siginfo_t* info, void* interrupted) {
  const int64_t thread = syscall(SYS_gettid);
  int64_t nobody = 0;
  const bool first = dying_thread.compare_exchange_strong(nobody, thread);
  if (!first && nobody != thread) {
    for (;;) pause();  // another one ends the process
  }
  signal(SIGALRM, SIG_DFL);
  alarm(most_seconds);
  if (first) write_records(number, *info, interrupted);
  alarm(0);
  signal(number, SIG_DFL);
  ::raise(number);  // when the handler returns
}

void catch_deadly(int number) {
  struct sigaction before = {}, action = {};
  sigaction(number, nullptr, &before);
  if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) return;
  action.sa_sigaction = on_deadly_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

// Not in a signal handler: it may allocate. Ends in SIGABRT.
void on_terminate() {
  try {
    if (std::current_exception()) throw;
    uncaught = "std::terminate was called";
  } catch (const std::exception& error) {
    uncaught = hide_secrets(error.what());
  } catch (...) {
    uncaught = "an exception of an unknown type";
  }
  is_terminating = true;
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

class HandlerStack {
 public:
  HandlerStack() = default;
  ~HandlerStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

  // Unless the thread has one.
  void give() {
    stack_t before{};
    if (sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
    constexpr size_t bytes = size_t{128} << 10;
    memory_ = std::make_unique<char[]>(bytes);
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = bytes;
    sigaltstack(&stack, nullptr);
  }

 private:
  std::unique_ptr<char[]> memory_;
};

}  // namespace

void catch_crashes() {
  static std::once_flag once;
  std::call_once(once, [] {
    prepare_thread_stacks();
    terminate_before = std::set_terminate(on_terminate);
    for (const int number : deadly_signals) catch_deadly(number);
  });
}

void give_handlers_a_stack() {
  static thread_local HandlerStack own;
  own.give();
}

void register_record(CrashRecord& record, int file, const char* path) {
  note_build_ids();
  for (Registered& one : registered_records) {
    CrashRecord* none = nullptr;
    one.file = -1;
    if (!one.record.compare_exchange_strong(none, &record)) continue;
    one.file = file;
    one.path = path;
    return;
  }
}

void release_record(const CrashRecord& record) {
  for (Registered& one : registered_records) {
    if (one.record.load() == &record) one.record = nullptr;
  }
}

}  // namespace monitor
}  // namespace systolic::inline v0
