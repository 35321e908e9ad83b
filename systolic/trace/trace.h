// One open program: ops append to it until it is run. Internal: users meet it through Tensor,
// function and tapes.
//
// Each thread has an implicit trace at the bottom and, while `function`, fit or strategy.run trace
// a program, explicit ones above it. Ops go to the top one. A trace knows which values came from
// outside (its inputs), which value each variable has at this point, and which Tensors still refer
// to its values.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "systolic/ir/builder/builder.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"
#include "systolic/trace/feed.h"
#include "systolic/trace/integer_limit.h"
#include "systolic/trace/segments.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {

// A value that a program takes from outside, in the order of its arguments.
struct TraceInput {
  enum class Kind : uint8_t {
    parameter,  // given at each call
    variable,   // a variable's value when the program runs
    buffer,     // a device buffer that was captured
    host,       // a host constant, copied when the program runs (implicit traces)
    feed,       // fetched from the host each time the program runs
    earlier,    // computed by an earlier piece of the same program
  };
  Kind kind = Kind::parameter;
  size_t parameter = 0;  // which one
  std::shared_ptr<VariableState> variable;
  runtime::BufferPtr buffer;
  Literal literal;
  std::shared_ptr<Feed> feed;
  size_t feed_index = 0;
  size_t segment = 0;   // earlier: which piece ...
  size_t exported = 0;  // ... and which of its exported values
  std::optional<IntegerLimit> limit;
};

// Ops [begin, end) of the block of a region, by its id, that gradients compute again.
struct RecomputedOps {
  uint64_t region = 0;
  size_t begin = 0, end = 0;
};

// A variable in one block of a trace.
struct VariableSlot {
  std::shared_ptr<VariableState> variable;
  ir::ValueId entry =
      ir::no_value;  // its value where the block begins (a region: a copy of the outer value)
  ir::ValueId leaf =
      ir::no_value;  // what a read gives now; no_value after an assignment, until the next read
  ir::ValueId current = ir::no_value;  // its value now
  bool assigned = false;
  std::vector<ir::ValueId> reads;  // every leaf so far: where gradients for the variable arrive
};

class Trace : public std::enable_shared_from_this<Trace> {
 public:
  enum class Kind : uint8_t { implicit, explicit_ };

  explicit Trace(Kind kind, int64_t replicas = 1);

  // The trace that ops of this thread go to.
  static Trace& current();
  // Runs the implicit trace if it has become long. Only where an expression begins: Tensors survive
  // it, ir::Values do not.
  static void run_what_is_long();
  // The thread's implicit trace.
  static Trace& implicit();

  Kind kind() const { return kind_; }
  int64_t replicas() const { return module_.num_replicas; }
  ir::Builder& builder() { return builder_; }
  ir::Module& module() { return module_; }
  ir::Function& function() { return module_.main(); }
  const std::vector<TraceInput>& inputs() const { return inputs_; }
  const std::vector<std::unique_ptr<VariableSlot>>& variables() const {
    return frames_.front().slots;
  }

  // Points the builder at the user's line and the layer that is open.
  ir::Builder& at(SourceLocation location);

  ir::Value value_of(const Tensor& tensor, SourceLocation location);
  Tensor tensor_of(ir::Value value);
  // Where the value is an input, or one with only its type or shape changed: each run checks that
  // it is below the limit, if the host knows its bounds. Not in a branch or a loop on the device,
  // which may not be taken.
  void check_below(ir::Value value, const IntegerLimit& limit);
  Tensor add_parameter(const ir::Type& type, ir::Parameter parameter);

  Tensor add_fed(const ir::Type& type, ir::Parameter parameter, std::shared_ptr<Feed> feed,
                 size_t index);

  ir::Value read(const std::shared_ptr<VariableState>& variable, SourceLocation location);
  void assign(const std::shared_ptr<VariableState>& variable, ir::Value value);
  // Where gradients for the variable arrive: its reads that the current block can see.
  std::vector<ir::ValueId> reads_of(const VariableState& variable) const;

