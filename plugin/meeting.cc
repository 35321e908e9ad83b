#include "plugin/meeting.h"

#include "plugin/event.h"
#include "plugin/serve.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {

Meeting::Meeting(size_t devices, std::chrono::seconds longest)
    : devices_(devices), longest_(longest), next_(new_round()) {}

std::shared_ptr<Meeting::Round> Meeting::new_round() const {
  auto round = std::make_shared<Round>();
  round->calls.resize(devices_);
  return round;
}

void Meeting::run_all(Round& round, const RunAll& run) const {
  std::vector<abi::Buffer* const*> arguments;
  std::vector<abi::Buffer**> results;
  for (const auto* call : round.calls) {
    arguments.push_back(call->arguments[0]);
    results.push_back(call->results[0]);
  }
  abi::LoadedExecutableExecuteArgs all = *round.calls[0];
  all.arguments = arguments.data();
  all.results = results.data();
  all.device_count = devices_;
  all.complete = nullptr;
  all.device = nullptr;
  for (const auto* call : round.calls) {
    if (call->argument_count == all.argument_count) continue;
    raise<InvalidArgument>({.what = "devices that run one program with different arguments",
                            .got = str(call->argument_count, " arguments"),
                            .wanted = str(all.argument_count, " as on the first device")});
  }
  run(all);
}

void Meeting::leave(Round& round, size_t index) const {
  round.calls[index] = nullptr;
  --round.come;
  raise<DeadlineExceeded>(
      {.what = str("device ", index, " waited ", longest_.count(), " seconds for the other ",
                   devices_ - 1, ", with which the program exchanges values"),
       .got = str(round.come + 1, " of ", devices_, " devices"),
       .wanted = "a run on each, from a thread of its own",
       .hint = "torch_xla.launch() starts such threads; a program with a constant that differs "
               "between cores is not one program; XLA_THREAD_POOL_SIZE must not be less than the "
               "number of devices; SYSTOLIC_WAIT_SECONDS says how long to wait"});
}

void Meeting::join(size_t index, abi::LoadedExecutableExecuteArgs& args, const RunAll& run) {
  std::unique_lock lock(mutex_);
  const auto deadline = std::chrono::steady_clock::now() + longest_;
  // Two threads for one device take turns.
  const auto is_free = [&] { return next_->calls[index] == nullptr; };
  if (!changed_.wait_until(lock, deadline, is_free)) {
    raise<DeadlineExceeded>({.what = str("device ", index, " waits in another thread already")});
  }
  const std::shared_ptr<Round> round = next_;
  round->calls[index] = &args;
  ++round->come;
  if (round->come == devices_) {
    next_ = new_round();
    lock.unlock();
    try {
      run_all(*round, run);
    } catch (...) {
      round->failed = std::current_exception();
    }
    lock.lock();
    round->done = true;
    changed_.notify_all();
  } else if (!changed_.wait_until(lock, deadline, [&] { return round->done; })) {
    // Once all have come, the run uses this call's memory.
    if (round->come < devices_) {
      changed_.notify_all();
      leave(*round, index);
    }
    changed_.wait(lock, [&] { return round->done; });
  }
  if (round->failed != nullptr) std::rethrow_exception(round->failed);
  if (args.complete != nullptr) args.complete[0] = happened();
}

}  // namespace plugin
}  // namespace systolic::inline v0
