#include "backends/cpu/rewrite/convert_products.h"

#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool is_half(DType dtype) { return dtype == DType::bf16 || dtype == DType::f16; }

// Whether the kernels take operands of one type to a result of the other.
bool has_kernel(DType operand, DType result) {
  if (operand == result) return true;
  if (result == DType::f32) return is_half(operand);
  return result == DType::i32 && (operand == DType::i8 || operand == DType::u8);
}

struct ProductTypes {
  DType operand, result;
};

// What is computed for operands of types a and b and a result of type `result`.
ProductTypes types_for(DType a, DType b, DType result) {
  if (a == b && has_kernel(a, result)) return {a, result};
  if (!is_float(result)) return {result, result};  // complex numbers too
  if (a == b && is_half(a) && result != DType::f64) return {a, DType::f32};
  const bool is_double = a == DType::f64 || b == DType::f64 || result == DType::f64;
  const DType wide = is_double ? DType::f64 : DType::f32;
  return {wide, wide};
}

class Conversion {
 public:
  explicit Conversion(ir::Function& function) : function_(function) {}

  void run(ir::Block& block) {
    std::vector<ir::Op> ops;
    ops.reserve(block.ops.size());
    for (ir::Op& op : block.ops) {
      for (ir::Block& region : op.regions) run(region);
      const bool product = op.code == ir::OpCode::dot_general || op.code == ir::OpCode::convolution;
      if (product) {
        convert(std::move(op), ops);
      } else {
        ops.push_back(std::move(op));
      }
    }
    block.ops = std::move(ops);
  }

 private:
  DType dtype(ir::ValueId value) const { return function_.type(value).dtype; }

  void convert(ir::Op product, std::vector<ir::Op>& ops) {
    const ir::ValueId result = product.results[0];
    const ProductTypes types =
        types_for(dtype(product.operands[0]), dtype(product.operands[1]), dtype(result));
    for (ir::ValueId& operand : product.operands) {
      if (dtype(operand) == types.operand) continue;
      const ir::ValueId converted =
          function_.new_value({types.operand, function_.type(operand).shape});
      ops.push_back(conversion(product, operand, converted));
      operand = converted;
    }
    if (dtype(result) == types.result) return ops.push_back(std::move(product));
    const ir::ValueId wide = function_.new_value({types.result, function_.type(result).shape});
    product.results[0] = wide;
    ir::Op rounding = conversion(product, wide, result);
    ops.push_back(std::move(product));
    ops.push_back(std::move(rounding));
  }

  static ir::Op conversion(const ir::Op& product, ir::ValueId from, ir::ValueId to) {
    ir::Op op;
    op.code = ir::OpCode::convert;
    op.operands = {from};
    op.results = {to};
    op.location = product.location;
    op.layer_path = product.layer_path;
    return op;
  }

  ir::Function& function_;
};

}  // namespace

void convert_products(ir::Module& module) {
  for (ir::Function& function : module.functions) Conversion(function).run(function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
