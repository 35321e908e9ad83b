#include "systolic/torch_xla/ordinals/ordinals_client.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/core/put_together.h"
#include "systolic/torch_xla/ordinals/first_difference.h"
#include "systolic/torch_xla/ordinals/ordinal.h"
#include "systolic/torch_xla/ordinals/ordinal_buffer.h"

namespace systolic::inline v0 {
namespace torch_xla {
namespace {

using runtime::BufferPtr;
using runtime::Placement;

bool has_collective(const ir::Module& module) {
  bool found = false;
  ir::for_each_op(module.main().body, [&](const ir::Op& op) {
    switch (op.code) {
      case ir::OpCode::all_reduce:
      case ir::OpCode::all_gather:
      case ir::OpCode::all_to_all:
      case ir::OpCode::reduce_scatter:
      case ir::OpCode::collective_permute:
      case ir::OpCode::collective_broadcast:
      case ir::OpCode::replica_id:
        found = true;
        break;
      default:
        break;
    }
  });
  return found;
}

// One program on one core or on all.
class OrdinalsExecutable final : public runtime::Executable {
 public:
  OrdinalsExecutable(runtime::ClientPtr real, ir::Module module, runtime::CompileOptions options,
                     Counters& counters)
      : real_(std::move(real)),
        module_(std::move(module)),
        options_(std::move(options)),
        counters_(counters),
        exchanges_(has_collective(module_)) {}

  std::vector<BufferPtr> execute(std::vector<BufferPtr>&& arguments,
                                 const runtime::ExecuteOptions& options) override;

  runtime::MemoryStats memory() const override {
    const std::lock_guard lock(mutex_);
    return last_ ? last_->memory() : runtime::MemoryStats{};
  }
  runtime::CostStats cost() const override {
    const std::lock_guard lock(mutex_);
    return last_ ? last_->cost() : runtime::CostStats{};
  }
  // Compiled at the first run, when it is known what is the same on all cores.
  double compile_ms() const override {
    const std::lock_guard lock(mutex_);
    return last_ ? last_->compile_ms() : 0;
  }

  const ir::Module& module() const { return module_; }
  // On all cores; the arguments' and the results' first index is the ordinal.
  std::vector<std::vector<BufferPtr>> run_on_all(
      const std::vector<std::vector<BufferPtr>*>& arguments,
      const runtime::ExecuteOptions& options);

 private:
  std::vector<BufferPtr> run_alone(int ordinal, const std::vector<BufferPtr>& arguments,
                                   const runtime::ExecuteOptions& options);
  runtime::ExecutablePtr compiled(int64_t cores, const std::vector<bool>& uniform);
  BufferPtr combined(const std::vector<std::vector<BufferPtr>*>& arguments, size_t position);
  BufferPtr to_device(const Literal& literal, const Placement& placement);

  const runtime::ClientPtr real_;
  const ir::Module module_;
  const runtime::CompileOptions options_;
  Counters& counters_;
  const bool exchanges_;

