#include "systolic/stablehlo/pretty/pretty_region_forms.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/stablehlo/pretty/pretty_forms.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// in_shardings=[...], as the generic form has it: #sdy.sharding_per_value<[...]>.
void bracketed(Parser& parser, Operation& op, std::string_view name, std::string_view brackets,
               std::string_view before) {
  Scanner& scan = parser.scan();
  scan.expect(name);
  scan.expect("=");
  Attribute text;
  text.kind = Attribute::Kind::opaque;
  text.offset = scan.position();
  scan.expect(brackets.substr(0, 1));
  scan.until_closing(brackets[0], brackets[1]);
  text.text = parser.implied(str(before, scan.from(text.offset), ">"));
  add_attribute(op, name, std::move(text));
}

// The region {return name(%a, %b)} of two scalars.
void fill_named_reducer(Parser& parser, Operation& op) {
  Region& region = op.regions[0];
  const Type element = parser.program().type(parser.function().type(op.operands[1]));
  const TypeId scalar = parser.intern(element);
  for (int side = 0; side < 2; ++side) {
    region.arguments.push_back(parser.define({}, scalar, op.offset));
  }
  Operation& fold = region.operations[0];
  fold.operands = region.arguments;
  fold.offset = op.offset;
  fold.results = {parser.define({}, scalar, op.offset)};
  Operation back;
  back.name = "stablehlo.return";
  back.operands = fold.results;
  back.offset = op.offset;
  region.operations.push_back(std::move(back));
}

}  // namespace

bool may_fold_by_name(std::string_view op) {
  constexpr std::string_view names[] = {"add",      "and", "maximum", "minimum",
                                        "multiply", "or",  "xor"};
  constexpr std::string_view dialect = "stablehlo.";
  return op.substr(0, dialect.size()) == dialect &&
         std::find(std::begin(names), std::end(names), op.substr(dialect.size())) !=
             std::end(names);
}

void parse_reduce(Parser& parser, Operation& op) {
  Scanner& scan = parser.scan();
  std::vector<ValueId> initial;
  do {
    scan.expect("(");
    op.operands.push_back(parser.operand());
    scan.expect("init");
    scan.expect(":");
    initial.push_back(parser.operand());
    scan.expect(")");
  } while (scan.accept(","));
  op.operands.insert(op.operands.end(), initial.begin(), initial.end());
  if (scan.accept("applies")) {
    const size_t start = scan.position();
    const std::string_view name = scan.expect_word("an op");
    if (!may_fold_by_name(name)) {
      scan.fail_at(start, "add, multiply, minimum, maximum, and, or or xor of StableHLO",
                   "only a commutative op of two operands can fold by its name");
    }
    if (initial.size() != 1) scan.fail("a reducer", "only one array can be folded by a named op");
    // Its type is known when the op's types were read.
    Region& region = op.regions.emplace_back();
    region.operations.emplace_back().name = name;
  }
  scan.expect("across");
  scan.expect("dimensions");
  scan.expect("=");
  add_attribute(op, "dimensions", parse_axes(parser));
}

void parse_reducer(Parser& parser, Operation& op) {
  if (!op.regions.empty()) return fill_named_reducer(parser, op);
  Scanner& scan = parser.scan();
  scan.expect("reducer");
  const size_t scope = parser.scope_begin();
  Region region;
  std::vector<ValueId> right;
  for (size_t i = 0; 2 * i < op.operands.size(); ++i) {
    scan.expect("(");
    for (int side = 0; side < 2; ++side) {
      if (side == 1) scan.expect(",");
      const size_t start = scan.position();
      scan.expect("%");
      const std::string_view name = scan.suffix();
      scan.expect(":");
      (side == 0 ? region.arguments : right).push_back(parser.define(name, parser.type(), start));
      parser.optional_location();
    }
    scan.expect(")");
  }
  region.arguments.insert(region.arguments.end(), right.begin(), right.end());
  scan.expect("{");
  parser.operations(region);
  parser.scope_end(scope);
  op.regions.push_back(std::move(region));
}

std::vector<TypeId> parse_while(Parser& parser, Operation& op) {
  Scanner& scan = parser.scan();
  std::vector<std::pair<std::string_view, size_t>> names;
  scan.expect("(");
  if (!scan.accept(")")) {
    do {
      const size_t start = scan.position();
      scan.expect("%");
      names.emplace_back(scan.suffix(), start);
      scan.expect("=");
      op.operands.push_back(parser.operand());
    } while (scan.accept(","));
    scan.expect(")");
  }
  std::vector<TypeId> types;
  if (!op.operands.empty() || scan.next_is(":")) {
    scan.expect(":");
    const size_t start = scan.position();
    types = parser.type_list();
    parser.check_operand_types(op, types, start);
  }
  if (scan.accept("attributes")) parser.attribute_dictionary(op.attributes);
  for (const char* word : {"cond", "do"}) {
    scan.expect(word);
    scan.expect("{");
    const size_t scope = parser.scope_begin();
    Region& region = op.regions.emplace_back();
    for (size_t i = 0; i < names.size(); ++i) {
      region.arguments.push_back(parser.define(names[i].first, types[i], names[i].second));
    }
    parser.operations(region);
    parser.scope_end(scope);
  }
  return types;
}

void parse_scan(Parser& parser, Operation& op) {
  Scanner& scan = parser.scan();
  scan.expect("(");
  parser.operand_list(op.operands);
  scan.expect(")");
  const size_t inputs = op.operands.size();
  scan.expect("inits");
  scan.expect("(");
  parser.operand_list(op.operands);
  scan.expect(")");
  add_attribute(op, "input_count",
                integer_attribute(parser, static_cast<int64_t>(inputs), ElementType::i64));
  scan.expect("dimension");
  scan.expect("=");
  add_attribute(op, "dimension",
                integer_attribute(parser, scan.integer("an axis"), ElementType::i64));
  if (scan.accept("attributes")) parser.attribute_dictionary(op.attributes);
  op.regions.push_back(parser.region());
}

void parse_manual(Parser& parser, Operation& op) {
  Scanner& scan = parser.scan();
  scan.expect("(");
  parser.operand_list(op.operands);
  scan.expect(")");
  bracketed(parser, op, "in_shardings", "[]", "#sdy.sharding_per_value<");
  bracketed(parser, op, "out_shardings", "[]", "#sdy.sharding_per_value<");
  bracketed(parser, op, "manual_axes", "{}", "#sdy<manual_axes");
  const size_t scope = parser.scope_begin();
  Region region;
  scan.expect("(");
  if (!scan.accept(")")) {
    do {
      const size_t start = scan.position();
      scan.expect("%");
      const std::string_view name = scan.suffix();
      scan.expect(":");
      region.arguments.push_back(parser.define(name, parser.type(), start));
      parser.optional_location();
    } while (scan.accept(","));
    scan.expect(")");
  }
  scan.expect("{");
  parser.operations(region);
  parser.scope_end(scope);
  op.regions.push_back(std::move(region));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
