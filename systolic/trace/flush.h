// Runs what is live of an implicit trace. Internal.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "systolic/ir/clone.h"
#include "systolic/runtime/client.h"
#include "systolic/trace/donated_variables.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

// Runs the program of a step, which may overwrite the donated variables: run_donating, or one that
// does the same for several threads' variables.
using StepRunner = std::function<std::vector<runtime::BufferPtr>(
    runtime::Executable&, std::vector<runtime::BufferPtr>&&, DonatedVariables&)>;
std::vector<runtime::BufferPtr> run_donating(runtime::Executable& executable,
                                             std::vector<runtime::BufferPtr>&& arguments,
                                             DonatedVariables& donated);

class ImplicitFlush {
 public:
  // Trace::flush(), where `location` asks for the values. With a runner as a step: the variables
  // that it assigns give their memory to their new values, and a failure leaves them as they were,
  // or as lost: reading one says so. Without one the program is given no memory to overwrite.
  static void flush(Trace& trace, SourceLocation location, const StepRunner& runner);

 private:
  ImplicitFlush(Trace& trace, const StepRunner& runner) : trace_(trace), runner_(runner) {}
  void run(SourceLocation location);
  std::vector<std::shared_ptr<TensorState>> wanted_tensors();
  std::vector<VariableSlot*> assigned_variables();
  struct Cut {
    ir::Module module;
    ir::ValueMap map;
    std::vector<runtime::BufferPtr> arguments;
    std::vector<std::pair<size_t, size_t>> inputs;  // the trace's, and which argument each is
  };
  Cut cut_out(const runtime::ClientPtr& client);
  static const runtime::BufferPtr& input_buffer(TraceInput& input,
                                                const runtime::ClientPtr& client);
  DonatedVariables donate(Cut& cut, const std::vector<std::shared_ptr<TensorState>>& tensors,
                          const std::vector<VariableSlot*>& variables);
  void mark_needed(const std::vector<ir::ValueId>& roots);
  bool computed(ir::ValueId value) const;
  void remember(ir::ValueId value, runtime::BufferPtr buffer);

  Trace& trace_;
  const StepRunner& runner_;
  std::vector<bool> needed_;  // by ValueId
};

}  // namespace systolic::inline v0
