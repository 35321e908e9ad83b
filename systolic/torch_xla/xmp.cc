#include "systolic/torch_xla/xmp.h"

#include <atomic>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/distribute/strategy.h"
#include "systolic/torch/process.h"
#include "systolic/torch_xla/ordinals/counters.h"
#include "systolic/torch_xla/ordinals/ordinal.h"
#include "systolic/torch_xla/ordinals/ordinals_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace xmp {
namespace {

using torch::internal::Process;
using torch_xla::Ordinal;

// One spawn at a time: it has all cores.
class SpawnGuard {
 public:
  explicit SpawnGuard(SourceLocation location) {
    if (!running_.exchange(true)) return;
    const bool inside = Ordinal::current() != nullptr;
    raise<FailedPrecondition>({.what = inside ? "spawn inside the function that a spawn runs"
                                              : "spawn while another thread's spawn runs",
                               .wanted = "one at a time: it takes all cores",
                               .location = location});
  }
  ~SpawnGuard() { running_ = false; }
  SpawnGuard(const SpawnGuard&) = delete;
  SpawnGuard& operator=(const SpawnGuard&) = delete;

 private:
  static inline std::atomic<bool> running_{false};
};

// Programs are traced for the ordinals' client while it lives.
class ClientScope {
 public:
  ClientScope() : real_(default_client()) {
    set_default_client(torch_xla::make_ordinals_client(real_, torch_xla::Counters::of_process()));
  }
  ~ClientScope() { set_default_client(real_); }
  ClientScope(const ClientScope&) = delete;
  ClientScope& operator=(const ClientScope&) = delete;

 private:
  const runtime::ClientPtr real_;
};

void check_options(const SpawnOptions& options, SourceLocation location) {
  if (!options.join) {
    raise<Unimplemented>({.what = "spawn with join = false",
                          .hint = "call spawn on a thread of your own",
                          .location = location});
  }
  if (options.start_method == "fork" || options.start_method == "spawn") return;
  raise<InvalidArgument>({.what = str("start_method '", options.start_method, "'"),
                          .wanted = "fork or spawn",
                          .location = location});
}

// Opens a system of this many cores, where that is not the one that is open.
int open_cores(std::optional<int> nprocs, SourceLocation location) {
  const int most = default_client()->kind().cores();
  const int wanted = nprocs.value_or(most);
  if (wanted < 1 || wanted > most) {
    raise<InvalidArgument>({.what = str("spawn with nprocs ", wanted),
                            .wanted = str("1 to ", most, ", or none for all"),
                            .location = location});
  }
  const MirroredStrategy strategy(wanted, location);
  return static_cast<int>(strategy.num_replicas_in_sync());
}

void run_ordinal(const std::function<void(int)>& fn, Ordinal& ordinal, Process& process) {
  const torch_xla::OrdinalScope scope(ordinal);
  const torch::internal::ProcessScope own(process);
  std::exception_ptr failure;
  try {
    fn(ordinal.index);
  } catch (...) {
    failure = std::current_exception();
  }
  process.autograd().forget();  // a tape belongs to its thread
  ordinal.meeting->leave(ordinal.index, failure);
}

[[noreturn]] void rethrow_of(int ordinal, const std::exception_ptr& failure,
                             SourceLocation location) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    error.rethrow_within(str("ordinal ", ordinal), location);
  } catch (const std::exception& error) {
    raise<FunctionFailed>(
        {.what = str("ordinal ", ordinal, ": ", error.what()), .location = location});
  }
}

}  // namespace

void spawn(const std::function<void(int)>& fn, SpawnOptions options, SourceLocation location) {
  const SpawnGuard guard(location);
  check_options(options, location);
  Trace::implicit().flush(location);
  Process::write_back();
  const int count = open_cores(options.nprocs, location);
  const ClientScope client;
  torch_xla::Meeting meeting(count);
  std::vector<Ordinal> ordinals;
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < count; ++i) {
    ordinals.push_back({.index = i, .world_size = count, .meeting = &meeting});
    processes.push_back(Process::forked(i));
  }
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < ordinals.size(); ++i) {
      try {
        threads.emplace_back([&, i] { run_ordinal(fn, ordinals[i], *processes[i]); });
      } catch (...) {  // no thread: the others must not wait for it
        meeting.leave(ordinals[i].index, std::current_exception());
      }
    }
  }
  const auto [ordinal, failure] = meeting.first_failure();
  if (failure != nullptr) rethrow_of(ordinal, failure, location);
}

}  // namespace xmp

namespace torch_xla {

void launch(const std::function<void(int)>& fn, LaunchOptions options, SourceLocation location) {
  xmp::SpawnOptions all{.start_method = options.start_method};
  if (options.debug_single_process) all.nprocs = 1;
  xmp::spawn(fn, all, location);
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
