#include "systolic/ir/infer/verify.h"

#include <algorithm>
#include <set>

#include "systolic/base/error.h"
#include "systolic/ir/infer/infer.h"
#include "systolic/ir/shard.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Function& function)
      : module_(module), function_(function), state_(function.types.size(), State::undefined) {}

  void verify() {
    for (const Type& type : function_.types) check_type(type);
    verify_block(function_.body);
    verify_parameters(function_.body.arguments, function_.arguments, "argument");
    verify_parameters(function_.body.results, function_.results, "result");
    verify_aliases();
  }

 private:
  enum class State : uint8_t { undefined, visible, out_of_scope };

  [[noreturn]] void fail(std::string what, std::string wanted = {}, SourceLocation location = {}) {
    raise<InvalidArgument>({.what = str("function '", function_.name, "': ", what),
                            .wanted = std::move(wanted),
                            .location = location});
  }

  void check_type(const Type& type) {
    for (int64_t size : type.shape) {
      if (size < 0) fail(str("a value has type ", to_string(type)), "sizes of 0 or more");
    }
    type.shape.elements();
  }

  State& state(ValueId value, const Op* op) {
    if (value < 0 || static_cast<size_t>(value) >= state_.size()) {
      fail(str(place(op), " names value ", value),
           str("one of the function's ", state_.size(), " values"), where(op));
    }
    return state_[static_cast<size_t>(value)];
  }

  void define(ValueId value, const Op* op) {
    State& now = state(value, op);
    if (now != State::undefined) {
      fail(str(place(op), " defines value ", value, " a second time"), {}, where(op));
    }
    now = State::visible;
  }

  void use(ValueId value, const Op* op) {
    const State now = state(value, op);
    if (now == State::visible) return;
    fail(str(place(op), " uses value ", value,
             now == State::undefined ? " before it is defined" : " of a region that has ended"),
         {}, where(op));
  }

  static std::string place(const Op* op) {
    return op == nullptr ? "a block" : std::string(info(op->code).name);
  }
  static SourceLocation where(const Op* op) {
    return op == nullptr ? SourceLocation{} : op->location;
  }

  void verify_block(const Block& block) {
    for (ValueId argument : block.arguments) define(argument, nullptr);
    for (const Op& op : block.ops) verify_op(op);
    for (ValueId result : block.results) use(result, nullptr);
  }

  void verify_region(const Block& region) {
    verify_block(region);
    for (ValueId argument : region.arguments) leave(argument);
    for (const Op& op : region.ops) {
      for (ValueId result : op.results) leave(result);
    }
  }
  void leave(ValueId value) { state_[static_cast<size_t>(value)] = State::out_of_scope; }

  void verify_op(const Op& op) {
    for (ValueId operand : op.operands) use(operand, &op);
    for (const Block& region : op.regions) verify_region(region);
    std::vector<Type> operands, results;
    for (ValueId operand : op.operands) operands.push_back(function_.type(operand));
    for (ValueId result : op.results) {
      define(result, &op);
      results.push_back(function_.type(result));
    }
    const std::vector<Type> inferred = infer_types({.code = op.code,
                                                    .operands = operands,
                                                    .attributes = op.attributes,
                                                    .function = &function_,
                                                    .regions = op.regions,
                                                    .requested = results,
                                                    .module = &module_,
                                                    .location = op.location});
    if (inferred != results) {
      fail(str(info(op.code).name, " gives (", join(results), ")"), str("(", join(inferred), ")"),
           op.location);
    }
  }

  void verify_parameters(const std::vector<ValueId>& values,
                         const std::vector<Parameter>& parameters, std::string_view what) {
    if (values.size() != parameters.size()) {
      fail(str("there are ", values.size(), " ", what, "s and ", parameters.size(),
               " descriptions of them"),
           "one for each");
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (!parameters[i].sharding) continue;
      verify_sharding(*parameters[i].sharding, function_.type(values[i]), str(what, " ", i));
    }
  }

  void verify_sharding(const Sharding& sharding, const Type& type, const std::string& what) {
    try {
      check_sharding(sharding, type.shape, module_.num_partitions);
    } catch (const InvalidArgument& error) {
      error.rethrow_within(str("function '", function_.name, "': the sharding of ", what));
    }
  }

  void verify_aliases() {
    std::set<int64_t> taken;
    for (size_t i = 0; i < function_.arguments.size(); ++i) {
      const std::optional<int64_t> result = function_.arguments[i].aliases_result;
      if (!result) continue;
      if (*result < 0 || static_cast<size_t>(*result) >= function_.body.results.size()) {
        fail(str("argument ", i, " is donated to result ", *result),
             str("one of the ", function_.body.results.size(), " results"));
      }
      if (!taken.insert(*result).second) {
        fail(str("two arguments are donated to result ", *result), "one at most");
      }
      const Type& from = function_.type(function_.body.arguments[i]);
      const Type& to = function_.type(function_.body.results[static_cast<size_t>(*result)]);
      if (!(from == to)) {
        fail(str("argument ", i, " ", to_string(from), " is donated to result ", *result, " ",
                 to_string(to)),
             "one type");
      }
    }
  }

  const Module& module_;
  const Function& function_;
  std::vector<State> state_;
};

}  // namespace

void verify(const Module& module) {
  if (module.functions.empty()) {
    raise<InvalidArgument>(
        {.what = str("module '", module.name, "' has no function"), .wanted = "at least main"});
  }
  if (module.num_replicas < 1 || module.num_partitions < 1) {
    raise<InvalidArgument>({.what = str("module '", module.name, "' has ", module.num_replicas,
                                        " replicas and ", module.num_partitions, " partitions"),
                            .wanted = "1 or more of each"});
  }
  std::set<std::string> names;
  for (const Function& function : module.functions) {
    if (!names.insert(function.name).second) {
      raise<InvalidArgument>({.what = str("two functions are called '", function.name, "'")});
    }
    FunctionVerifier(module, function).verify();
  }
}

}  // namespace ir
}  // namespace systolic::inline v0
