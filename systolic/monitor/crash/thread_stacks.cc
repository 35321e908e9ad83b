#include "systolic/monitor/crash/thread_stacks.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "systolic/monitor/crash/stack_search.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// What getdents64 writes.
struct DirectoryEntry {
  uint64_t inode;
  int64_t next;
  uint16_t size;
  uint8_t kind;
  char name[1];
};

// The thread whose turn it is to answer, and where to.
std::atomic<ThreadStack*> asked{nullptr};
std::atomic<int64_t> asked_thread{0};
std::atomic<bool> answered{false};
bool prepared = false;

int stack_signal() { return SIGRTMAX - 2; }

int64_t this_thread() { return syscall(SYS_gettid); }

void fill(ThreadStack& stack, const void* interrupted) {
  stack.frame_count = backtrace(stack.frames.data(), static_cast<int>(most_frames));
  stack.sure_count = stack.frame_count;
  if (interrupted == nullptr) return;
  const InterruptedPlace place = interrupted_place(interrupted);
  begin_at(stack, place.code);
  find_more_frames(stack, place.stack);
}

// A thread answers once, and stops.
void on_stack_signal(int, siginfo_t*, void* interrupted) {
  if (asked_thread.load() != this_thread()) return;  // somebody else's signal
  if (ThreadStack* stack = asked.load()) {
    fill(*stack, interrupted);
    answered = true;
  }
  for (;;) pause();
}

// "123" -> 123; 0 where it is no number.
int64_t number_of(const char* text) {
  int64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  return number;
}

void append(char*& at, const char* text) {
  while (*text != '\0') *at++ = *text++;
}

void read_name(ThreadStack& stack) {
  std::array<char, 64> path{};
  char* at = path.data();
  append(at, "/proc/self/task/");
  std::array<char, 20> digits{};
  size_t count = 0;
  for (int64_t rest = stack.thread; rest > 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  while (count > 0) *at++ = digits[--count];
  append(at, "/comm");
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t got = read(file, stack.name.data(), stack.name.size() - 1);
  close(file);
  if (got > 0 && stack.name[static_cast<size_t>(got) - 1] == '\n') {
    stack.name[static_cast<size_t>(got) - 1] = '\0';
  }
}

void ask(ThreadStack& stack) {
  asked_thread = stack.thread;
  answered = false;
  asked = &stack;
  if (syscall(SYS_tgkill, getpid(), stack.thread, stack_signal()) == 0) {
    constexpr int turns = 200;  // of a millisecond
    const timespec millisecond{0, 1'000'000};
    for (int i = 0; i < turns && !answered; ++i) nanosleep(&millisecond, nullptr);
  }
  asked = nullptr;
}

template <class Visit>
void each_thread(const Visit& visit) {
  const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(DirectoryEntry) std::array<char, 2048> buffer;
  for (;;) {
    const auto got = syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (got <= 0) break;
    for (int64_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer.data() + at);
      at += entry->size;
      if (const int64_t thread = number_of(entry->name); thread > 0) visit(thread);
    }
  }
  close(folder);
}

}  // namespace

bool prepare_thread_stacks() {
  std::array<void*, 4> frames;
  backtrace(frames.data(), static_cast<int>(frames.size()));  // loads the unwinder
  struct sigaction before = {}, action = {};
  sigaction(stack_signal(), nullptr, &before);
  if (before.sa_sigaction == on_stack_signal) return true;
  if (before.sa_handler != SIG_DFL) return false;
  action.sa_sigaction = on_stack_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  prepared = sigaction(stack_signal(), &action, nullptr) == 0;
  return prepared;
}

void own_stack(ThreadStacks& stacks, const void* interrupted) {
  ThreadStack& own = stacks.list[0];
  own.thread = this_thread();
  read_name(own);
  fill(own, interrupted);
  stacks.count = 1;
  stacks.all = 0;
  each_thread([&](int64_t) { ++stacks.all; });
}

void all_stacks_for_ever(ThreadStacks& stacks, const void* interrupted) {
  own_stack(stacks, interrupted);
  if (!prepared) return;
  const int64_t own = this_thread();
  each_thread([&](int64_t thread) {
    if (thread == own || stacks.count == static_cast<int32_t>(most_stack_threads)) return;
    ThreadStack& stack = stacks.list[static_cast<size_t>(stacks.count++)];
    stack.thread = thread;
    read_name(stack);
    ask(stack);
  });
}

}  // namespace monitor
}  // namespace systolic::inline v0
