// One op while its constraints are checked: what it is given, and the checks that many ops share.
// verify.h is what others include.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/stablehlo/verify/op/types.h"

namespace systolic::inline v0 {
namespace stablehlo {

using Axes = std::vector<int64_t>;

// An operand or a result by the specification's name, "lhs" or "inputs[2]".
struct NamedValue {
  std::string_view name;
  int64_t index;  // -1: the only one of its name
  TypeId id;
  const Type* type;

  int64_t rank() const { return static_cast<int64_t>(type->dims.size()); }
  int64_t dim(int64_t axis) const { return type->dims[static_cast<size_t>(axis)]; }
  std::string text() const { return index < 0 ? std::string(name) : str(name, "[", index, "]"); }
};
using NamedValues = std::vector<NamedValue>;

// What a message says: "dim(rhs, 0), got 4, expected 3 = dim(lhs, 1)".
struct Violation {
  std::string what, got, wanted;
};

// Cores of a module; 0 where it does not say.
struct ModuleCores {
  int64_t replicas = 0, partitions = 0;
};

// The op that gives each value of a function; nullptr for arguments.
using Makers = std::vector<const Operation*>;

class OpVerifier {
 public:
  OpVerifier(const Program& program, const Function& function, const Operation& op,
             ModuleCores cores, const Makers& makers)
      : program_(program), function_(function), op_(op), cores_(cores), makers_(makers) {}

  const Program& program() const { return program_; }
  const Operation& op() const { return op_; }
  ModuleCores cores() const { return cores_; }

  NamedValue operand(size_t i, std::string_view name) const {
    return value(op_.operands[i], name, -1);
  }
  NamedValue result(size_t i = 0, std::string_view name = "result") const {
    return value(op_.results[i], name, -1);
  }
  // Operands [begin, end) as name[0], name[1], ...
  NamedValues operands(std::string_view name, size_t begin = 0,
                       size_t end = static_cast<size_t>(-1)) const;
  NamedValues results(std::string_view name = "results") const;
  // What a region takes, and what its return gives.
  NamedValues arguments(size_t region, std::string_view name) const;
  NamedValues returned(size_t region, std::string_view name) const;
  std::string type_of(const NamedValue& value) const;
  // What an operand holds: whole numbers, where a constant says so; nothing where only the run
  // tells, or where they are more than any shape has.
  std::optional<Axes> constant(size_t operand) const;

  // Raises "file:line:column: label: what, got ..., expected ..."; number 0: no label stands for
  // it.
  [[noreturn]] void fail(int constraint, Violation violation) const {
    fail_as('c', constraint, std::move(violation));
  }
  [[noreturn]] void fail_as(char letter, int number, Violation violation) const;
  // What no label stands for.
  [[noreturn]] void fail_unlabelled(Violation violation) const;
  template <class Describe>
  void require(bool holds, int constraint, const Describe& describe) const {
    if (!holds) fail(constraint, describe());
  }

  // Checks that many ops share; `constraint` is the number of the label.
  void size_is(int constraint, std::string_view list, size_t size, int64_t wanted) const;
  // Sizes; one that is not known fits.
  void is(int constraint, std::string_view what, int64_t got, int64_t wanted) const;
  // least <= each of them
  void at_least(int constraint, std::string_view name, const Axes& values, int64_t least) const;
  // 0 <= each of them < limit
  void in_range(int constraint, std::string_view name, const Axes& values, int64_t limit) const;
  void unique(int constraint, std::string_view name, Axes values) const;
  void sorted(int constraint, std::string_view name, const Axes& values) const;
  void same_rank(int constraint, const NamedValue& got, const NamedValue& wanted) const;
  void same_dim(int constraint, const NamedValue& got, int64_t axis, const NamedValue& wanted,
                int64_t wanted_axis) const;
  void shape_is(int constraint, const NamedValue& got, const Axes& wanted) const;
  // A scalar; the label is that of an input.
  void scalar_input(int input, const NamedValue& value) const;
  // All sizes known, or - where one may be bounded - all but one, which has a bound.
  void known_shape(const NamedValue& value, bool may_be_bounded) const;
  void same_shape(int constraint, const NamedValue& got, const NamedValue& wanted) const;
  void same_element(int constraint, const NamedValue& got, const NamedValue& wanted) const;
  void same_baseline_element(int constraint, const NamedValue& got, const NamedValue& wanted) const;
  void same_type(int constraint, const NamedValue& got, const NamedValue& wanted) const;
  void same_baseline_type(int constraint, const NamedValue& got, const NamedValue& wanted) const;
  // As many, and each the same.
  void same_types(int constraint, const NamedValues& got, const NamedValues& wanted,
                  std::string_view names) const;
  // A region (tensor<E0>, ..., tensor<E0>, ...) -> (tensor<E0>, ...) with the elements of `values`,
  // or ones that they promote to. Gives the region's results.
  NamedValues reducer(int constraint, size_t region, std::string_view name,
                      const NamedValues& values) const;

  // Attributes; a missing one gives the default, or an unlabelled error where there is none.
  const Attribute* find(std::string_view name) const { return op_.find(name); }
  const Attribute& required(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  bool boolean(std::string_view name) const;
  std::string_view word(std::string_view name) const;
  Axes axes(std::string_view name) const;
  Axes axes(std::string_view name, Axes otherwise) const;
  // The sizes of a constant's axes: {2, 2} for [[0, 1], [2, 3]].
  Axes shape_of(const Attribute& attribute) const;
  Axes flat(const Attribute& attribute) const;
  Axes field_axes(const Attribute& structure, std::string_view name) const;
  int64_t field_integer(const Attribute& structure, std::string_view name) const;

 private:
  NamedValue value(ValueId id, std::string_view name, int64_t index) const {
    const TypeId type = function_.type(id);
    return {name, index, type, &program_.type(type)};
  }

  const Program& program_;
  const Function& function_;
  const Operation& op_;
  ModuleCores cores_;
  const Makers& makers_;
};

}  // namespace stablehlo
}  // namespace systolic::inline v0
