// Counter-based random bits: Threefry-2x32 with 20 rounds and Philox-4x32 with 10 rounds (Salmon,
// Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011), in the order in
// which XLA's RngBitGenerator returns them.
//
// State words are u64; state[0] is the key (low word first) and never changes.
//   threefry, state u64[2] = (key, counter).
//     8, 16, 32 bits: one axis of the result is halved: the first of even size, else the largest
//     one (the first of
//       them), rounded up. Let n be the elements of the halved shape, in row-major order of it.
//       Block i encrypts (counter + i) into two words; the element at index k along the halved axis
//       takes word k % 2 of the block at index k / 2. 8 and 16 bits are the low bits of the word.
//       The counter advances by n.
//     64 bits: element i is block i, first word low. The counter advances by the number of
//     elements.
//   philox, state u64[2] = (key, counter) or u64[3] = (key, counter low, counter high).
//     Block i encrypts the 128-bit (counter + i) into four words; for u64[2] the 128-bit counter
//     has state[1] in its low half and state[0] in its high half, as in XLA. Elements take the
//     words in order, 64-bit elements two of them, the first one low. The counter advances by the
//     number of blocks, ceil(elements * words / 4).
#pragma once

#include <cstdint>
#include <span>

#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

enum class RandomAlgorithm : uint8_t { threefry, philox };

// Fills output (row-major, `dims`; `dtype` u8, u16, u32, u64 or a type of one of these widths) and
// writes the advanced state. state and new_state may be the same memory; their size is 2, or 3 for
// philox.
void random_bits(RandomAlgorithm algorithm, std::span<const uint64_t> state,
                 std::span<uint64_t> new_state, DType dtype, std::span<const int64_t> dims,
                 void* output, ThreadPool& pool);

// Words [first, first + count) of Philox's blocks from a state of u64[2] or u64[3], which is not
// changed: any part of the elements of such a result of 32 bits.
void philox_words(std::span<const uint64_t> state, int64_t first, int64_t count, uint32_t* words);
// The state after so many words.
void advance_philox(std::span<const uint64_t> state, int64_t words, std::span<uint64_t> new_state);

}  // namespace kernels
}  // namespace systolic::inline v0
