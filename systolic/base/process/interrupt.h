// Ctrl-C, or another request of the system's to end, while something runs that must end in order: a
// fit, or files that are half written.
//
//   const InterruptGuard interrupt;
//   while (more() && !interrupt.requested()) step();
//
// | signal | sent by | caught while a guard lives |
// |---|---|---|
// | SIGINT | Ctrl-C | as Catches says |
// | SIGTERM | kill, preemption of a machine, container or job | unless ignored |
// | SIGHUP | a terminal that is closed | unless ignored, as by nohup |
// | SIGXCPU | the soft limit of processor time (ulimit -St) | where the process would die |
// | SIGUSR1, SIGUSR2 | schedulers such as Slurm, some time before a job's end | where it would die
// | | SIGALRM, SIGVTALRM, SIGPROF | timers, also those set before the program began | where it
// would die | | SIGPWR | a power supply that runs out | where it would die |
//
// Ctrl-\ (SIGQUIT) ends at once, as does what no program can catch, SIGKILL.
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {

// Catches these signals while it lives; the previous handlers are put back when the last guard is
// gone. One signal stops all that is guarded at the time. A second Ctrl-C ends the process at once.
// Any other signal that comes again, or after another, is the same request: launchers such as
// mpirun, Kubernetes and `timeout` send theirs twice, and what is being saved must not be lost by
// it. Threads may have guards of their own.
class InterruptGuard {
 public:
  enum class Catches : uint8_t {
    always,
    unless_ignored,  // where SIGINT is ignored, as in a shell's background jobs, it stays so
    never,           // the program's own handlers stay, and nothing is ever requested
  };
  explicit InterruptGuard(Catches catches = Catches::always);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Whether a signal came since the first of the guards that live now was made.
  bool requested() const;

 private:
  bool catches_, catches_ctrl_c_ = false;
};

// The code of the last request, as shells have it: 128 + the signal's number, 130 for Ctrl-C, 143
// for SIGTERM, 129 for SIGHUP.
int interrupted_exit_code();
// "SIGTERM"; empty for Ctrl-C.
std::string_view interrupted_by();

// As if SIGTERM had come: another process of the run was asked to end, and all end at one step. The
// signal itself may still come to this process; within 10 s it ends nothing, also when the guards
// are gone. One Ctrl-C within that time is the same request, too.
void interrupt_with_others();

// std::exit, once all guards of other threads are gone: nobody computes while static objects go.
// Guards of this thread may live: then a repeated request does not cut the end short.
[[noreturn]] void exit_interrupted();

}  // namespace systolic::inline v0
