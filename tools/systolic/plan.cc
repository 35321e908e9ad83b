// systolic plan: the dry run of a program that lies in a file.
#include "systolic/plan/plan.h"

#include <algorithm>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/stablehlo/bytecode/read_program.h"
#include "systolic/stablehlo/import/import.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/program_file.h"

namespace tool {
namespace {

using namespace systolic;
using stablehlo::Program;

// The arguments whose first axis is "?": those are the batch. Another open axis is an error.
std::vector<bool> batched_arguments(const Program& program) {
  const stablehlo::Function& main = program.entry();
  std::vector<bool> batched;
  for (size_t i = 0; i < main.body.arguments.size(); ++i) {
    const std::vector<int64_t>& dims = program.type(main.type(main.body.arguments[i])).dims;
    const auto open = std::count(dims.begin(), dims.end(), stablehlo::dynamic_size);
    batched.push_back(open > 0);
    if (open == 0 || (open == 1 && dims[0] == stablehlo::dynamic_size)) continue;
    raise<Unimplemented>({.what = str("argument ", i, " leaves an axis open that is not its first"),
                          .wanted = "\"?\" for the batch only: tensor<?x28x28xf32>"});
  }
  return batched;
}

ir::Module module_at(const Program& program, const std::vector<bool>& batched, int64_t batch) {
  const stablehlo::Function& main = program.entry();
  std::vector<ir::Type> types;
  for (size_t i = 0; i < batched.size(); ++i) {
    const stablehlo::Type& type = program.type(main.type(main.body.arguments[i]));
    const auto dtype = stablehlo::info(type.element).dtype;
    if (!dtype) raise<Unimplemented>({.what = str("the element type of argument ", i)});
    std::vector<int64_t> dims = type.dims;
    if (batched[i]) dims[0] = batch;
    types.push_back({*dtype, Shape(dims)});
  }
  ir::Module module = stablehlo::import_module(program, {.arguments = types});
  for (size_t i = 0; i < batched.size(); ++i) {
    const auto* result = stablehlo::find(main.argument_attributes[i], "tf.aliasing_output");
    if (result != nullptr) module.main().arguments[i].aliases_result = result->integer;
  }
  return module;
}

int64_t count_of(const Program& program, std::string_view attribute) {
  const auto* found = stablehlo::find(program.attributes, attribute);
  return found == nullptr ? 1 : found->integer;
}

// The file is read once: a pipe gives its bytes only once.
plan::Plan plan_of(const std::string& bytes, const PlanOptions& options) {
  const Program program = stablehlo::read_program(bytes, options.file);
  const runtime::TpuCompileOptions compile_options{
      .topology = options.request.topology,
      .effort = options.request.effort,
      .deadline_seconds = options.request.deadline_seconds,
      .library = options.request.library,
      .name = options.file};
  const std::vector<bool> batched = batched_arguments(program);
  const int64_t partitions = count_of(program, "mhlo.num_partitions");
  plan::Subject subject{.name = options.file,
                        .cores = partitions * count_of(program, "mhlo.num_replicas")};
  const bool open = std::find(batched.begin(), batched.end(), true) != batched.end();
  if (!open) {
    subject.other_batches = false;
    subject.why_not =
        "the file has one size; write its batch as \"?\" (tensor<?x28x28xf32>) to plan for others";
    return plan::make_plan(options.request, subject, [&](int64_t) {
      return runtime::compile_for_tpu(bytes, compile_options);
    });
  }
  if (partitions > 1) {
    raise<Unimplemented>({.what = "a program with an open batch and mhlo.num_partitions",
                          .hint = "write it per core (mhlo.num_replicas), or with fixed sizes"});
  }
  subject.batch = options.batch;
  return plan::make_plan(options.request, subject, [&](int64_t batch) {
    return runtime::compile_for_tpu(module_at(program, batched, batch), compile_options);
  });
}

}  // namespace

int plan_file(const PlanOptions& options, std::ostream& out) {
  const plan::Plan plan = plan_of(program_bytes(options.file), options);
  out << (options.json ? plan::to_json(plan) + "\n" : plan::to_screen(plan));
  return plan.own.program ? 0 : 1;
}

}  // namespace tool
