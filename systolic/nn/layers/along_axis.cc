#include "systolic/nn/layers/along_axis.h"

#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {

Tensor multiply_along_axis(const Literal& matrix, const Tensor& x, int axis) {
  std::string letters;
  for (int i = 0; i < x.rank(); ++i) letters += static_cast<char>('a' + i);
  const char at = letters[static_cast<size_t>(axis)];
  std::string result = letters;
  result[static_cast<size_t>(axis)] = 'z';
  const std::string equation = letters + ",z" + at + "->" + result;
  return einsum(equation, x, Tensor(matrix.convert(x.dtype())));
}

}  // namespace systolic::inline v0
