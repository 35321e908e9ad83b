#include "systolic/cluster/pod/run_pod.h"

#include <poll.h>
#include <signal.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/cluster/free_port.h"
#include "systolic/cluster/pod/worker.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

constexpr int last_exit_code = 128;  // larger ones stand for signals, as in a shell

// At once: process 0 writes to the same place by itself, and standard error keeps nothing back.
void write_line(std::ostream& to, std::string line) {
  line += '\n';
  to << line << std::flush;
}

using Clock = std::chrono::steady_clock;

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    raise<Unavailable>({.what = "the system gives no random bytes"});
  }
  std::string token;
  for (unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

// Signals that are meant for all, noted by the handler.
std::atomic<int> last_signal{0};
std::atomic<bool> reached_all{false};
void note_signal(int signal, siginfo_t* info, void*) {
  // A terminal's Ctrl-C, which comes from the kernel, goes to all processes of its group.
  reached_all = signal == SIGINT && info->si_code > 0;
  last_signal = signal;
}

class SignalNotes {
 public:
  SignalNotes() {
    last_signal = 0;
    struct sigaction action = {};
    action.sa_sigaction = note_signal;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &action, &previous_[i]);
  }
  ~SignalNotes() {
    for (size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &previous_[i], nullptr);
  }
  SignalNotes(const SignalNotes&) = delete;
  SignalNotes& operator=(const SignalNotes&) = delete;

 private:
  static constexpr std::array numbers = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, numbers.size()> previous_ = {};
};

class Pod {
 public:
  Pod(const PodOptions& options, int processes, std::ostream& out, std::ostream& err)
      : options_(options), processes_(processes), out_(out), err_(err) {}

  // The exit code of one run.
  int run() {
    start();
    while (!over()) {
      forward_signal();
      read_output();
      look_for_ends();
      hasten();
    }
    return signal_ != 0 ? 128 + signal_ : code_;
  }
  bool was_stopped() const { return signal_ != 0; }

 private:
  void start() {
    const std::string coordinator = str("127.0.0.1:", find_free_port());
    const std::string token = random_token();
    for (int i = 0; i < processes_; ++i) {
      const std::string index = std::to_string(i), count = std::to_string(processes_);
      workers_.emplace_back(
          Worker::Start{.command = options_.command,
                        .variables = {{"SYSTOLIC_PROCESS_ID", index},
                                      {"SYSTOLIC_NUM_PROCESSES", count},
                                      {"SYSTOLIC_LOCAL_PROCESS_ID", index},
                                      {"SYSTOLIC_LOCAL_PROCESSES", count},
                                      {"SYSTOLIC_COORDINATOR_ADDRESS", coordinator},
                                      {"SYSTOLIC_CLUSTER_TOKEN", token}},
                        .keeps_output = i == 0});
      const auto labeled = [i](std::ostream& to) {
        return LineCutter(
            [&to, i](std::string_view line) { write_line(to, str("[", i, "] ", line)); });
      };
      output_.push_back(labeled(out_));
      error_.push_back(labeled(err_));
    }
  }

