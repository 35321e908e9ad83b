// Makes a Placement of a program: calls in place, a loop's argument, the result of its body and its
// own result as one array each.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/shardings/placement.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace plugin {

class ProgramWalk {
 public:
  // For each call that each device makes on its parts of the operands, as JAX writes callbacks with
  // partitioned=True: its operands.
  using Calls = std::map<const stablehlo::Operation*, std::vector<int>>;
  // What a program asks about (jax.debug.inspect_array_sharding): the call's text, and the array.
  using Questions = std::vector<std::pair<std::string, int>>;

  // What is beyond a million ops counts as whole.
  ProgramWalk(const stablehlo::Program& program, const stablehlo::Function& function,
              int64_t cores);

  Placement& placement() { return placement_; }
  const std::vector<int>& results() const { return results_; }
  const Calls& calls() const { return calls_; }
  const Questions& questions() const { return questions_; }

 private:
  // An array, or a constant, which is another array wherever it is used, unless it is of a group.
  struct Value {
    int array = -1;
    bool constant = false;
  };
  // A function at one of its calls.
  struct Frame {
    const stablehlo::Function* function;
    std::vector<Value> values;
    std::vector<Value> returned = {};
    explicit Frame(const stablehlo::Function& of) : function(&of), values(of.values.size()) {}
  };

  void arguments();
  void results_of_main();
  void visit_all(const std::vector<stablehlo::Operation>& ops);
  void visit(const stablehlo::Operation& op);
  void constraint(const stablehlo::Operation& op);
  void group(const stablehlo::Operation& op);
  void manual(const stablehlo::Operation& op);
  bool leaves_axes(const stablehlo::Operation& op,
                   const std::vector<stablehlo::MeshSharding>& shardings) const;
  void loop(const stablehlo::Operation& op);
  void branches(const stablehlo::Operation& op);
  void call(const stablehlo::Operation& op, std::string_view callee);
  void barrier(const stablehlo::Operation& op);
  void question(const stablehlo::Operation& op);
  void other(const stablehlo::Operation& op);

  Value& value(stablehlo::ValueId id) { return frame_->values[static_cast<size_t>(id)]; }
  int use(Value& value, const stablehlo::Type& type);
  int use(stablehlo::ValueId id) { return use(value(id), type_of(id)); }
  int make(stablehlo::ValueId id);
  void same(std::vector<int> from, int to);
  void local(int from, int to);
  std::vector<int> region(const stablehlo::Region& region, const std::vector<Value>& arguments);
  void say(int array, const stablehlo::MeshSharding& sharding);
  void say(int array, const stablehlo::Parts& parts);
  void hint(int array, const stablehlo::MeshSharding& sharding);
  bool is_constant(const stablehlo::Operation& op, const Sizes& sizes);
  const stablehlo::Type& type_of(stablehlo::ValueId id) const;
  int like(int array);
  bool are_static(const Sizes& sizes) const;

  const stablehlo::Program& program_;
  const stablehlo::Function& function_;
  int64_t cores_;
  std::map<std::string_view, const stablehlo::Function*> functions_;
  Placement placement_;
  Frame* frame_ = nullptr;
  std::vector<int> results_;
  Calls calls_;
  Questions questions_;
  std::map<int64_t, int> groups_;  // the first array of each, by its number
  int depth_ = 0;                  // of calls
  int64_t visited_ = 0;            // ops
};

}  // namespace plugin
}  // namespace systolic::inline v0
