// Ops of the chlo dialect (ChloOps.td), for whose constraints nobody has labels.
#include "systolic/stablehlo/verify/rules/families.h"
#include "systolic/stablehlo/verify/rules/gather_axes.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify_chlo_elementwise(const OpVerifier& op) {
  const NamedValue lhs = op.operand(0, "lhs");
  op.same_baseline_element(0, op.operand(1, "rhs"), lhs);
  op.same_baseline_element(0, op.result(), lhs);
}

void verify_broadcast_complex(const OpVerifier& op) {
  op.same_element(0, op.operand(1, "rhs"), op.operand(0, "lhs"));
}

void verify_broadcast_select(const OpVerifier& op) {
  const NamedValue on_true = op.operand(1, "on_true");
  op.same_element(0, op.operand(2, "on_false"), on_true);
  op.same_element(0, op.result(), on_true);
}

void verify_constant_like(const OpVerifier& op) {
  const TypeId written = op.required("value").type;
  const NamedValue result = op.result();
  if (written == no_type) return;
  op.require(same_element(op.program().type(written), *result.type), 0, [&] {
    NamedValue value = result;
    value.id = written;
    return Violation{"type(value)", op.type_of(value),
                     str("the element type of ", op.type_of(result))};
  });
}

void verify_mulhi(const OpVerifier& op) {
  const NamedValue lhs = op.operand(0, "lhs");
  op.require(is_integer(*lhs.type) && !is_boolean(*lhs.type), 0, [&] {
    return Violation{"type(lhs)", op.type_of(lhs), "integers of 2 bits or more"};
  });
  op.same_type(0, op.operand(1, "rhs"), lhs);
  op.same_type(0, op.result(), lhs);
}

// The body takes an element of each input and the carries.
void verify_scan(const OpVerifier& op) {
  const NamedValues operands = op.operands("operands");
  const auto given = static_cast<int64_t>(operands.size()),
             inputs = op.integer("input_count", given);
  op.in_range(0, "input_count", {inputs}, given + 1);
  const int64_t axis = op.integer("dimension");
  int64_t steps = op.integer("scan_dim_size", dynamic_size);
  for (int64_t i = 0; i < inputs; ++i) {
    const NamedValue& input = operands[static_cast<size_t>(i)];
    op.in_range(0, "dimension", {axis}, input.rank());
    op.is(0, str("dim(", input.text(), ", ", axis, ")"), input.dim(axis), steps);
    if (steps == dynamic_size) steps = input.dim(axis);
  }
  const NamedValues arguments = op.arguments(0, "argument of the body");
  op.size_is(0, "arguments of the body", arguments.size(), given);
  for (size_t i = 0; i < arguments.size(); ++i) {
    op.same_element(0, arguments[i], operands[i]);
    Axes wanted = operands[i].type->dims;
    if (static_cast<int64_t>(i) < inputs) wanted.erase(wanted.begin() + axis);
    op.shape_is(0, arguments[i], wanted);
  }
}

void verify_top_k(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand");
  op.at_least(0, "rank(operand)", {operand.rank()}, 1);
  const int64_t k = op.integer("k"), last = operand.dim(operand.rank() - 1);
  op.at_least(0, "k", {k}, 0);
  op.require(last == dynamic_size || k <= last, 0, [&] {
    return Violation{"k", str(k), str("at most ", last, ", the size of the operand's last axis")};
  });
  Axes wanted = operand.type->dims;
  wanted.back() = k;
  op.shape_is(0, op.result(0, "values"), wanted);
  op.shape_is(0, op.result(1, "indices"), wanted);
}

namespace {

// The numbers of chlo.ragged_dot.
struct RaggedDot {
  NamedValue lhs, rhs, sizes;
  Axes lhs_batching, rhs_batching, lhs_contracting, rhs_contracting, ragged, group;

