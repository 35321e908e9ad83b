// fft, within bounds on what it may cost.
#include "systolic/base/error.h"
#include "systolic/stablehlo/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// What the work of an element and the tables of roots are bounded by.
constexpr int64_t largest_prime = 2048, longest = 1 << 20;

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

void check_bounds(const OpImport& op, const ir::Axes& lengths) {
  for (int64_t length : lengths) {
    if (length > longest) op.lack(str("a length of ", length), str("lengths up to ", longest));
    for (int64_t rest = length; rest > 1; rest /= smallest_factor(rest)) {
      if (smallest_factor(rest) <= largest_prime) continue;
      op.lack(str("a length of ", length), str("lengths with prime factors up to ", largest_prime));
    }
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
