// What a Tensor handle points to. Internal to the library.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class Trace;

struct TensorState {
  ir::Type type;
  std::optional<Literal> host;       // a host constant
  runtime::BufferPtr buffer;         // a device buffer
  std::shared_ptr<Trace> trace;      // a value of an open trace ...
  ir::ValueId value = ir::no_value;  // ... its number there ...
  uint64_t region = 0;               // ... and the region it was made in (0: the main block)
  int core = 0;                      // the core named by a device scope
  std::string lost_in = {};          // what failed before it was computed; empty: nothing did
  // Which of its steps are real, pred [batch, steps]: what a layer masked. Null: all are.
  std::shared_ptr<TensorState> step_mask = {};
};

// Raises that the Tensor has no value because the program it was part of failed, and how.
[[noreturn]] void raise_lost(const TensorState& state, SourceLocation location);
// Raises that a value ("of a Tensor") is asked for while a program is traced.
[[noreturn]] void raise_read_while_tracing(std::string_view of_what, SourceLocation location);

// A Tensor on a buffer.
Tensor tensor_of(runtime::BufferPtr buffer);
// The buffer of a Tensor: copies a host constant to the device, runs what is pending.
runtime::BufferPtr buffer_of(const Tensor& tensor,
                             SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
