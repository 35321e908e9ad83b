// Shape rules of ops without array operands: constants, iota, core ids, random bits.
#include "systolic/base/text.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

const Type& requested_type(const InferInput& input, std::string_view label) {
  if (input.requested.empty()) raise_constraint(input, label, "no result type is asked for", "one");
  return input.requested.back();
}

}  // namespace

std::vector<Type> infer_constant(const InferInput& input) {
  const Literal& value = attributes_of<ConstantAttributes>(input).value;
  if (value.dtype() == DType::string || value.dtype() == DType::token) {
    raise_constraint(input, "constant_i1", str("the constant is of ", to_string(value.dtype())),
                     "numbers or pred", "strings stay on the host");
  }
  return {{value.dtype(), value.shape()}};
}

std::vector<Type> infer_iota(const InferInput& input) {
  const Type& result = requested_type(input, "iota_c1");
  check_range(input, "iota_c1", "iota_dimension", {attributes_of<IotaAttributes>(input).dimension},
              result.shape.rank());
  if (!is_integer(result.dtype) && !is_float(result.dtype) && !is_complex(result.dtype)) {
    raise_constraint(input, "iota_c1", str("result is ", to_string(result)),
                     "integers, floats or complex numbers");
  }
  return {result};
}

std::vector<Type> infer_core_id(const InferInput&) { return {{DType::u32, {}}}; }

std::vector<Type> infer_rng_bit_generator(const InferInput& input) {
  const Type& state = input.operands[0];
  const Type& bits = requested_type(input, "rng_bit_generator_i1");
  const RngAlgorithm algorithm = attributes_of<RngAttributes>(input).algorithm;
  const int64_t words = state.shape.rank() == 1 ? state.shape[0] : -1;
  const bool fits = algorithm == RngAlgorithm::three_fry ? words == 2 : words == 2 || words == 3;
  if (state.dtype != DType::u64 || !fits) {
    raise_constraint(input, "rng_bit_generator_c2", str("initial_state is ", to_string(state)),
                     algorithm == RngAlgorithm::three_fry ? "u64[2]" : "u64[2] or u64[3]");
  }
  if (!is_integer(bits.dtype) && !is_float(bits.dtype)) {
    raise_constraint(input, "rng_bit_generator_i1", str("output is ", to_string(bits)),
                     "integers or floats");
  }
  return {state, bits};
}

}  // namespace ir
}  // namespace systolic::inline v0
