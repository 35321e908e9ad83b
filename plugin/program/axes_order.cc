#include "plugin/program/axes_order.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/stablehlo/dense.h"

namespace systolic::inline v0 {
namespace plugin {

using stablehlo::Attribute;
using stablehlo::Function;
using stablehlo::Operation;
using stablehlo::Program;
using stablehlo::ValueId;

namespace {

using Attributes = std::vector<stablehlo::NamedAttribute>;

std::string_view mode_of(const Attributes& attributes) {
  const Attribute* mode = stablehlo::find(attributes, "mhlo.layout_mode");
  return mode == nullptr ? std::string_view("default") : mode->text;
}

[[noreturn]] void refuse(std::string_view mode, size_t rank) {
  raise<InvalidArgument>({.what = "mhlo.layout_mode",
                          .got = str("\"", mode, "\""),
                          .wanted = str("\"default\", \"auto\" or an order of ", rank,
                                        " axes, such as \"{0,1}\" of two")});
}

// "{0,1}", with or without tiles after a colon, which nobody has here.
std::vector<int64_t> read_order(std::string_view mode, size_t rank) {
  if (mode.size() < 2 || mode.front() != '{' || mode.back() != '}') refuse(mode, rank);
  std::vector<int64_t> order;
  const char *at = mode.data() + 1, *const end = mode.data() + mode.size() - 1;
  while (at < end) {
    const auto read = std::from_chars(at, end, order.emplace_back());
    if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ',')) refuse(mode, rank);
    at = read.ptr + 1;
  }
  std::vector<int64_t> sorted = order;
  std::sort(sorted.rbegin(), sorted.rend());
  if (sorted != row_major(rank)) refuse(mode, rank);
  return order;
}

const Operation* made_by(const Function& function, ValueId value) {
  for (const Operation& op : function.body.operations) {
    if (std::find(op.results.begin(), op.results.end(), value) != op.results.end()) return &op;
  }
  return nullptr;
}

// The order in which the value lies if nothing moves it.
std::vector<int64_t> order_of(const Program& program, const Function& function, ValueId value,
                              size_t rank) {
  const auto& arguments = function.body.arguments;
  const auto argument = std::find(arguments.begin(), arguments.end(), value);
  if (argument != arguments.end()) {
    return argument_order(function, static_cast<size_t>(argument - arguments.begin()), rank);
  }
  const Operation* op = made_by(function, value);
  if (op == nullptr || op->name != "stablehlo.transpose") return row_major(rank);
  const std::vector<int64_t> from = stablehlo::read_integers(program, *op->find("permutation"));
  std::vector<int64_t> order = order_of(program, function, op->operands.at(0), rank);
  for (int64_t& axis : order) axis = std::find(from.begin(), from.end(), axis) - from.begin();
  return order;
}

}  // namespace

std::vector<int64_t> row_major(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

std::vector<int64_t> argument_order(const Function& function, size_t argument, size_t rank) {
  const std::string_view mode = mode_of(function.argument_attributes.at(argument));
  return mode == "default" || mode == "auto" ? row_major(rank) : read_order(mode, rank);
}

std::vector<int64_t> result_order(const Program& program, const Function& function, size_t result,
                                  size_t rank) {
  const std::string_view mode = mode_of(function.result_attributes.at(result));
  if (mode == "default") return row_major(rank);
  if (mode != "auto") return read_order(mode, rank);
  const Operation& end = function.body.operations.back();
  return order_of(program, function, end.operands.at(result), rank);
}

}  // namespace plugin
}  // namespace systolic::inline v0
