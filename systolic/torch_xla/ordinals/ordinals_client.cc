#include "systolic/torch_xla/ordinals/ordinals_client.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/core/put_together.h"
#include "systolic/torch_xla/ordinals/constant_arguments.h"
#include "systolic/torch_xla/ordinals/first_difference.h"
#include "systolic/torch_xla/ordinals/host_arrays.h"
#include "systolic/torch_xla/ordinals/ordinal.h"
#include "systolic/torch_xla/ordinals/ordinal_buffer.h"
#include "systolic/trace/donated_variables.h"

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
        exchanges_(has_collective(module_)),
        constants_(module_.main().arguments.size()) {}

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
  // An argument of all ordinals.
  struct Together {
    BufferPtr real;
    std::vector<OrdinalBuffer*> own;     // by ordinal; none: it was made before the spawn
    std::optional<Literal> number = {};  // where the host knows it, and all ordinals give the same
    bool donated = false;
  };
  // What is known of the arguments when they have come together, and decides what is compiled.
  struct Arrangement {
    int64_t cores = 1;
    std::vector<bool> uniform = {}, donated = {}, constant = {};  // none: as the module says
    friend bool operator<(const Arrangement& a, const Arrangement& b) {
      return std::tie(a.cores, a.uniform, a.donated, a.constant) <
             std::tie(b.cores, b.uniform, b.donated, b.constant);
    }
  };
  runtime::ExecutablePtr compiled(const Arrangement& arrangement);
  Together combined(const std::vector<std::vector<BufferPtr>*>& arguments, size_t position);
  // No variable, which a later step changes.
  bool is_input(size_t position) const {
    return module_.main().arguments[position].role == ir::Role::input;
  }
  bool may_donate(const std::vector<std::vector<BufferPtr>*>& arguments, size_t position,
                  const Together& together) const;
  std::vector<BufferPtr> run_together(runtime::Executable& executable,
                                      std::vector<Together>& arguments,
                                      const runtime::ExecuteOptions& options);
  BufferPtr to_device(const Literal& literal, const Placement& placement);

  const runtime::ClientPtr real_;
  const ir::Module module_;
  const runtime::CompileOptions options_;
  Counters& counters_;
  const bool exchanges_;

  ConstantArguments constants_;  // of whoever acts for all

  mutable std::mutex mutex_;  // of the two below
  std::map<Arrangement, runtime::ExecutablePtr> by_arrangement_;
  runtime::ExecutablePtr last_;
};

// What an ordinal comes to a step with; no program: it has nothing to run.
struct StepCall {
  OrdinalsExecutable* program = nullptr;
  std::vector<BufferPtr>* arguments = nullptr;
  const runtime::ExecuteOptions* options = nullptr;
  DonatedVariables* donated = nullptr;
  std::vector<BufferPtr> results = {};
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
  // Until the variables of all ordinals have their new values.
  std::unique_lock lock(variables_mutex(), std::defer_lock);
  if (calls[0]->donated != nullptr) lock.lock();
  for (StepCall* call : calls) {
    if (call->donated != nullptr) call->donated->let_go();
  }
  try {
    auto results = calls[0]->program->run_on_all(arguments, *calls[0]->options);
    for (size_t i = 0; i < calls.size(); ++i) calls[i]->results = std::move(results[i]);
  } catch (const std::exception& error) {
    for (StepCall* call : calls) {
      if (call->donated != nullptr) call->donated->give_back(*call->arguments, error.what());
    }
    throw;
  }
  for (StepCall* call : calls) {
    if (call->donated != nullptr) call->donated->hold(call->results);
  }
}

std::vector<BufferPtr> OrdinalsExecutable::execute(std::vector<BufferPtr>&& arguments,
                                                   const runtime::ExecuteOptions& options) {
  Ordinal* ordinal = Ordinal::current();
  ensure(ordinal != nullptr, "a program of an ordinal runs on its thread");
  if (!ordinal->in_step && !exchanges_) return run_alone(ordinal->index, arguments, options);
  StepCall call{
      .program = this, .arguments = &arguments, .options = &options, .donated = ordinal->donated};
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
  for (BufferPtr& result : compiled({})->execute(std::move(real), options))
    results.push_back(std::make_shared<OrdinalBuffer>(ordinal, std::move(result)));
  return results;
}

