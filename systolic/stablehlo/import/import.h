// Converts a program as written to the one that backends run.
//
//   ir::Module module = import_module(parse(text));
//
// - Calls are put in place of the functions they call; so is what a composite is decomposed into. A
//   function that calls itself is an error.
// - A tuple becomes its parts, a token nothing.
// - chlo ops and ops that ir lacks become the ops that StableHLO's specification says they are.
// - Shapes are those of the arguments given: "?" is refined where the shape follows from them and
//   from constants.
// - Collectives count cores of the per-core form (ir::Module::num_replicas), partition after
//   replica: core = replica * num_partitions + partition.
//
// Failures are errors at the line and column: Unimplemented for what is not supported,
// InvalidArgument for what is wrong. A program may expand to four million ops.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"
#include "systolic/stablehlo/probe_function.h"
#include "systolic/stablehlo/program.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace stablehlo {

// What a `check` op requires of two results of the program.
struct Check {
  enum class Kind { equal, almost_equal, close, probed };
  Kind kind = Kind::equal;
  size_t actual = 0, expected = 0;       // results of the module; probed: the same
  double tolerance = 0;                  // almost_equal: of the difference
  uint64_t least_ulp = 0, most_ulp = 0;  // close: steps between neighbours of the type
  size_t offset = 0;                     // in the program's source
  std::string probe = {};                // probed: equal to what this probe saw
  int64_t iteration = 0;                 //         when it was reached after this many times
};

// For a custom_call that each device makes by itself on its parts of the operands: these parts, for
// the same number of devices each. Empty: one call on the whole arrays.
using OperandParts = std::function<std::vector<Parts>(const Operation&)>;

// Ops [begin, end) of the entry, with values that are already known.
struct Part {
  size_t begin = 0, end = static_cast<size_t>(-1);
  // Each value's arrays: none for a token, several for a tuple.
  std::map<ValueId, std::vector<Literal>> known = {};
  std::vector<ValueId> given = {};   // become arguments, in this order
  std::vector<ValueId> wanted = {};  // become results, in this order
};

struct ImportOptions {
  // Cores of the per-core form; nothing: as the module's mhlo.num_replicas and num_partitions say.
  std::optional<int64_t> replicas = {}, partitions = {};
  // Types of the entry's arguments, where the text leaves sizes open.
  std::vector<ir::Type> arguments = {};
  // Where the checks go, in the order of the program; what they compare becomes results after the
  // program's own. nullptr: a check is an error.
  std::vector<Check>* checks = nullptr;
  // What infeed ops give becomes arguments after the entry's own, in the order of the ops, and what
  // outfeed ops take is dropped. Otherwise both are an error: nobody feeds them.
  bool host_queues = false;
  // Whether the entry's tokens are arguments and results too, pred[0] each, as callers that pass
  // arrays only hold them (JAX). Otherwise they are nothing, as anywhere else.
  bool entry_tokens = false;
  // The function that becomes main; nullptr: the program's entry.
  const Function* entry = nullptr;
  // The one core, of those above, that this program is for: replica_id and partition_id are
  // constants, and collectives are an error.
  std::optional<int64_t> core = {};
  std::optional<Part> part = {};
  // Whether a custom_call may name this function, besides those that are known here
  // (runtime/custom_function.h); empty: it may not.
  std::function<bool(std::string_view)> is_custom_function = {};
  // How calls of custom functions on whole arrays are split; empty: one call each.
  OperandParts operand_parts = {};
  // How many results each wanted value of the part became.
  std::vector<size_t>* array_counts = nullptr;
};

ir::Module import_module(const Program& program, const ImportOptions& options = {});

}  // namespace stablehlo
}  // namespace systolic::inline v0
