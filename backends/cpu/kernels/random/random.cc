#include "backends/cpu/kernels/random/random.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "systolic/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/random/random.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/random/random-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

// Blocks first, first + 1, ...: words[2 i] and words[2 i + 1] are the two words of block i. `count`
// blocks, padded to whole vectors (the caller's buffer has room for random_block_padding more).
void threefry_blocks(uint64_t key, uint64_t first, int64_t count, uint32_t* low, uint32_t* high) {
  const hn::ScalableTag<uint32_t> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < count; i += lanes) {
    auto x0 = hn::Zero(d), x1 = hn::Zero(d);
    counter_words(d, first + static_cast<uint64_t>(i), x0, x1);
    threefry(d, key, x0, x1);
    hn::StoreU(x0, d, low + i);
    hn::StoreU(x1, d, high + i);
  }
}

using PhiloxLanes = hn::CappedTag<uint64_t, 8>;
// Vectors of blocks that are worked on together, of four registers each: of 512 bits a processor
// has 32, of 256 it has 16.
constexpr int64_t philox_vectors = hn::MaxLanes(PhiloxLanes()) == 8 ? 4 : 2;
// Blocks that are made at a time, of whatever target.
constexpr int64_t philox_step = 32;
static_assert(philox_step % (philox_vectors * hn::MaxLanes(PhiloxLanes())) == 0);

// The words of `count` blocks, a multiple of philox_step.
void philox_blocks(uint64_t key, uint64_t first_low, uint64_t first_high, int64_t count,
                   uint32_t* words) {
  const PhiloxLanes d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  PhiloxWords<PhiloxLanes> x[philox_vectors];
  for (int64_t first = 0; first < count;) {
    for (int64_t k = 0; k < philox_vectors; ++k) {
      x[k] = wide_counter_words(d, first_low, first_high, static_cast<uint64_t>(first + k * lanes));
    }
    philox(d, key, x);
    for (const PhiloxWords<PhiloxLanes>& made : x) {
      store_blocks(d, made, words + 4 * first);
      first += lanes;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(threefry_blocks);
HWY_EXPORT(philox_blocks);

namespace {

constexpr int64_t chunk_blocks = 512;  // made at once, in first-level cache
constexpr int64_t padding = 16;        // lanes of the widest vectors

// Writes word `value` as element `i` of an array of `bytes`-byte elements: the low bits.
void put(int bytes, void* output, int64_t i, uint32_t value) {
  switch (bytes) {
    case 1:
      static_cast<uint8_t*>(output)[i] = static_cast<uint8_t>(value);
      return;
    case 2:
      static_cast<uint16_t*>(output)[i] = static_cast<uint16_t>(value);
      return;
    default:
      static_cast<uint32_t*>(output)[i] = value;
  }
}

void in_chunks(int64_t blocks, ThreadPool& pool, FunctionRef<void(int64_t, int64_t)> chunk) {
  const int64_t chunks = (blocks + chunk_blocks - 1) / chunk_blocks;
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      chunk(k * chunk_blocks, std::min(chunk_blocks, blocks - k * chunk_blocks));
    }
  };
  constexpr int64_t grain = 8;
  if (chunks <= grain) return body(0, chunks);
  pool.parallel_for(chunks, grain, body);
}

// The shape of a Threefry result whose elements share blocks in pairs along one axis.
struct Halved {
  int64_t outer = 1, size = 1, half = 1, inner = 1;
};
Halved halve(std::span<const int64_t> dims) {
  if (dims.empty()) return {};
  size_t axis = dims.size();
  for (size_t k = dims.size(); k-- > 0;) {
    if (dims[k] % 2 == 0) axis = k;
  }
  if (axis == dims.size()) {
    axis = 0;
    for (size_t k = 1; k < dims.size(); ++k) {
      if (dims[k] > dims[axis]) axis = k;
    }
  }
  Halved result;
  for (size_t k = 0; k < axis; ++k) result.outer *= dims[k];
  for (size_t k = axis + 1; k < dims.size(); ++k) result.inner *= dims[k];
  result.size = dims[axis];
  result.half = (dims[axis] + 1) / 2;
  return result;
}

// Blocks [first, first + count) of the halved shape are pairs of elements `inner` apart.
void spread_pairs(const Halved& shape, int bytes, int64_t first, int64_t count, const uint32_t* low,
                  const uint32_t* high, void* output) {
  int64_t column = first % shape.inner;
  int64_t pair = first / shape.inner % shape.half;
  int64_t outer = first / shape.inner / shape.half;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = (outer * shape.size + 2 * pair) * shape.inner + column;
    put(bytes, output, at, low[i]);
    if (2 * pair + 1 < shape.size) put(bytes, output, at + shape.inner, high[i]);
    if (++column < shape.inner) continue;
    column = 0;
    if (++pair < shape.half) continue;
    pair = 0;
    ++outer;
  }
}

// Returns how far the counter advances.
uint64_t threefry_bits(uint64_t key, uint64_t counter, int bytes, std::span<const int64_t> dims,
                       int64_t elements, void* output, ThreadPool& pool) {
  const auto make_blocks = HWY_DYNAMIC_DISPATCH(threefry_blocks);
  const Halved shape = bytes == 8 ? Halved{} : halve(dims);
  const int64_t blocks = bytes == 8 ? elements : shape.outer * shape.half * shape.inner;
  in_chunks(blocks, pool, [&](int64_t first, int64_t count) {
    alignas(64) std::array<uint32_t, chunk_blocks + padding> low, high;
    make_blocks(key, counter + static_cast<uint64_t>(first), count, low.data(), high.data());
    if (bytes == 8) {
      uint64_t* words = static_cast<uint64_t*>(output) + first;
      for (int64_t i = 0; i < count; ++i) words[i] = low[i] | (uint64_t{high[i]} << 32);
    } else {
      spread_pairs(shape, bytes, first, count, low.data(), high.data(), output);
    }
  });
  return static_cast<uint64_t>(blocks);
}

void philox_bits(std::span<const uint64_t> state, int bytes, int64_t elements, void* output,
                 ThreadPool& pool) {
  const int64_t words = bytes == 8 ? elements * 2 : elements;
  const int64_t blocks = (words + 3) / 4;
  in_chunks(blocks, pool, [&](int64_t first_block, int64_t count) {
    const int64_t first = first_block * 4, end = std::min(words, first + count * 4);
    // u64 elements are pairs of words, low first: the same memory as words in order.
    if (bytes >= 4) {
      return philox_words(state, first, end - first, static_cast<uint32_t*>(output) + first);
    }
    std::array<uint32_t, chunk_blocks * 4> made;
    philox_words(state, first, end - first, made.data());
    for (int64_t word = first; word < end; ++word) put(bytes, output, word, made[word - first]);
  });
}

}  // namespace

