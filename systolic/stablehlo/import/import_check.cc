// The checks and probes that test programs carry, and calls of custom functions.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/core/axes.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/handlers.h"
#include "systolic/stablehlo/narrow.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

Check check_of(const OpImport& op, std::string_view name) {
  Check check;
  check.offset = op.op().offset;
  if (name.find("almost_eq") != std::string_view::npos) {
    check.kind = Check::Kind::almost_equal;
    const Attribute* tolerance = op.find("tolerance");
    check.tolerance = tolerance == nullptr ? 1e-4 : read_float(op.importer().program(), *tolerance);
  } else if (name.find("close") != std::string_view::npos) {
    check.kind = Check::Kind::close;
    check.least_ulp = static_cast<uint64_t>(op.integer("min_ulp_difference", 0));
    check.most_ulp = static_cast<uint64_t>(op.integer("max_ulp_difference", 1));
  }
  return check;
}

void require_checks(OpImport& op) {
  if (op.importer().options().checks != nullptr) return;
  op.lack("a check outside a test", "run the program with `systolic conformance`");
}

// The number that an operand is known to hold while importing.
int64_t known_number(const OpImport& op, size_t i) {
  const Literal* literal = op.importer().constant(op.operand(i).id());
  if (literal == nullptr || literal->size() != 1) {
    op.lack(str("operand ", i, " is not known while importing"),
            "sizes must follow from constants and from the shapes of the arguments");
  }
  return literal->integer_at(0);
}

// What a program asks of the sizes that were open, as jax.export writes it: a condition, and the
// numbers that its error_message names as {0}, {1}, ... Where it holds nothing is left of it.
void check_shape_assertion(const OpImport& op) {
  if (known_number(op, 0) != 0) return;
  std::string message(op.required("error_message").text);
  for (size_t i = 1; i < op.operand_count(); ++i) {
    const std::string mark = str("{", i - 1, "}");
    const size_t at = message.find(mark);
    if (at != std::string::npos) message.replace(at, mark.size(), str(known_number(op, i)));
  }
  op.fail("shape_assertion", std::move(message), "sizes for which it holds");
}

}  // namespace

// check.expect_eq, check.expect_eq_const, ...
void import_check(OpImport& op) {
  require_checks(op);
  const ir::Value actual = op.operand(0);
  ir::Value expected;
  if (const Attribute* value = op.find("value")) {
    const ElementType element = op.operand_element();
    const DenseValue dense = read_dense(op.importer().program(), *value, element, actual.shape());
    expected = op.builder().constant(dense.literal);
    if (dense.splat) expected = ir::broadcast_in_dim(expected, actual.shape(), {});
    if (is_narrow(element)) expected = narrow_to_numbers(expected, element);
  } else {
    expected = op.operand(1);
  }
  op.importer().add_check(check_of(op, op.op().name), actual, expected);
}

// check.expect_serialized_eq %x, probe_id = "name", iter = 1
void import_probed_check(OpImport& op) {
  require_checks(op);
  Check check;
  check.kind = Check::Kind::probed;
  check.offset = op.op().offset;
  check.probe = op.required("probe_id").text;
  check.iteration = op.integer("iter", 0);
  op.importer().add_check(std::move(check), op.operand(0), op.operand(0));
}

// interpreter.probe %x, probe_id = "name"
void import_probe(OpImport& op) {
  const auto& is_custom_function = op.importer().options().is_custom_function;
  if (!is_custom_function || !is_custom_function(probe_function)) {
    op.lack("a probe outside a test", "run the program with `systolic conformance`");
  }
  const ir::Value x = op.operand(0);
  ir::Axes row_major = axes_from(0, x.rank());
  std::reverse(row_major.begin(), row_major.end());
  ir::CustomCallAttributes call;
  call.call_target_name = probe_function;
  call.options = {{"probe_id", std::string(op.required("probe_id").text)}};
  call.operand_layouts = call.result_layouts = {row_major};
  call.has_side_effect = true;
  op.set(op.add(ir::OpCode::custom_call, {x}, std::move(call), {}, {x.type()}));
}

void import_custom_call(OpImport& op) {
  const std::string_view target = op.required("call_target_name").text;
  if (target.substr(0, 6) == "check.") {
    require_checks(op);
    Check check = check_of(op, target);
    const bool numbers = target == "check.eq" && !is_integer(op.operand(1).dtype()) &&
                         op.operand(1).dtype() != DType::pred;
    if (numbers) {
      check.kind = Check::Kind::almost_equal;
      check.tolerance = 1e-4;
    }
    // As these calls are defined, whatever the check ops' defaults are.
    if (target == "check.expect_almost_eq") check.tolerance = 1e-3;
    if (check.kind == Check::Kind::close) check.most_ulp = 3;
    op.importer().add_check(check, op.operand(0), op.operand(1));
    if (op.op().results.empty()) return;
    return op.set(op.builder().filled(DType::pred, {}, 1));
  }
  if (target == "shape_assertion") return check_shape_assertion(op);
  if (target.substr(0, 5) == "mhlo.") return import_mhlo_call(op);
  if (target == "Qr") return import_qr(op);
  if (target == "ProductOfElementaryHouseholderReflectors") return import_householder_product(op);
  if (target == "Eigh") return import_eigh(op);
  if (target == "LuDecomposition") return import_lu(op);
  if (target == "ApproxTopK" || target == "stablehlo.dynamic_approx_top_k") {
    return import_approx_top_k(op);
  }
  const bool hint_only = target == "Sharding" || target == "annotate_device_placement" ||
                         target == "LayoutConstraint" || target == "InspectSharding";
  if (hint_only) return op.set(op.operand(0));
  const auto& is_custom_function = op.importer().options().is_custom_function;
  if (is_custom_function && is_custom_function(target)) return import_custom_function(op);
  if (target == "dce_sink") return;  // asks that its operands be computed, and gives nothing
  if (target == "tpu_custom_call") {
    op.lack("a kernel in a TPU's own instructions (Pallas), which no other device runs");
  }
  op.lack(str("no custom function is called '", target, "'"));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
