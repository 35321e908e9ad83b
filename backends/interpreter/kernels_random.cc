// Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011). How counters are laid out over an array is XLA's, so that one seed
// gives the same bits on every backend.
#include <cstring>

#include "backends/interpreter/elements.h"
#include "backends/interpreter/kernels.h"
#include "systolic/core/random_bits.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

uint64_t joined(uint32_t low, uint32_t high) { return low | (static_cast<uint64_t>(high) << 32); }

// Writes the low bits of `word` as one element.
void store(uint64_t word, Literal& result, int64_t position) {
  const auto bytes = static_cast<size_t>(byte_width(result.dtype()));
  if (result.dtype() == DType::i4 || result.dtype() == DType::u4) word &= 15u;
  if (result.dtype() == DType::i4 && word >= 8) word -= 16;
  std::memcpy(result.mutable_raw() + static_cast<size_t>(position) * bytes, &word, bytes);
}

// The axis along which the two words of one counter alternate: the first of even size, else the
// longest.
int split_axis(const Shape& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] % 2 == 0) return axis;
  }
  int longest = 0;
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape[axis] > shape[longest]) longest = axis;
  }
  return longest;
}

// state: key, counter. Returns how far the counter moved.
uint64_t fill_threefry(uint64_t key, uint64_t counter, Literal& bits) {
  const Shape& shape = bits.shape();
  if (byte_width(bits.dtype()) == 8) {
    for (int64_t i = 0; i < bits.size(); ++i) {
      const auto words = threefry2x32(words_of(key), words_of(counter + static_cast<uint64_t>(i)));
      store(joined(words[0], words[1]), bits, i);
    }
    return static_cast<uint64_t>(bits.size());
  }
  if (shape.rank() == 0) {
    store(threefry2x32(words_of(key), words_of(counter))[0], bits, 0);
    return 1;
  }
  const int axis = split_axis(shape);
  Shape half = shape;
  half.set(axis, (shape[axis] + 1) / 2);
  int64_t position = 0;
  for_each_index(shape, [&](const Index& index) {
    Index at = index;
    const int64_t word = at[static_cast<size_t>(axis)] % 2;
    at[static_cast<size_t>(axis)] /= 2;
    const uint64_t count = counter + static_cast<uint64_t>(offset_of(half, at));
    store(threefry2x32(words_of(key), words_of(count))[static_cast<size_t>(word)], bits,
          position++);
  });
  return static_cast<uint64_t>(half.elements());
}

// A counter of 128 bits: four words a step, in order.
uint64_t fill_philox(uint64_t key, uint64_t low, uint64_t high, Literal& bits) {
  const bool wide = byte_width(bits.dtype()) == 8;
  const int64_t words = bits.size() * (wide ? 2 : 1);
  const int64_t steps = (words + 3) / 4;
  for (int64_t step = 0; step < steps; ++step) {
    const uint64_t count = low + static_cast<uint64_t>(step);
    const auto a = words_of(count), b = words_of(high + (count < low ? 1 : 0));
    const auto x = philox4x32(words_of(key), {a[0], a[1], b[0], b[1]});
    for (int64_t i = 0; i < (wide ? 2 : 4); ++i) {
      const int64_t position = step * (wide ? 2 : 4) + i;
      if (position >= bits.size()) break;
      const auto k = static_cast<size_t>(i);
      store(wide ? joined(x[2 * k], x[2 * k + 1]) : x[k], bits, position);
    }
  }
  return static_cast<uint64_t>(steps);
}

}  // namespace

std::vector<Literal> run_rng_bit_generator(const Call& call) {
  const bool threefry = call.op.get<ir::RngAttributes>().algorithm == ir::RngAlgorithm::three_fry;
  Literal state = call.operand();
  Literal bits = Literal::zeros(call.result(1).dtype, call.result(1).shape);
  const auto words = state.mutable_data<uint64_t>();
  if (threefry) {
    words[1] += fill_threefry(words[0], words[1], bits);
    return {state, bits};
  }
  // With two words of state the key is also the high half of the counter, and stays.
  const bool three = words.size() == 3;
  const uint64_t before = words[1];
  words[1] += fill_philox(words[0], words[1], three ? words[2] : words[0], bits);
  if (three && words[1] < before) ++words[2];
  return {state, bits};
}

}  // namespace interpreter
}  // namespace systolic::inline v0
