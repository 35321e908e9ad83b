// Rules of ops by name, of all but products, gathers and reshapes.
#include <algorithm>
#include <charconv>
#include <map>

#include "plugin/shardings/rule_builder.h"
#include "systolic/base/text.h"
#include "systolic/ir/op_code.h"
#include "systolic/stablehlo/dense.h"

namespace systolic::inline v0 {
namespace plugin {

using stablehlo::Attribute;
using stablehlo::Operation;
using stablehlo::Program;

bool contains(const std::vector<int64_t>& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::vector<int64_t> RuleBuilder::axes(std::string_view attribute) const {
  const Attribute* found = op_.find(attribute);
  return found == nullptr ? std::vector<int64_t>{} : stablehlo::read_integers(program_, *found);
}

std::vector<int64_t> RuleBuilder::axes(std::string_view structure, std::string_view field) const {
  const Attribute* all = op_.find(structure);
  const Attribute* found = all == nullptr ? nullptr : stablehlo::find(all->fields, field);
  return found == nullptr ? std::vector<int64_t>{} : stablehlo::read_integers(program_, *found);
}

int64_t RuleBuilder::integer(std::string_view attribute, int64_t otherwise) const {
  const Attribute* found = op_.find(attribute);
  return found == nullptr ? otherwise : found->integer;
}

int64_t RuleBuilder::integer(std::string_view structure, std::string_view field,
                             int64_t otherwise) const {
  const Attribute* all = op_.find(structure);
  const Attribute* found = all == nullptr ? nullptr : stablehlo::find(all->fields, field);
  return found == nullptr ? otherwise : found->integer;
}

namespace {

void pointwise(RuleBuilder& rule) {
  const std::vector<int64_t>& shape = rule.result();
  for (size_t i = 0; i < shape.size(); ++i) {
    rule.same(static_cast<int>(i), shape[i], shape.size());
  }
}

// What cores exchange keeps its place in the array.
void collective(RuleBuilder& rule) {
  if (rule.sizes.results.size() == 1) pointwise(rule);
}

// Axes of one size pass; a cut of another goes on, if `moves`: its parts are shifted.
void pass_equal(RuleBuilder& rule, bool moves) {
  const std::vector<int64_t>&from = rule.operand(0), &to = rule.result();
  for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    const bool equal = from[i] == to[i];
    if (equal || moves) rule.same(static_cast<int>(i), from[i], from.size(), equal);
  }
}
void pass_kept(RuleBuilder& rule) { pass_equal(rule, false); }
void pass_shifted(RuleBuilder& rule) { pass_equal(rule, true); }

void broadcast_in_dim(RuleBuilder& rule) {
  const std::vector<int64_t> to = rule.axes("broadcast_dimensions");
  for (size_t i = 0; i < to.size(); ++i) {
    const int64_t size = rule.result().at(static_cast<size_t>(to[i]));
    if (rule.operand(0).at(i) == size)
      rule.pair(size, static_cast<int>(i), static_cast<int>(to[i]));
  }
}

// Where the bytes of an element become an axis, that one stays whole.
void bitcast_convert(RuleBuilder& rule) {
  const std::vector<int64_t>&from = rule.operand(0), &to = rule.result();
  for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    rule.pair(from[i], static_cast<int>(i), static_cast<int>(i));
  }
}

void concatenate(RuleBuilder& rule) {
  const int64_t along = rule.integer("dimension", 0);
  const std::vector<int64_t>& shape = rule.result();
  for (size_t i = 0; i < shape.size(); ++i) {
    rule.same(static_cast<int>(i), shape[i], shape.size(), static_cast<int64_t>(i) != along);
  }
}

void dynamic_update_slice(RuleBuilder& rule) {
  const std::vector<int64_t>&whole = rule.operand(0), &update = rule.operand(1);
  for (size_t i = 0; i < whole.size(); ++i) {
    const int axis = static_cast<int>(i);
    if (whole[i] == update.at(i)) {
      rule.same(axis, whole[i], whole.size());
    } else {
      rule.pair(whole[i], axis, axis);
    }
  }
}

void fft(RuleBuilder& rule) {
  const size_t rank = rule.operand(0).size(), transformed = rule.axes("fft_length").size();
  for (size_t i = 0; i < rank; ++i) {
    if (i + 1 == rank && rule.operand(0)[i] != rule.result().at(i)) continue;
    rule.same(static_cast<int>(i), rule.operand(0)[i], rank, i + transformed < rank);
  }
}

void reduce(RuleBuilder& rule) {
  const std::vector<int64_t> gone = rule.axes("dimensions");
  const size_t inputs = rule.sizes.results.size();
  int kept = 0;
  for (size_t i = 0; i < rule.operand(0).size(); ++i) {
    const bool stays = !contains(gone, static_cast<int64_t>(i));
    std::vector<int> axes(rule.arrays(), no_axis);
    std::fill_n(axes.begin(), inputs, static_cast<int>(i));
    if (stays) std::fill_n(axes.end() - static_cast<int64_t>(inputs), inputs, kept++);
    rule.factor(rule.operand(0)[i], std::move(axes), stays);
  }
}

// What is cut by windows is cut by results; windows of one element pass.
void windows(RuleBuilder& rule) {
  const std::vector<int64_t>&from = rule.operand(0), &to = rule.result();
  for (size_t i = 0; i < to.size(); ++i) {
    rule.same(static_cast<int>(i), to[i], to.size(), from[i] == to[i]);
  }
}

void select_and_scatter(RuleBuilder& rule) {
  const std::vector<int64_t>&whole = rule.operand(0), &source = rule.operand(1);
  for (size_t i = 0; i < whole.size(); ++i) {
    const int axis = static_cast<int>(i);
    if (whole[i] == source.at(i)) {
      rule.same(axis, whole[i], whole.size());
    } else {
      rule.pair(whole[i], axis, axis, false);
    }
  }
}

void sort(RuleBuilder& rule) {
  const std::vector<int64_t>& shape = rule.operand(0);
  const int64_t along = rule.integer("dimension", -1);
  const int64_t rank = static_cast<int64_t>(shape.size());
  const auto sorted = static_cast<size_t>(along < 0 ? along + rank : along);
  bool alone = true;
  for (size_t i = 0; i < shape.size(); ++i) alone = alone && (i == sorted || shape[i] == 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != sorted || !alone) rule.same(static_cast<int>(i), shape[i], shape.size(), i != sorted);
  }
}

void transpose(RuleBuilder& rule) {
  const std::vector<int64_t> from = rule.axes("permutation");
  for (size_t i = 0; i < from.size(); ++i) {
    rule.pair(rule.result().at(i), static_cast<int>(from[i]), static_cast<int>(i));
  }
}

// All axes except the last two count independent matrices.
void matrices(RuleBuilder& rule) {
  const std::vector<int64_t>& shape = rule.result();
  for (size_t i = 0; i < shape.size(); ++i) {
    rule.same(static_cast<int>(i), shape[i], shape.size(), i + 2 < shape.size());
  }
}

void triangular_solve(RuleBuilder& rule) {
  const std::vector<int64_t>& shape = rule.result();
  for (size_t i = 0; i + 2 < shape.size(); ++i) {
    rule.same(static_cast<int>(i), shape[i], shape.size());
  }
}

// The first axes of all arrays count independent calls, as many as the call says.
bool batch_axes(RuleBuilder& rule) {
  const Attribute* all = rule.op().find("mhlo.frontend_attributes");
  const Attribute* said = all == nullptr ? nullptr : stablehlo::find(all->fields, "num_batch_dims");
  if (said == nullptr || rule.sizes.operands.empty() || rule.sizes.results.empty()) return false;
  int64_t count = 0;
  std::from_chars(said->text.data(), said->text.data() + said->text.size(), count);
  const std::vector<int64_t>& shape = rule.operand(0);
  for (size_t i = 0; i < shape.size() && static_cast<int64_t>(i) < count; ++i) {
    std::vector<int> axes;
    for (const auto* side : {&rule.sizes.operands, &rule.sizes.results}) {
      for (const auto& each : *side) {
        axes.push_back(i < each.size() && each[i] == shape[i] ? static_cast<int>(i) : no_axis);
      }
    }
    rule.factor(shape[i], std::move(axes));
  }
  return true;
}

void custom_call(RuleBuilder& rule) {
  if (const Attribute* text = rule.op().find("sdy.sharding_rule")) {
    written_rule(rule, *text);
    return;
  }
  if (batch_axes(rule)) return;
  const Attribute* name = rule.op().find("call_target_name");
  if (name == nullptr || rule.sizes.operands.empty()) return;
  if (name->text == "mhlo.topk" || name->text == "ApproxTopK") pass_kept(rule);
}

using Build = void (*)(RuleBuilder&);
const std::map<std::string_view, Build>& table() {
  static const std::map<std::string_view, Build> rows = {
      {"chlo.top_k", pass_kept},
      {"stablehlo.all_reduce", collective},
      {"stablehlo.bitcast_convert", bitcast_convert},
      {"stablehlo.broadcast_in_dim", broadcast_in_dim},
      {"stablehlo.cholesky", matrices},
      {"stablehlo.collective_broadcast", collective},
      {"stablehlo.collective_permute", collective},
      {"stablehlo.concatenate", concatenate},
      {"stablehlo.convolution", convolution_rule},
      {"stablehlo.custom_call", custom_call},
      {"stablehlo.dot", dot_rule},
      {"stablehlo.dot_general", dot_general_rule},
      {"stablehlo.dynamic_slice", pass_kept},
      {"stablehlo.dynamic_update_slice", dynamic_update_slice},
      {"stablehlo.fft", fft},
      {"stablehlo.gather", gather_rule},
      {"stablehlo.pad", pass_shifted},
      {"stablehlo.reduce", reduce},
      {"stablehlo.reduce_window", windows},
      {"stablehlo.reshape", reshape_rule},
      {"stablehlo.reverse", pointwise},
      {"stablehlo.scatter", scatter_rule},
      {"stablehlo.select_and_scatter", select_and_scatter},
      {"stablehlo.slice", pass_shifted},
      {"stablehlo.sort", sort},
      {"stablehlo.transpose", transpose},
      {"stablehlo.triangular_solve", triangular_solve},
  };
  return rows;
}

// Ops whose result has, at each place, what the operands have there.
bool is_elementwise_op(std::string_view name) {
  static const std::map<std::string, bool, std::less<>> ops = [] {
    std::map<std::string, bool, std::less<>> names;
    for (int i = 0; i < ir::op_count; ++i) {
      const ir::OpInfo& op = ir::info(static_cast<ir::OpCode>(i));
      names[str("stablehlo.", op.name)] = ir::is_elementwise(op.code);
    }
    return names;
  }();
  const auto found = ops.find(name);
  return found != ops.end() && found->second;
}

// No array has more axes than the result.
bool has_one_shape(const Sizes& sizes) {
  if (sizes.results.size() != 1) return false;
  return std::all_of(sizes.operands.begin(), sizes.operands.end(), [&](const auto& operand) {
    return operand.empty() || operand == sizes.results[0];
  });
}

}  // namespace

bool is_elementwise(const Operation& op, const Sizes& sizes) {
  if (!has_one_shape(sizes)) return false;
  if (op.name.substr(0, 5) == "chlo.") return table().count(op.name) == 0;
  return is_elementwise_op(op.name);
}

Rule pointwise_rule(const Sizes& sizes) {
  Rule rule{sizes.operands.size()};
  const std::vector<int64_t>& shape = sizes.results.at(0);
  for (size_t i = 0; i < shape.size(); ++i) {
    Factor& factor = rule.factors.emplace_back();
    factor.size = shape[i];
    for (const auto& each : sizes.operands) {
      factor.axes.push_back(each.size() == shape.size() ? static_cast<int>(i) : no_axis);
    }
    factor.axes.insert(factor.axes.end(), sizes.results.size(), static_cast<int>(i));
  }
  return rule;
}

std::optional<Rule> rule_of(const Program& program, const Operation& op, const Sizes& sizes) {
  if (is_elementwise(op, sizes)) return pointwise_rule(sizes);
  const auto found = table().find(op.name);
  if (found == table().end()) return std::nullopt;
  RuleBuilder rule(program, op, sizes);
  found->second(rule);
  return rule.take();
}

}  // namespace plugin
}  // namespace systolic::inline v0
