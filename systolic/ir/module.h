// A program: functions of ops in static single assignment form.
//
// A function owns one table of values; ops name their operands and results by index (ValueId) into
// it, in nested regions too, so that a region may use values from outside. Ops form a flat list in
// the order in which they run: every walk is a loop, however deep the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/dtype.h"
#include "systolic/core/shape.h"
#include "systolic/ir/attributes.h"
#include "systolic/ir/op_code.h"
#include "systolic/ir/role.h"

namespace systolic::inline v0 {
namespace ir {

using ValueId = int32_t;
inline constexpr ValueId no_value = -1;

struct Type {
  DType dtype = DType::f32;
  Shape shape;
  friend bool operator==(const Type& a, const Type& b) {
    return a.dtype == b.dtype && a.shape == b.shape;
  }
  int64_t bytes() const { return shape.elements() * byte_width(dtype); }
};
// "f32[2,3]"
std::string to_string(const Type& type);

struct Op;

// A list of ops with arguments: a function's body, or a region of an op.
struct Block {
  std::vector<ValueId> arguments;
  std::vector<Op> ops;
  std::vector<ValueId> results;  // what it returns
};

struct Op {
  // In module.cc: otherwise every file that holds an op would compile them.
  Op();
  Op(const Op& other);
  Op(Op&& other) noexcept;
  Op& operator=(const Op& other);
  Op& operator=(Op&& other) noexcept;
  ~Op();

  OpCode code = OpCode::constant;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  Attributes attributes;
  std::vector<Block> regions;
  SourceLocation location;  // the user's line
  const char* layer_path =
      "";  // "mnist/conv2d_1", interned for the life of the process; "" outside layers

  template <class T>
  const T& get() const {
    return std::get<T>(attributes);
  }
  template <class T>
  T& get() {
    return std::get<T>(attributes);
  }
};

// How an array lies on the cores of a global program (num_partitions > 1).
struct Sharding {
  // Cores along each axis; their product divides num_partitions. Empty: replicated.
  std::vector<int64_t> tiles;
  bool replicated() const;
  friend bool operator==(const Sharding&, const Sharding&) = default;
  static Sharding along(int axis, int rank, int64_t cores);
};

// An argument or a result of a function.
struct Parameter {
  std::string name = {};                  // for people: "conv2d/kernel"; may be empty
  std::optional<Sharding> sharding = {};  // global programs (num_partitions > 1) only
  std::optional<int64_t> aliases_result =
      {};  // of an argument: the result that gets its memory (it is donated)
  // For an argument of a per-core program (num_replicas > 1): every core gets the same array (a
  // mirrored variable), which the software TPU then holds once. Not uniform: one array per core, a
  // buffer of Placement per_core.
  bool uniform = false;
  // The role of an argument.
  Role role = Role::input;
};

struct Function {
  std::string name = "main";
  Block body;
  std::vector<Type> types;  // of every value, by ValueId
  std::vector<Parameter> arguments, results;

  const Type& type(ValueId value) const { return types[static_cast<size_t>(value)]; }
  ValueId new_value(Type type);
  // Appends an argument to the body.
  ValueId add_argument(Type type, Parameter parameter = {});
  void add_result(ValueId value, Parameter parameter = {});
};

struct Module {
  std::string name = "module";
  // Per-core form: the same function on num_replicas cores, with collectives between them.
  int64_t num_replicas = 1;
  // Global form: one function over whole arrays, split over num_partitions cores by shardings.
  int64_t num_partitions = 1;
  std::vector<Function> functions;  // main() is the first

  Function& main() { return functions.front(); }
  const Function& main() const { return functions.front(); }
  const Function* find(std::string_view function_name) const;
};

// Interns a layer path: the pointer stays valid, and equal texts give equal pointers. Thread-safe.
const char* intern(std::string_view text);

// Calls visit(op) for every op, outer before inner, in order.
void for_each_op(const Block& block, const std::function<void(const Op&)>& visit);

}  // namespace ir
}  // namespace systolic::inline v0
