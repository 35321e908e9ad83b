#include "plugin/program/equal_factors.h"

#include <utility>

namespace systolic::inline v0 {
namespace plugin {
namespace {

using Element = stablehlo::ElementType;
using stablehlo::Operation;
using stablehlo::Type;
using stablehlo::ValueId;

// In the order of the enumeration.
bool is_whole_number(Element type) { return type >= Element::i2 && type <= Element::ui64; }
bool is_float(Element type) { return type >= Element::f4e2m1fn && type <= Element::f64; }
bool is_complex(Element type) { return type == Element::c64 || type == Element::c128; }
bool is_number(Element type) { return is_whole_number(type) || is_float(type) || is_complex(type); }
int kind_of_number(Element type) { return is_whole_number(type) ? 0 : is_float(type) ? 1 : 2; }

// What holds the numbers of both, which differ.
Element wider(Element a, Element b) {
  if (kind_of_number(a) != kind_of_number(b)) return kind_of_number(a) > kind_of_number(b) ? a : b;
  const int bits_a = stablehlo::info(a).bits, bits_b = stablehlo::info(b).bits;
  if (bits_a != bits_b) return bits_a > bits_b ? a : b;
  return is_float(a) ? Element::f32 : Element::i64;
}

Element type_of_product(Element lhs, Element rhs, Element result) {
  const Element both = lhs == rhs ? lhs : wider(lhs, rhs);
  return kind_of_number(both) < kind_of_number(result) ? result : both;
}

bool is_product_of_two(const Operation& op) {
  return (op.name == "stablehlo.dot_general" || op.name == "stablehlo.dot" ||
          op.name == "stablehlo.convolution") &&
         op.operands.size() == 2 && op.results.size() == 1;
}

class Factors {
 public:
  Factors(stablehlo::Program& program, stablehlo::Function& function)
      : program_(program), function_(function) {}

  void visit(std::vector<Operation>& ops) {
    for (size_t at = 0; at < ops.size(); ++at) {
      for (stablehlo::Region& region : ops[at].regions) visit(region.operations);
      if (!is_product_of_two(ops[at])) continue;
      std::vector<Operation> converts = equal(ops[at]);
      const size_t added = converts.size();
      ops.insert(ops.begin() + static_cast<int64_t>(at), std::make_move_iterator(converts.begin()),
                 std::make_move_iterator(converts.end()));
      at += added;
    }
  }

 private:
  // The ops that convert its factors, which it takes then.
  std::vector<Operation> equal(Operation& product) {
    const Type *lhs = &type(product.operands[0]), *rhs = &type(product.operands[1]),
               *result = &type(product.results[0]);
    for (const Type* each : {lhs, rhs, result}) {
      const bool known = each->kind == Type::Kind::tensor && !each->quantization;
      if (!known || !is_number(each->element)) return {};
    }
    const Element wanted = type_of_product(lhs->element, rhs->element, result->element);
    std::vector<Operation> converts;
    for (ValueId& factor : product.operands) {
      if (type(factor).element == wanted) continue;
      Operation& convert = converts.emplace_back();
      convert.name = "stablehlo.convert";
      convert.operands = {factor};
      convert.location = product.location;
      convert.offset = product.offset;
      factor = make(factor, wanted);
      convert.results = {factor};
    }
    return converts;
  }

  ValueId make(ValueId like, Element element) {
    Type made = type(like);
    made.element = element;
    program_.types.push_back(std::move(made));
    function_.values.push_back(static_cast<stablehlo::TypeId>(program_.types.size() - 1));
    return static_cast<ValueId>(function_.values.size() - 1);
  }

  const Type& type(ValueId value) const { return program_.type(function_.type(value)); }

  stablehlo::Program& program_;
  stablehlo::Function& function_;
};

}  // namespace

void make_factors_equal(stablehlo::Program& program) {
  for (stablehlo::Function& function : program.functions) {
    Factors(program, function).visit(function.body.operations);
  }
}

}  // namespace plugin
}  // namespace systolic::inline v0
