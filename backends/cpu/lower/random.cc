#include "backends/cpu/kernels/random/random.h"

#include "backends/cpu/lower/families.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// The state is u64[2] or u64[3].
size_t state_words(const Planner& planner, const ir::Op& op) {
  return static_cast<size_t>(planner.type(op.operands[0]).shape.elements());
}

}  // namespace

// rng_bit_generator: (new state, bits).
void lower_random(Planner& planner, const ir::Op& op) {
  const bool threefry = op.get<ir::RngAttributes>().algorithm == ir::RngAlgorithm::three_fry;
  const auto algorithm =
      threefry ? kernels::RandomAlgorithm::threefry : kernels::RandomAlgorithm::philox;
  const size_t words = state_words(planner, op);
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

void lower_drawn_bits(Planner& planner, const ir::Op& op) {
  const size_t words = state_words(planner, op);
  const PlaceId state = planner.dense(op.operands[0]);
  planner.define(op.results[1], DrawnBits{.state = state, .state_words = static_cast<int>(words)});
  if (planner.uses(op.results[0]) == 0) return;
  const PlaceId new_state = planner.define(op.results[0]);
  const int64_t drawn = planner.type(op.results[1]).shape.elements();
  planner.emit(
      {.name = str("advance of ", op_text(planner, op)), .reads = {state}, .writes = {new_state}},
      [=](const Frame& frame) {
        kernels::advance_philox({frame.at<const uint64_t>(state), words}, drawn,
                                {frame.at<uint64_t>(new_state), words});
      });
}

}  // namespace cpu
}  // namespace systolic::inline v0
