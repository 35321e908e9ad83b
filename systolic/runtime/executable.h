// A compiled program.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {
namespace runtime {

// Bytes that one core needs to run a program.
struct MemoryStats {
  int64_t arguments = 0;        // of all roles; of these:
  int64_t parameters = 0;       //   Role::parameter
  int64_t optimizer_state = 0;  //   Role::optimizer_state
  int64_t results = 0;
  int64_t aliased = 0;      // results that take the memory of donated arguments
  int64_t temporaries = 0;  // all that lives only while the program runs; of these:
  // when they take the most, those that wait for a later op: what the forward pass keeps for the
  // backward pass.
  int64_t activations = 0;
  int64_t peak() const { return arguments + results - aliased + temporaries; }
};

// Work of one run, over all cores together.
struct CostStats {
  double flops = 0;
  double bytes = 0;  // read and written
  // Those of products and convolutions: what a TPU's matrix unit (MXU) does. And as many as the
  // unit then does with what it pads: the columns of both operands to its width, the rows to 8.
  double matrix_flops = 0;
  double padded_matrix_flops = 0;
  // What the cores hand to collectives: the bytes of each one's operands, on all cores together.
  // NaN: not known.
  double collective_bytes = 0;
};

struct ExecuteOptions {
  // Shown in errors that are found while the program runs: "step 17".
  int64_t step = -1;
  // The program's outermost loop runs one step per round: a failure in round 3 is one of step + 3.
  bool loops_over_steps = false;
  // The user's line that asked for the run, for errors that no op of the program caused.
  SourceLocation location = {};
};

class Executable {
 public:
  virtual ~Executable() = default;

  // Runs the program. Arguments in the order of main(); those that alias a result are donated:
  // where the caller holds the last reference their memory is reused and the Buffer is deleted,
  // otherwise it is copied first. Move the vector in. May return before the results are computed;
  // errors then come from to_literal().
  //
  // When it throws, `arguments` still holds the buffers as they were, except donated ones that the
  // program had begun to overwrite after its last loop: these are deleted(). A failure in a loop
  // deletes none. The error names the step, the op and the user's line.
  virtual std::vector<BufferPtr> execute(std::vector<BufferPtr>&& arguments,
                                         const ExecuteOptions& options = {}) = 0;

  virtual MemoryStats memory() const = 0;
  virtual CostStats cost() const = 0;
  // Milliseconds that compilation took.
  virtual double compile_ms() const = 0;
};
using ExecutablePtr = std::shared_ptr<Executable>;

}  // namespace runtime
}  // namespace systolic::inline v0
