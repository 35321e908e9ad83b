// For tests: a client whose programs fail when told to; another client runs them. It also reports
// when it compiles.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace runtime {

// When and how a run fails; shared by the client and its programs.
struct Failure {
  std::string program = {};  // which program; "": any
  int runs_before = 0;       // runs of it that still succeed
  bool overwrites = false;   // fails when donated arguments are overwritten, not before
  bool at_op = false;        // the program's last op is to blame: the error names its line
  bool armed = false;
};

class FailingExecutable final : public Executable {
 public:
  FailingExecutable(ExecutablePtr real, std::string name, SourceLocation last_op,
                    std::shared_ptr<Failure> failure)
      : real_(std::move(real)),
        name_(std::move(name)),
        last_op_(last_op),
        failure_(std::move(failure)) {}

  std::vector<BufferPtr> execute(std::vector<BufferPtr>&& arguments,
                                 const ExecuteOptions& options) override {
    Failure& failure = *failure_;
    const bool meant = failure.armed && (failure.program.empty() || failure.program == name_);
    if (!meant || failure.runs_before-- > 0) return real_->execute(std::move(arguments), options);
    failure.armed = false;
    if (failure.overwrites) real_->execute(std::move(arguments), options);
    raise<Unavailable>({.what = str("step ", options.step, " of ", name_, ": the device stopped"),
                        .location = failure.at_op ? last_op_ : options.location});
  }
  MemoryStats memory() const override { return real_->memory(); }
  CostStats cost() const override { return real_->cost(); }
  double compile_ms() const override { return real_->compile_ms(); }

 private:
  ExecutablePtr real_;
  std::string name_;
  SourceLocation last_op_;
  std::shared_ptr<Failure> failure_;
};

class FailingClient final : public Client {
 public:
  explicit FailingClient(ClientPtr real) : real_(std::move(real)) {}

  // Makes one future run fail.
  void fail(Failure how) {
    *failure_ = std::move(how);
    failure_->armed = true;
  }

  // Called before each compilation with the program's name; may throw.
  void on_compile(std::function<void(const std::string&)> call) { on_compile_ = std::move(call); }

  std::string platform() const override { return real_->platform(); }
  const TpuKind& kind() const override { return real_->kind(); }
  const Topology& topology() const override { return real_->topology(); }
  BufferPtr from_host(const Literal& literal, const Placement& placement) override {
    return real_->from_host(literal, placement);
  }
  ExecutablePtr compile(const ir::Module& module, const CompileOptions& options) override {
    if (on_compile_) on_compile_(options.name);
    const std::vector<ir::Op>& ops = module.main().body.ops;
    const SourceLocation last_op = ops.empty() ? SourceLocation{} : ops.back().location;
    return std::make_shared<FailingExecutable>(real_->compile(module, options), options.name,
                                               last_op, failure_);
  }
  CoreCounters counters(int core) const override { return real_->counters(core); }
  void reset_counters() override { real_->reset_counters(); }
  void add_input_wait(double seconds) override { real_->add_input_wait(seconds); }
  int64_t memory_in_use(int core) const override { return real_->memory_in_use(core); }
  void reset() override { real_->reset(); }

 private:
  ClientPtr real_;
  std::shared_ptr<Failure> failure_ = std::make_shared<Failure>();
  std::function<void(const std::string&)> on_compile_;
};

}  // namespace runtime
}  // namespace systolic::inline v0