  bool over() const {
    return ended_ == workers_.size() &&
           std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) {
             return worker.output() < 0 && worker.error() < 0;
           });
  }

  // A SIGINT that some program sent to this process alone is passed on as SIGTERM: where it did go
  // to all, that ends nobody at once, as a second SIGINT would.
  void forward_signal() {
    const int signal = last_signal.exchange(0);
    if (signal == 0) return;
    signal_ = signal;
    if (!reached_all) send_all(signal == SIGINT ? SIGTERM : signal);
  }

  void send_all(int signal) const {
    for (const Worker& worker : workers_) worker.send(signal);
  }

  void read_output() {
    std::vector<pollfd> pipes;
    for (const Worker& worker : workers_) {
      pipes.push_back({worker.output(), POLLIN, 0});
      pipes.push_back({worker.error(), POLLIN, 0});
    }
    constexpr int milliseconds = 50;
    if (::poll(pipes.data(), pipes.size(), milliseconds) <= 0) return;
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (pipes[2 * i].revents != 0) workers_[i].read(workers_[i].output_pipe(), output_[i]);
      if (pipes[2 * i + 1].revents != 0) workers_[i].read(workers_[i].error_pipe(), error_[i]);
    }
  }

  void look_for_ends() {
    ended_ = 0;
    size_t culprit = 0;
    int code = 0;
    for (size_t i = 0; i < workers_.size(); ++i) {
      const std::optional<int> ended = workers_[i].poll();
      if (!ended) continue;
      ++ended_;
      // Where several have failed since the last look, a signal ended the first, or a code of its
      // own: the others say themselves that they miss it, and end with 1.
      if (code <= last_exit_code && *ended > code) {
        culprit = i;
        code = *ended;
      }
    }
    if (code == 0 || code_ != 0) return;
    constexpr double most_seconds = 2;  // that another one is waited for
    if (first_code_ == 0) {
      first_code_ = code;
      culprit_ = culprit;
      failed_at_ = Clock::now();
    }
    if (code > first_code_) {
      first_code_ = code;
      culprit_ = culprit;
    }
    if (first_code_ > last_exit_code || ended_ == workers_.size() ||
        since_failure() > most_seconds) {
      say_who_failed();
    }
  }

  double since_failure() const {
    return std::chrono::duration<double>(Clock::now() - failed_at_).count();
  }

  // A process breaks its connections some time before it has ended: others, which end by that, may
  // be seen first, so that the others are waited for.
  void say_who_failed() {
    code_ = first_code_;
    if (signal_ != 0) return;
    write_line(err_,
               str("worker ", culprit_,
                   code_ > last_exit_code ? str(" was ended by signal ", code_ - last_exit_code)
                                          : str(" ended with exit code ", code_)));
  }

  // Those that do not end by themselves after one has failed.
  void hasten() {
    if (code_ == 0 || ended_ == workers_.size()) return;
    const double since = since_failure();
    const int wanted = since > 2 * options_.grace_seconds ? SIGKILL
                       : since > options_.grace_seconds   ? SIGTERM
                                                          : 0;
    if (wanted == 0 || wanted == sent_) return;
    sent_ = wanted;
    send_all(wanted);
  }

  const PodOptions& options_;
  const int processes_;
  std::ostream &out_, &err_;
  std::vector<Worker> workers_;
  std::vector<LineCutter> output_, error_;
  size_t ended_ = 0;
  int code_ = 0, signal_ = 0, sent_ = 0;
  int first_code_ = 0;  // of the process that was seen to fail first
  size_t culprit_ = 0;
  Clock::time_point failed_at_;
};

void check_pod(const PodOptions& options) {
  constexpr int most = 1024;
  if (options.processes < 1 || options.processes > most) {
    raise<InvalidArgument>(
        {.what = str("a run of ", options.processes, " processes"), .wanted = str("1 to ", most)});
  }
  if (options.min_processes < 0 || options.min_processes > options.processes) {
    raise<InvalidArgument>({.what = str("at least ", options.min_processes, " processes (--min)"),
                            .wanted = str("1 to ", options.processes, ", or 0")});
  }
  if (options.command.empty()) raise<InvalidArgument>({.what = "no program to start"});
}

// "all 3 processes" or "3 of 4 processes".
std::string count_text(int processes, int of_all) {
  return processes == of_all ? str("all ", of_all, " processes")
                             : str(processes, " of ", of_all, " processes");
}

}  // namespace

int run_pod(const PodOptions& options, std::ostream& out, std::ostream& err) {
  check_pod(options);
  const SignalNotes notes;
  int processes = options.processes;
  for (int turn = 0;; ++turn) {
    Pod pod(options, processes, out, err);
    const int code = pod.run();
    if (code == 0 || pod.was_stopped() || turn == options.restarts) return code;
    if (options.min_processes > 0) processes = std::max(processes - 1, options.min_processes);
    write_line(err, str("starting ", count_text(processes, options.processes), " again (", turn + 1,
                        " of ", options.restarts, ")"));
  }
}

}  // namespace cluster
}  // namespace systolic::inline v0
