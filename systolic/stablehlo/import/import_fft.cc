// fft, within bounds on what it may cost.
#include "systolic/base/error.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// What the tables of roots are bounded by: an irfft of no elements may name any length.
constexpr int64_t longest = 1 << 24;

void check_bounds(const OpImport& op, const ir::Axes& lengths) {
  for (int64_t length : lengths) {
    if (length > longest) op.lack(str("a length of ", length), str("lengths up to ", longest));
  }
}

}  // namespace

void import_fft(OpImport& op) {
  const ir::Axes lengths = op.axes("fft_length");
  const std::string_view word = op.word("fft_type", "");
  check_bounds(op, lengths);
  constexpr std::pair<std::string_view, ir::FftType> types[] = {{"FFT", ir::FftType::fft},
                                                                {"IFFT", ir::FftType::ifft},
                                                                {"RFFT", ir::FftType::rfft},
                                                                {"IRFFT", ir::FftType::irfft}};
  for (const auto& [name, type] : types) {
    if (name == word) return op.append(ir::FftAttributes{type, lengths});
  }
  op.fail("fft_type", str("'", word, "'"), "FFT, IFFT, RFFT or IRFFT");
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
