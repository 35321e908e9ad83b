#include "systolic/plan/planning_client.h"

#include <utility>

#include "systolic/plan/plan.h"

namespace systolic::inline v0 {
namespace plan {
namespace {

class PlanningClient final : public runtime::Client {
 public:
  PlanningClient(runtime::ClientPtr real, Request request)
      : real_(std::move(real)), request_(std::move(request)) {}

  std::string platform() const override { return real_->platform(); }
  const TpuKind& kind() const override { return real_->kind(); }
  const runtime::Topology& topology() const override { return real_->topology(); }
  runtime::BufferPtr from_host(const Literal& literal,
                               const runtime::Placement& placement) override {
    return real_->from_host(literal, placement);
  }
  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    if (is_training_step(module)) plan_of(module, options.name);
    return real_->compile(module, options);
  }
  runtime::CoreCounters counters(int core) const override { return real_->counters(core); }
  void reset_counters() override { real_->reset_counters(); }
  void add_input_wait(double seconds) override { real_->add_input_wait(seconds); }
  int64_t memory_in_use(int core) const override { return real_->memory_in_use(core); }
  void reset() override { real_->reset(); }

 private:
  [[noreturn]] void plan_of(const ir::Module& module, const std::string& name) const {
    const Subject subject{
        .name = name,
        .batch = batch_of(module),
        .cores = module.num_replicas * module.num_partitions,
        .gradient_bytes = updated_parameter_bytes(module),
        .other_batches = false,
        .why_not = "this program has its own loop; run it with another batch to plan for that"};
    const auto compile = [&](int64_t) {
      return runtime::compile_for_tpu(module, {.topology = request_.topology,
                                               .effort = request_.effort,
                                               .deadline_seconds = request_.deadline_seconds,
                                               .library = request_.library,
                                               .name = name});
    };
    finish(request_, make_plan(request_, subject, compile));
  }

  runtime::ClientPtr real_;
  Request request_;
};

}  // namespace

runtime::ClientPtr planning_client(runtime::ClientPtr real, const Request& request) {
  return std::make_shared<PlanningClient>(std::move(real), request);
}

bool is_training_step(const ir::Module& module) {
  bool updates = false, reads = false;
  for (const ir::Parameter& argument : module.main().arguments) {
    updates = updates || (argument.role == ir::Role::parameter && argument.aliases_result);
    reads = reads || argument.role == ir::Role::input;
  }
  return updates && reads;
}

int64_t updated_parameter_bytes(const ir::Module& module) {
  const ir::Function& main = module.main();
  int64_t bytes = 0;
  for (size_t i = 0; i < main.arguments.size(); ++i) {
    const ir::Parameter& argument = main.arguments[i];
    if (argument.role != ir::Role::parameter || !argument.aliases_result) continue;
    bytes += main.type(main.body.arguments[i]).bytes();
  }
  return bytes;
}

int64_t batch_of(const ir::Module& module) {
  const ir::Function& main = module.main();
  int64_t batch = -1;
  for (size_t i = 0; i < main.arguments.size(); ++i) {
    const Shape& shape = main.type(main.body.arguments[i]).shape;
    if (main.arguments[i].role != ir::Role::input || shape.rank() == 0) continue;
    if (batch >= 0 && shape[0] != batch) return 0;
    batch = shape[0];
  }
  if (batch <= 0 || batch % module.num_partitions != 0) return 0;
  return batch / module.num_partitions;
}

}  // namespace plan
}  // namespace systolic::inline v0