  mutable std::mutex mutex_;  // of the two below
  std::map<std::pair<int64_t, std::vector<bool>>, runtime::ExecutablePtr> by_placement_;
  runtime::ExecutablePtr last_;
};

// What an ordinal comes to a step with; no program: it has nothing to run.
struct StepCall {
  OrdinalsExecutable* program = nullptr;
  std::vector<BufferPtr>* arguments = nullptr;
  const runtime::ExecuteOptions* options = nullptr;
  std::vector<BufferPtr> results;
};

[[noreturn]] void raise_apart(const std::string& text, SourceLocation location) {
  raise<FailedPrecondition>(
      {.what = str("the ordinals' programs of one step differ: ", text),
       .wanted = "the same ops on every ordinal: they run together, as one program",
       .hint = "batches of one shape (drop_last), and no branch on the ordinal or on a value that "
               "was read: print by xm::add_step_closure, after the step",
       .location = location});
}

void check_equal(const std::vector<StepCall*>& calls) {
  const OrdinalsExecutable* first = calls[0]->program;
  for (size_t i = 1; i < calls.size(); ++i) {
    const OrdinalsExecutable* other = calls[i]->program;
    if (other == first) continue;
    const ir::Module nothing{.functions = {ir::Function{}}};
    const ir::Module& a = first == nullptr ? nothing : first->module();
    const ir::Module& b = other == nullptr ? nothing : other->module();
    const auto difference = first_difference(a, 0, b, static_cast<int>(i));
    if (difference) raise_apart(difference->text, difference->location);
  }
}

void act_for_all(std::span<Meeting::Visit* const> visits) {
  std::vector<StepCall*> calls;
  std::vector<std::vector<BufferPtr>*> arguments;
  for (const Meeting::Visit* visit : visits) {
    calls.push_back(static_cast<StepCall*>(visit->call));
    arguments.push_back(calls.back()->arguments);
  }
  check_equal(calls);
  if (calls[0]->program == nullptr) return;
  auto results = calls[0]->program->run_on_all(arguments, *calls[0]->options);
  for (size_t i = 0; i < calls.size(); ++i) calls[i]->results = std::move(results[i]);
}

std::vector<BufferPtr> OrdinalsExecutable::execute(std::vector<BufferPtr>&& arguments,
                                                   const runtime::ExecuteOptions& options) {
  Ordinal* ordinal = Ordinal::current();
  ensure(ordinal != nullptr, "a program of an ordinal runs on its thread");
  if (!ordinal->in_step && !exchanges_) return run_alone(ordinal->index, arguments, options);
  StepCall call{.program = this, .arguments = &arguments, .options = &options, .results = {}};
  ordinal->meeting->join(ordinal->index,
                         {.what = ordinal->step_name, .location = ordinal->step_at, .call = &call},
                         act_for_all);
  return std::move(call.results);
}

BufferPtr OrdinalsExecutable::to_device(const Literal& literal, const Placement& placement) {
  counters_.add_bytes("TransferToDevice", static_cast<double>(literal.byte_size()));
  return real_->from_host(literal, placement);
}

std::vector<BufferPtr> OrdinalsExecutable::run_alone(int ordinal,
                                                     const std::vector<BufferPtr>& arguments,
                                                     const runtime::ExecuteOptions& options) {
  counters_.count("xla::RunAlone");
  std::vector<BufferPtr> real;
  for (const BufferPtr& argument : arguments) {
    const auto* own = dynamic_cast<const OrdinalBuffer*>(argument.get());
    const bool lies_there =
        own != nullptr && own->real() && own->real()->placement().kind != Placement::Kind::per_core;
    if (own == nullptr || lies_there) {
      real.push_back(own == nullptr ? argument : own->real());
    } else {
      real.push_back(to_device(own->to_literal(), {}));
    }
  }
  std::vector<BufferPtr> results;
  for (BufferPtr& result : compiled(1, {})->execute(std::move(real), options))
    results.push_back(std::make_shared<OrdinalBuffer>(ordinal, std::move(result)));
  return results;
}

runtime::ExecutablePtr OrdinalsExecutable::compiled(int64_t cores,
                                                    const std::vector<bool>& uniform) {
  const std::lock_guard lock(mutex_);
  runtime::ExecutablePtr& known = by_placement_[{cores, uniform}];
  if (known == nullptr) {
    ir::Module module = module_;
    module.num_replicas = cores;
    for (size_t i = 0; i < uniform.size(); ++i) module.main().arguments[i].uniform = uniform[i];
    const Stopwatch watch;
    known = real_->compile(module, options_);
    counters_.add_time("CompileTime", watch.seconds());
    counters_.count("UncachedCompile");
  } else {
    counters_.count("CachedCompile");
  }
  last_ = known;
  return known;
}

// The argument of all ordinals as one buffer; each ordinal's then lies in it.
BufferPtr OrdinalsExecutable::combined(const std::vector<std::vector<BufferPtr>*>& arguments,
                                       size_t position) {
  std::vector<OrdinalBuffer*> own;
  for (const auto* of_one : arguments) {
    auto* buffer = dynamic_cast<OrdinalBuffer*>((*of_one)[position].get());
    if (buffer == nullptr) break;  // made before the spawn: the same on all
    own.push_back(buffer);
  }
  if (own.size() < arguments.size()) return (*arguments[0])[position];
  const BufferPtr first = own[0]->real();
  const auto lies_in_first = [&](const OrdinalBuffer* one) { return one->real() == first; };
  if (first && std::all_of(own.begin(), own.end(), lies_in_first)) return first;

  std::vector<Literal> parts;
  for (const OrdinalBuffer* one : own) parts.push_back(one->to_literal());
  const auto is_first = [&](const Literal& part) {
    return part.raw() == parts[0].raw() || part == parts[0];
  };
  BufferPtr real;
  if (std::all_of(parts.begin(), parts.end(), is_first)) {
    real = to_device(parts[0], {});
  } else {
    real = to_device(stacked(parts), {.kind = Placement::Kind::per_core});
  }
  for (OrdinalBuffer* one : own) one->lies_in(real);
  return real;
}

std::vector<std::vector<BufferPtr>> OrdinalsExecutable::run_on_all(
    const std::vector<std::vector<BufferPtr>*>& arguments, const runtime::ExecuteOptions& options) {
  const size_t count = arguments[0]->size();
  std::vector<BufferPtr> real;
  std::vector<bool> uniform;
  for (size_t i = 0; i < count; ++i) {
    real.push_back(combined(arguments, i));
    uniform.push_back(real.back()->placement().kind != Placement::Kind::per_core);
  }
  const Stopwatch watch;
  const std::vector<BufferPtr> all =
      compiled(static_cast<int64_t>(arguments.size()), uniform)->execute(std::move(real), options);
  counters_.add_time("ExecuteTime", watch.seconds());
  std::vector<std::vector<BufferPtr>> results(arguments.size());
  for (size_t ordinal = 0; ordinal < results.size(); ++ordinal) {
    for (const BufferPtr& result : all) {
      results[ordinal].push_back(
          std::make_shared<OrdinalBuffer>(static_cast<int>(ordinal), result));
    }
  }
  return results;
}

class OrdinalsClient final : public runtime::Client {
 public:
  OrdinalsClient(runtime::ClientPtr real, Counters& counters)
      : real_(std::move(real)), counters_(counters) {}