  // A region of an op: variables read inside become copies of the outer value, so that a loop can
  // carry them.
  struct RegionResult {
    ir::Block block;
    std::vector<std::unique_ptr<VariableSlot>> slots;  // of the variables it touched
  };
  // `results` gives what the region returns, besides variables (the caller appends those it wants
  // to carry).
  RegionResult region(
      std::span<const ir::Type> argument_types,
      const std::function<std::vector<ir::Value>(std::span<const ir::Value>)>& body);
  // After the op of a region was appended: the variable's value is now `value`.
  void set_after_region(const std::shared_ptr<VariableState>& variable, ir::Value value);
  // The variable's value in the current block, in a form that an op may capture.
  ir::Value current_value(const std::shared_ptr<VariableState>& variable, SourceLocation location);

  // Implicit traces: compiles and runs what is live, so that every live Tensor has a buffer. Errors
  // that no op caused name `location`.
  void flush(SourceLocation location = {});
  bool has_pending() const;

  // Tapes that record here; while there is one, run values keep their ops.
  void tape_opened() { ++live_tapes_; }
  void tape_closed();
  int live_tapes() const { return live_tapes_; }

  // The pieces of the program that this trace belongs to; null once the program is traced.
  TraceSegments* segments() const { return segments_; }
  void set_segments(TraceSegments* segments) { segments_ = segments; }
  // Values that later pieces take.
  const std::vector<ir::ValueId>& exported() const { return exported_; }

  // The copies that the open regions made of variables at their entry.
  std::vector<ir::ValueId> region_entries() const;

  // Values at which every gradient stops.
  std::vector<ir::ValueId>& stopped() { return stopped_; }
  // What gradients compute again: recompute_scope.h.
  std::vector<RecomputedOps>& recomputed() { return recomputed_; }
  uint64_t region_id() const { return frames_.back().id; }
  // Counts how often an implicit trace was restarted: a tape of an earlier generation has lost its
  // ops.
  uint64_t generation() const { return generation_; }

 private:
  struct Frame {
    uint64_t id = 0;
    ir::Block* block = nullptr;  // of a region; ops are still appended
    std::vector<std::unique_ptr<VariableSlot>> slots;
    std::unordered_map<const VariableState*, VariableSlot*> by_state;
  };

  VariableSlot& slot_of(const std::shared_ptr<VariableState>& variable, size_t depth,
                        SourceLocation location);
  ir::ValueId read_in(const std::shared_ptr<VariableState>& variable, size_t depth,
                      SourceLocation location);
  ir::ValueId copy_of(ir::ValueId value);
  ir::ValueId copy_in(ir::Block& block, ir::ValueId value);
  ir::Value add_input(const ir::Type& type, TraceInput input, ir::Parameter parameter = {});
  ir::Value capture(const TensorState& state);
  ir::Value take(Trace& earlier, const TensorState& state);
  void check_region(const TensorState& state, SourceLocation location) const;
  void forget_if_free();
  void forget();
  void lose_pending(std::string_view failure);

  Kind kind_;
  ir::Module module_;
  ir::Builder builder_;
  std::vector<TraceInput> inputs_;
  // Buffer or host memory -> its argument.
  std::unordered_map<const void*, ir::ValueId> captured_;
  std::map<std::pair<const Trace*, ir::ValueId>, ir::ValueId> taken_;  // from earlier pieces
  std::vector<Frame> frames_;
  std::vector<std::weak_ptr<TensorState>> live_;
  std::vector<runtime::BufferPtr> computed_;  // by ValueId, for values that a flush has run
  std::vector<ir::ValueId> stopped_;
  std::vector<RecomputedOps> recomputed_;
  TraceSegments* segments_ = nullptr;
  std::vector<ir::ValueId> exported_;
  size_t parameters_ = 0;
  int live_tapes_ = 0;
  uint64_t generation_ = 0;
  friend class ImplicitFlush;
};

// Makes a trace the current one of this thread.
class TraceScope {
 public:
  explicit TraceScope(std::shared_ptr<Trace> trace);
  ~TraceScope();
  // Exchanges the current trace for the next piece of its program.
  static void go_on_in(std::shared_ptr<Trace> trace);
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  std::shared_ptr<Trace> previous_;
};

// An operand as a value of the current trace: numbers take the type of `like` (i32 or f32 where
// there is no `like`).
ir::Value operand_value(Trace& trace, const Operand& operand, const Operand* like);

}  // namespace systolic::inline v0
