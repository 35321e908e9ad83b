#include "backends/cpu/kernels/fft/fft.h"

#include <memory>

#include "backends/cpu/lower/families.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

kernels::FftKind kind_of(ir::FftType type) {
  switch (type) {
    case ir::FftType::fft:
      return kernels::FftKind::fft;
    case ir::FftType::ifft:
      return kernels::FftKind::ifft;
    case ir::FftType::rfft:
      return kernels::FftKind::rfft;
    case ir::FftType::irfft:
      break;
  }
  return kernels::FftKind::irfft;
}

}  // namespace

void lower_fft(Planner& planner, const ir::Op& op) {
  const auto& a = op.get<ir::FftAttributes>();
  const ir::Type& from = planner.type(op.operands[0]);
  const ir::Type& to = planner.type(op.results[0]);
  const PlaceId input = planner.dense(op.operands[0]), output = planner.define(op.results[0]);
  StepNote note{.name = op_text(planner, op), .reads = {input}, .writes = {output}};
  if (to.shape.elements() == 0) return planner.emit(std::move(note), [](const Frame&) {});
  const auto transform = std::make_shared<const kernels::Fft>(
      kernels::FftOptions{.kind = kind_of(a.type),
                          .is_double = from.dtype == DType::f64 || from.dtype == DType::c128,
                          .input_dims = from.shape.to_vector(),
                          .lengths = a.fft_length},
      planner.threads());
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(transform->scratch_bytes()));
  note.scratch = {scratch};
  note.flops = transform->flops();
  planner.emit(std::move(note), [=](const Frame& frame) {
    transform->run(frame.at(input), frame.at(output), frame.at(scratch), frame.pool());
  });
}

}  // namespace cpu
}  // namespace systolic::inline v0
