#include "systolic/torch/process.h"

#include <mutex>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace torch {
namespace internal {
namespace {

thread_local Process* process_of_thread = nullptr;

// Every parameter that lives.
struct Registry {
  std::mutex mutex;
  std::vector<std::weak_ptr<ParameterState>> parameters;
  size_t swept_at = 64;  // at this many, dead ones are looked for

  void add(const std::shared_ptr<ParameterState>& parameter) {
    const std::lock_guard lock(mutex);
    if (parameters.size() >= swept_at) {
      std::erase_if(parameters, [](const auto& weak) { return weak.expired(); });
      swept_at = 2 * parameters.size() + 64;
    }
    parameters.push_back(parameter);
  }
};

Registry& registry() {
  static Registry instance;
  return instance;
}

Variable variable_from(const ParameterState& state) {
  return Variable(state.host.dtype(), state.host.shape(), [value = state.host] { return value; },
                  {.name = state.options.name, .trainable = state.options.requires_grad});
}

}  // namespace

std::shared_ptr<ParameterState> make_parameter(Literal initial, ParameterOptions options) {
  auto state = std::make_shared<ParameterState>();
  state->options = std::move(options);
  state->host = std::move(initial);
  registry().add(state);
  return state;
}

Process& Process::main() {
  static Process instance(-1);
  return instance;
}

Process& Process::current() { return process_of_thread != nullptr ? *process_of_thread : main(); }

std::unique_ptr<Process> Process::forked(int ordinal) {
  const Process& parent = current();
  std::unique_ptr<Process> child(new Process(ordinal));
  child->training_ = parent.training_;
  child->generator_ = parent.generator_.clone();
  child->device_seed_ = parent.device_seed_;
  child->device_draws_ = parent.device_draws_;
  return child;
}

void Process::write_back() {
  main().autograd_.forget();
  const std::lock_guard lock(registry().mutex);
  for (const auto& weak : registry().parameters) {
    const auto parameter = weak.lock();
    if (!parameter || !parameter->main.variable.valid()) continue;
    parameter->host = parameter->main.variable.literal();
    parameter->main = {};
  }
}

OwnParameter& Process::own(const std::shared_ptr<ParameterState>& parameter) {
  OwnParameter& own = ordinal_ < 0 ? parameter->main : parameters_[parameter];
  if (!own.variable.valid()) own.variable = variable_from(*parameter);
  return own;
}

void Process::seed(uint64_t seed) {
  generator_.manual_seed(seed);
  device_seed_ = seed;
  device_draws_ = 0;
}

systolic::Tensor Process::next_key() {
  // Ordinals draw from sequences of their own.
  const auto stream = static_cast<uint64_t>(ordinal_ + 1) << 48;
  return systolic::Tensor(Literal::of<uint64_t>({device_seed_, stream + (device_draws_++ << 24)}));
}

bool Process::is_training(uint64_t module) const {
  const auto found = training_.find(module);
  return found == training_.end() || found->second;
}

ProcessScope::ProcessScope(Process& process)
    : previous_(std::exchange(process_of_thread, &process)) {}
ProcessScope::~ProcessScope() { process_of_thread = previous_; }

}  // namespace internal

void manual_seed(uint64_t seed) { internal::Process::current().seed(seed); }
Generator& default_generator() { return internal::Process::current().generator(); }

}  // namespace torch
}  // namespace systolic::inline v0