void advance_philox(std::span<const uint64_t> state, int64_t words, std::span<uint64_t> new_state) {
  const uint64_t low = state[1], advanced = low + static_cast<uint64_t>((words + 3) / 4);
  if (state.size() == 3) new_state[2] = state[2] + (advanced < low ? 1 : 0);
  new_state[0] = state[0];
  new_state[1] = advanced;
}

void philox_words(std::span<const uint64_t> state, int64_t first, int64_t count, uint32_t* words) {
  const auto make_blocks = HWY_DYNAMIC_DISPATCH(philox_blocks);
  constexpr int64_t blocks = HWY_NAMESPACE::philox_step, step = blocks * 4;  // words
  const uint64_t key = state[0], low = state[1], high = state.size() == 3 ? state[2] : state[0];
  while (count > 0) {
    const uint64_t first_low = low + static_cast<uint64_t>(first / 4);
    const uint64_t first_high = high + (first_low < low ? 1 : 0);
    const int64_t skipped = first % 4;
    int64_t taken = count / step * step;
    if (skipped == 0 && taken > 0) {
      make_blocks(key, first_low, first_high, taken / 4, words);
    } else {
      alignas(64) std::array<uint32_t, step> made;
      make_blocks(key, first_low, first_high, blocks, made.data());
      taken = std::min(count, step - skipped);
      std::copy_n(made.data() + skipped, taken, words);
    }
    first += taken;
    words += taken;
    count -= taken;
  }
}

void random_bits(RandomAlgorithm algorithm, std::span<const uint64_t> state,
                 std::span<uint64_t> new_state, DType dtype, std::span<const int64_t> dims,
                 void* output, ThreadPool& pool) {
  const bool philox = algorithm == RandomAlgorithm::philox;
  const bool sized = state.size() == 2 || (philox && state.size() == 3);
  if (!sized || new_state.size() != state.size()) {
    raise<InvalidArgument>({.what = str("random bits from a state of ", state.size(), " words"),
                            .wanted = philox ? "2 or 3" : "2"});
  }
  const int bytes = byte_width(dtype);
  int64_t elements = 1;
  for (int64_t size : dims) elements *= size;
  const uint64_t key = state[0];
  if (!philox) {
    const uint64_t counter = state[1];
    const uint64_t advance =
        elements == 0 ? 0 : threefry_bits(key, counter, bytes, dims, elements, output, pool);
    new_state[0] = key;
    new_state[1] = counter + advance;
    return;
  }
  philox_bits(state, bytes, elements, output, pool);
  advance_philox(state, bytes == 8 ? elements * 2 : elements, new_state);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