  bool ragged_batch() const { return contains(lhs_batching, ragged[0]); }
  bool ragged_contraction() const { return contains(lhs_contracting, ragged[0]); }
};

void verify_pairs_of_axes(const OpVerifier& op, const RaggedDot& dot) {
  const auto pair = [&](std::string_view name, const Axes& left, const Axes& right) {
    op.in_range(0, str("lhs_", name), left, dot.lhs.rank());
    op.in_range(0, str("rhs_", name), right, dot.rhs.rank());
    op.size_is(0, str("rhs_", name), right.size(), static_cast<int64_t>(left.size()));
    for (size_t i = 0; i < left.size(); ++i) op.same_dim(0, dot.rhs, right[i], dot.lhs, left[i]);
  };
  pair("batching_dimensions", dot.lhs_batching, dot.rhs_batching);
  pair("contracting_dimensions", dot.lhs_contracting, dot.rhs_contracting);
  op.unique(0, "lhs_batching_dimensions + lhs_contracting_dimensions",
            joined(dot.lhs_batching, dot.lhs_contracting));
  op.unique(0, "rhs_batching_dimensions + rhs_contracting_dimensions + rhs_group_dimensions",
            joined(joined(dot.rhs_batching, dot.rhs_contracting), dot.group));
}

// One axis of lhs is ragged. Where it is free, an axis of rhs counts the groups.
void verify_ragged_axis(const OpVerifier& op, const RaggedDot& dot) {
  op.size_is(0, "lhs_ragged_dimensions", dot.ragged.size(), 1);
  op.in_range(0, "lhs_ragged_dimensions", dot.ragged, dot.lhs.rank());
  const bool grouped = !dot.ragged_batch() && !dot.ragged_contraction();
  op.size_is(0,
             grouped ? "rhs_group_dimensions where the ragged axis is free"
                     : "rhs_group_dimensions where the ragged axis is batching or contracting",
             dot.group.size(), grouped ? 1 : 0);
  op.in_range(0, "rhs_group_dimensions", dot.group, dot.rhs.rank());
}

// The sizes of groups: [groups], or one row for each of the axes before the ragged one.
void verify_group_sizes(const OpVerifier& op, const RaggedDot& dot) {
  Axes before;
  const auto until_ragged = [&](const Axes& axes) {
    for (int64_t axis : axes) {
      if (axis == dot.ragged[0]) break;
      before.push_back(axis);
    }
  };
  until_ragged(dot.lhs_batching);
  if (!dot.ragged_batch()) {
    const Axes taken = joined(dot.lhs_batching, dot.lhs_contracting);
    if (dot.ragged_contraction()) {
      until_ragged(dot.lhs_contracting);
    } else {
      Axes free;
      for (int64_t axis = 0; axis < dot.lhs.rank(); ++axis) {
        if (!contains(taken, axis)) free.push_back(axis);
      }
      until_ragged(free);
    }
  }
  op.at_least(0, "rank(group_sizes)", {dot.sizes.rank()}, 1);
  const int64_t groups = dot.sizes.dim(dot.sizes.rank() - 1);
  if (dot.sizes.rank() > 1 || before.empty()) {
    Axes wanted;
    for (int64_t axis : before) wanted.push_back(dot.lhs.dim(axis));
    wanted.push_back(groups);
    op.shape_is(0, dot.sizes, wanted);
  }
  for (int64_t axis : dot.group) {
    op.is(0, str("dim(rhs, ", axis, "), of the groups"), dot.rhs.dim(axis), groups);
  }
}

}  // namespace

void verify_ragged_dot(const OpVerifier& op) {
  const Attribute& numbers = op.required("ragged_dot_dimension_numbers");
  const RaggedDot dot{op.operand(0, "lhs"),
                      op.operand(1, "rhs"),
                      op.operand(2, "group_sizes"),
                      op.field_axes(numbers, "lhs_batching_dimensions"),
                      op.field_axes(numbers, "rhs_batching_dimensions"),
                      op.field_axes(numbers, "lhs_contracting_dimensions"),
                      op.field_axes(numbers, "rhs_contracting_dimensions"),
                      op.field_axes(numbers, "lhs_ragged_dimensions"),
                      op.field_axes(numbers, "rhs_group_dimensions")};
  verify_pairs_of_axes(op, dot);
  verify_ragged_axis(op, dot);
  verify_group_sizes(op, dot);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
