#include "backends/cpu/kernels/random/random.h"

#include <array>

#include "backends/cpu/lower/families.h"

namespace systolic::inline v0 {
namespace cpu {

// rng_bit_generator: (new state, bits). The state is u64[2] or u64[3].
void lower_random(Planner& planner, const ir::Op& op) {
  const bool threefry = op.get<ir::RngAttributes>().algorithm == ir::RngAlgorithm::three_fry;
  const auto algorithm =
      threefry ? kernels::RandomAlgorithm::threefry : kernels::RandomAlgorithm::philox;
  const auto words = static_cast<size_t>(planner.type(op.operands[0]).bytes() / 8);
  const PlaceId state = planner.dense(op.operands[0]);
  const PlaceId new_state = planner.define(op.results[0]);
  const PlaceId bits = planner.define(op.results[1]);
  const ir::Type& type = planner.type(op.results[1]);
  planner.emit({.name = op_text(planner, op), .reads = {state}, .writes = {new_state, bits}},
               [=, dtype = type.dtype, dims = type.shape.to_vector()](const Frame& frame) {
                 kernels::random_bits(algorithm, {frame.at<const uint64_t>(state), words},
                                      {frame.at<uint64_t>(new_state), words}, dtype, dims,
                                      frame.at(bits), frame.pool());
               });
}

}  // namespace cpu
}  // namespace systolic::inline v0
