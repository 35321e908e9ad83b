// Runs what is live of an implicit trace. Internal.
#pragma once

#include "systolic/ir/clone.h"
#include "systolic/runtime/client.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

class ImplicitFlush {
 public:
  explicit ImplicitFlush(Trace& trace) : trace_(trace) {}
  // `location` asks for the values.
  void run(SourceLocation location);

 private:
  std::vector<std::shared_ptr<TensorState>> wanted_tensors();
  std::vector<VariableSlot*> assigned_variables();
  struct Cut {
    ir::Module module;
    ir::ValueMap map;
    std::vector<runtime::BufferPtr> arguments;
  };
  Cut cut_out(const runtime::ClientPtr& client);
  static const runtime::BufferPtr& input_buffer(TraceInput& input,
                                                const runtime::ClientPtr& client);
  void mark_needed(const std::vector<ir::ValueId>& roots);
  bool computed(ir::ValueId value) const;
  void remember(ir::ValueId value, runtime::BufferPtr buffer);

  Trace& trace_;
  std::vector<bool> needed_;  // by ValueId
};

}  // namespace systolic::inline v0
