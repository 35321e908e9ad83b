// Operations in the generic form, values and regions.
#include "systolic/base/error.h"
#include "systolic/stablehlo/parse/parser.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {

ValueId Parser::define(std::string_view name, TypeId type, size_t offset) {
  const auto id = static_cast<ValueId>(function_->values.size());
  function_->values.push_back(type);
  if (name.empty()) return id;
  if (!values_.emplace(name, Values{id, 1}).second) {
    scan_.fail_at(offset, "another name", str("value %", name, " is defined a second time"));
  }
  defined_.push_back(name);
  return id;
}

void Parser::scope_end(size_t begin) {
  for (; defined_.size() > begin; defined_.pop_back()) values_.erase(defined_.back());
}

ValueId Parser::operand() {
  const size_t start = scan_.position();
  scan_.expect("%");
  const std::string_view name = scan_.suffix();
  const auto found = values_.find(name);
  if (found == values_.end()) {
    scan_.fail_at(start, "a value that was defined before", str("value %", name, " is unknown"));
  }
  const Values& values = found->second;
  if (!scan_.next_is("#")) return values.first;  // as MLIR has it: %0 is %0#0
  scan_.expect("#");
  const int64_t index = scan_.integer("which of the results");
  if (index < 0 || index >= values.count) {
    scan_.fail_at(start, str("#0 to #", values.count - 1),
                  str("%", name, " has ", values.count, " results"));
  }
  return values.first + static_cast<ValueId>(index);
}

void Parser::operand_list(std::vector<ValueId>& operands) {
  if (scan_.peek() != '%') return;
  while (true) {
    operands.push_back(operand());
    const size_t before = scan_.position();
    if (!scan_.accept(",")) return;
    if (scan_.peek() != '%') {
      scan_.move_to(before);
      return;
    }
  }
}

std::vector<ResultName> Parser::result_names() {
  std::vector<ResultName> names;
  if (scan_.peek() != '%') return names;
  do {
    ResultName& result = names.emplace_back();
    result.offset = scan_.position();
    scan_.expect("%");
    result.name = scan_.suffix();
    if (scan_.accept(":")) {
      result.count = scan_.integer("the number of results");
      if (result.count < 1 || result.count > 1 << 20) {
        scan_.fail_at(result.offset, "1 to 2^20", "this number of results is out of range");
      }
    }
  } while (scan_.accept(","));
  scan_.expect("=");
  return names;
}

void Parser::define_results(Operation& op, const std::vector<ResultName>& names,
                            const std::vector<TypeId>& types) {
  int64_t named = 0;
  for (const ResultName& result : names) named += result.count;
  if (!names.empty() && named != static_cast<int64_t>(types.size())) {
    scan_.fail_at(names.front().offset, str(types.size(), ", as its types say"),
                  str("the op is given names for ", named, " results"));
  }
  size_t next = 0;
  for (const ResultName& result : names) {
    const auto first = static_cast<ValueId>(function_->values.size());
    for (int64_t i = 0; i < result.count; ++i) {
      op.results.push_back(
          define(i == 0 ? result.name : std::string_view(), types[next++], result.offset));
    }
    values_[result.name] = {first, result.count};
  }
  for (; next < types.size(); ++next) op.results.push_back(define({}, types[next], op.offset));
}

Operation Parser::operation() {
  const Scanner::Depth depth(scan_);
  const std::vector<ResultName> names = result_names();
  Operation op;
  op.offset = scan_.position();
  std::vector<TypeId> types;
  if (scan_.peek() == '"') {
    generic_operation(op, types);
  } else {
    op.name = scan_.expect_word("an op");
    if (op.name == "return") op.name = "func.return";
    if (op.name == "call") op.name = "func.call";
    types = pretty_operation(op);
  }
  op.location = optional_location();
  define_results(op, names, types);
  return op;
}

void Parser::generic_operation(Operation& op, std::vector<TypeId>& results) {
  op.name = scan_.string();
  scan_.expect("(");
  operand_list(op.operands);
  scan_.expect(")");
  if (scan_.accept("<{")) {
    op.attributes = fields('}');
    scan_.expect(">");
  }
  if (scan_.accept("(")) {
    do op.regions.push_back(region());
    while (scan_.accept(","));
    scan_.expect(")");
  }
  attribute_dictionary(op.attributes);
  results = function_type(op);
}

std::vector<TypeId> Parser::function_type(const Operation& op) {
  scan_.expect(":");
  const size_t start = scan_.position();
  if (scan_.peek() != '(') scan_.fail("'(' before the operands' types");
  const std::vector<TypeId> operands = type_list_or_one();
  check_operand_types(op, operands, start);
  scan_.expect("->");
  return type_list_or_one();
}

void Parser::check_operand_types(const Operation& op, const std::vector<TypeId>& types,
                                 size_t offset) {
  if (types.size() != op.operands.size()) {
    scan_.fail_at(offset, str(op.operands.size(), ", one for each operand"),
                  str(op.name, " is given ", types.size(), " operand types"));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const TypeId defined = function_->type(op.operands[i]);
    if (types[i] == defined) continue;
    scan_.fail_at(
        offset, type_text(program_, defined),
        str("operand ", i, " of ", op.name, " is declared to be ", type_text(program_, types[i])));
  }
}

Region Parser::region() {
  scan_.expect("{");
  const size_t scope = scope_begin();
  Region result;
  region_body(result);
  scope_end(scope);
  return result;
}

void Parser::region_body(Region& region) {
  if (scan_.accept("^")) {
    scan_.suffix();
    if (scan_.accept("(")) {
      do {
        const size_t start = scan_.position();
        scan_.expect("%");
        const std::string_view name = scan_.suffix();
        scan_.expect(":");
        region.arguments.push_back(define(name, type(), start));
        optional_location();
      } while (scan_.accept(","));
      scan_.expect(")");
    }
    scan_.expect(":");
  }
  operations(region);
}

void Parser::operations(Region& region) {
  while (!scan_.accept("}")) {
    if (scan_.at_end()) scan_.fail("an op or '}'");
    if (scan_.peek() == '^') {
      scan_.fail("an op or '}'", "a region of StableHLO has one block");
    }
    region.operations.push_back(operation());
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
