// A client that keeps the modules it compiles, on another client that runs them.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/runtime/client.h"

namespace systolic {

class RecordingClient final : public runtime::Client {
 public:
  // Where it does not run them, a program is an Unimplemented once it is recorded: nothing that it
  // reads need fit anywhere.
  explicit RecordingClient(runtime::ClientPtr real, bool runs = true)
      : real_(std::move(real)), runs_(runs) {}

  // The last program of each name.
  const std::map<std::string, ir::Module>& modules() const { return modules_; }

  std::string platform() const override { return real_->platform(); }
  const TpuKind& kind() const override { return real_->kind(); }
  const runtime::Topology& topology() const override { return real_->topology(); }
  runtime::BufferPtr from_host(const Literal& literal,
                               const runtime::Placement& placement) override {
    return real_->from_host(literal, placement);
  }
  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    modules_[options.name] = module;
    if (!runs_) raise<Unimplemented>({.what = "a program that is only recorded"});
    return real_->compile(module, options);
  }
  runtime::CoreCounters counters(int core) const override { return real_->counters(core); }
  void reset_counters() override { real_->reset_counters(); }
  void add_input_wait(double seconds) override { real_->add_input_wait(seconds); }
  int64_t memory_in_use(int core) const override { return real_->memory_in_use(core); }
  void reset() override { real_->reset(); }

 private:
  runtime::ClientPtr real_;
  bool runs_;
  std::map<std::string, ir::Module> modules_;
};

}  // namespace systolic