  std::string platform() const override { return real_->platform(); }
  const TpuKind& kind() const override { return real_->kind(); }
  const runtime::Topology& topology() const override { return real_->topology(); }
  runtime::CoreCounters counters(int core) const override { return real_->counters(core); }
  void reset_counters() override { real_->reset_counters(); }
  void add_input_wait(double seconds) override { real_->add_input_wait(seconds); }
  int64_t memory_in_use(int core) const override { return real_->memory_in_use(core); }
  void reset() override { real_->reset(); }

  BufferPtr from_host(const Literal& literal, const Placement& placement) override {
    const Ordinal* ordinal = Ordinal::current();
    if (ordinal == nullptr || placement.kind != Placement::Kind::replicated)
      return real_->from_host(literal, placement);
    Literal own = literal;
    if (!own.owns_memory()) own.mutable_raw();  // a copy: the memory may change
    return std::make_shared<OrdinalBuffer>(ordinal->index, std::move(own));
  }

  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    if (Ordinal::current() == nullptr) return real_->compile(module, options);
    return std::make_shared<OrdinalsExecutable>(real_, module, options, counters_);
  }

 private:
  const runtime::ClientPtr real_;
  Counters& counters_;
};

}  // namespace

runtime::ClientPtr make_ordinals_client(runtime::ClientPtr real, Counters& counters) {
  return std::make_shared<OrdinalsClient>(std::move(real), counters);
}

void join_with_nothing() {
  Ordinal* ordinal = Ordinal::current();
  StepCall call;
  ordinal->meeting->join(ordinal->index,
                         {.what = ordinal->step_name, .location = ordinal->step_at, .call = &call},
                         act_for_all);
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
