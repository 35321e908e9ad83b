// What a program needs of a TPU, according to the TPU's own compiler, before one is rented.
//
//   const auto compile = [&](int64_t batch) {
//     return runtime::compile_for_tpu(module_of(batch), {.topology = "v5e:2x4"});
//   };
//   const plan::Plan plan = plan::make_plan({.topology = "v5e:2x4"}, {.name = "train_step", .batch
//   = 25}, compile); std::cout << plan::to_screen(plan);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systolic/plan/largest_batch.h"
#include "systolic/plan/request.h"
#include "systolic/plan/roofline.h"
#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {
namespace plan {

// What is planned.
struct Subject {
  std::string name;
  int64_t batch = 0;  // rows of a core; 0: not known
  int64_t cores = 1;  // that it runs on
  // Bytes of the variables whose gradients processes would add up; 0: all that the step updates in
  // place, an optimizer's slots among it.
  int64_t gradient_bytes = 0;
  bool other_batches = true;  // whether it can be compiled for others
  std::string why_not = {};   // else: what to do for them
};

// The program at one batch size.
struct Row {
  int64_t batch = 0;
  std::optional<runtime::TpuProgram> program = {};  // nothing: it does not fit
  std::string problem = {};                         // what the compiler says then
  std::optional<Roofline> work = {};
};

struct Plan {
  Subject subject;
  TpuKind kind;
  runtime::CompileEffort effort = runtime::CompileEffort::o0;
  std::string compiler, device_kind;
  int64_t memory_limit = 0;  // bytes that a core has
  Row own;                   // at the subject's own batch
  std::vector<Row> table;    // at the batches that were asked for
  std::optional<LargestBatch> largest;
  std::optional<Network> network = {};
  std::optional<Spread> spread = {};  // of the own batch, where the request names a network
  int compilations = 0;
  double seconds = 0;  // that they took together
};

// The program for this many rows per core. ResourceExhausted: it does not fit.
using CompileBatch = std::function<runtime::TpuProgram(int64_t batch)>;

// A batch that is asked for twice is compiled once. Exceptions of `compile` other than
// ResourceExhausted are passed on.
Plan make_plan(const Request& request, const Subject& subject, const CompileBatch& compile);

// One screen of text; and the same as JSON, sizes in bytes and times in seconds.
std::string to_screen(const Plan& plan);
std::string to_json(const Plan& plan);

// Prints the plan, writes the file that the request names, and ends the process: 0 where the
// program fits at its own batch, else 1. A file that cannot be written is Unavailable. The input
// pipeline and the cores are not shut down.
[[noreturn]] void finish(const Request& request, const Plan& plan);

}  // namespace plan
}  // namespace systolic::inline v0