runtime::ExecutablePtr OrdinalsExecutable::compiled(const Arrangement& arrangement) {
  const std::lock_guard lock(mutex_);
  runtime::ExecutablePtr& known = by_arrangement_[arrangement];
  if (known == nullptr) {
    ir::Module module = arrangement.constant.empty()
                            ? module_
                            : constants_.with_constants(module_, arrangement.constant);
    module.num_replicas = arrangement.cores;
    std::vector<ir::Parameter>& parameters = module.main().arguments;
    for (size_t i = 0; i < arrangement.uniform.size(); ++i) {
      parameters[i].uniform = arrangement.uniform[i];
      if (!arrangement.donated[i]) parameters[i].aliases_result.reset();
    }
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
OrdinalsExecutable::Together OrdinalsExecutable::combined(
    const std::vector<std::vector<BufferPtr>*>& arguments, size_t position) {
  Together together;
  std::vector<OrdinalBuffer*>& own = together.own;
  for (const auto* of_one : arguments) {
    auto* buffer = dynamic_cast<OrdinalBuffer*>((*of_one)[position].get());
    if (buffer == nullptr) return {.real = (*arguments[0])[position], .own = {}};
    own.push_back(buffer);
  }
  together.real = own[0]->real();
  const auto lies_there = [&](const OrdinalBuffer* one) { return one->real() == together.real; };
  if (together.real && std::all_of(own.begin(), own.end(), lies_there)) return together;

  std::vector<Literal> parts;
  for (const OrdinalBuffer* one : own) parts.push_back(one->to_literal());
  const auto is_first = [&](const Literal& part) {
    return part.raw() == parts[0].raw() || part == parts[0];
  };
  if (std::all_of(parts.begin(), parts.end(), is_first)) {
    if (parts[0].rank() == 0 && is_input(position)) together.number = parts[0];
    together.real = to_device(parts[0], {});
  } else {
    together.real = to_device(stacked(parts), {.kind = Placement::Kind::per_core});
  }
  for (OrdinalBuffer* one : own) one->lies_in(together.real);
  return together;
}

// Whether a program may take the memory of an argument that a result is to lie in: it is the same
// on all cores, and nobody but the ordinals' arguments holds it. One that differs between the cores
// would keep its result so, though the result may be the same on all.
bool OrdinalsExecutable::may_donate(const std::vector<std::vector<BufferPtr>*>& arguments,
                                    size_t position, const Together& together) const {
  if (!module_.main().arguments[position].aliases_result || together.own.empty()) return false;
  if (together.real->placement().kind == Placement::Kind::per_core) return false;
  const auto is_last = [&](const auto* of_one) { return (*of_one)[position].use_count() == 1; };
  return std::all_of(arguments.begin(), arguments.end(), is_last) &&
         together.real.use_count() == static_cast<int64_t>(together.own.size()) + 1;
}

std::vector<std::vector<BufferPtr>> OrdinalsExecutable::run_on_all(
    const std::vector<std::vector<BufferPtr>*>& arguments, const runtime::ExecuteOptions& options) {
  std::vector<Together> all;
  Arrangement arrangement{.cores = static_cast<int64_t>(arguments.size())};
  for (size_t i = 0; i < arguments[0]->size(); ++i) {
    Together& one = all.emplace_back(combined(arguments, i));
    one.donated = may_donate(arguments, i, one);
    arrangement.uniform.push_back(one.real->placement().kind != Placement::Kind::per_core);
    arrangement.donated.push_back(one.donated);
    arrangement.constant.push_back(constants_.is_constant(i, one.number));
  }
  const std::vector<BufferPtr> results = run_together(*compiled(arrangement), all, options);
  std::vector<std::vector<BufferPtr>> by_ordinal(arguments.size());
  for (size_t ordinal = 0; ordinal < by_ordinal.size(); ++ordinal) {
    for (const BufferPtr& result : results) {
      by_ordinal[ordinal].push_back(
          std::make_shared<OrdinalBuffer>(static_cast<int>(ordinal), result));
    }
  }
  return by_ordinal;
}

// The ordinals' arguments have what is left of the donated ones after a failure.
std::vector<BufferPtr> OrdinalsExecutable::run_together(runtime::Executable& executable,
                                                        std::vector<Together>& arguments,
                                                        const runtime::ExecuteOptions& options) {
  std::vector<BufferPtr> real;
  for (Together& one : arguments) {
    real.push_back(std::move(one.real));
    if (!one.donated) continue;
    for (OrdinalBuffer* own : one.own) own->donate();
  }
  const Stopwatch watch;
  try {
    std::vector<BufferPtr> results = executable.execute(std::move(real), options);
    counters_.add_time("ExecuteTime", watch.seconds());
    return results;
  } catch (...) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].donated) continue;
      for (OrdinalBuffer* own : arguments[i].own) own->lies_in(real[i]);
    }
    throw;
  }
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
    return on_host_.add(ordinal->index, std::move(own));
  }

  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    if (Ordinal::current() == nullptr) return real_->compile(module, options);
    return std::make_shared<OrdinalsExecutable>(real_, module, options, counters_);
  }

 private:
  const runtime::ClientPtr real_;
  Counters& counters_;
  HostArrays on_host_;
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
