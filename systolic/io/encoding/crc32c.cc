#include "systolic/io/encoding/crc32c.h"

#include <array>
#include <cstring>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr uint32_t polynomial = 0x82f63b78u;  // bit-reversed
using ByteTable = std::array<uint32_t, 256>;

constexpr ByteTable make_byte_table() {
  ByteTable table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) ? polynomial : 0u);
    table[byte] = crc;
  }
  return table;
}
constexpr ByteTable byte_table = make_byte_table();

uint32_t raw_by_table(uint32_t crc, const unsigned char* data, size_t size) {
  for (size_t i = 0; i < size; ++i) crc = byte_table[(crc ^ data[i]) & 255u] ^ (crc >> 8);
  return crc;
}

#if defined(__SSE4_2__) || defined(__ARM_FEATURE_CRC32)

uint64_t load_word(const unsigned char* data) {
  uint64_t word = 0;
  std::memcpy(&word, data, sizeof(word));
  return word;
}

#if defined(__SSE4_2__)
uint64_t step_word(uint64_t crc, uint64_t word) { return _mm_crc32_u64(crc, word); }
uint32_t step_byte(uint32_t crc, unsigned char byte) { return _mm_crc32_u8(crc, byte); }
#else
uint64_t step_word(uint64_t crc, uint64_t word) {
  return __crc32cd(static_cast<uint32_t>(crc), word);
}
uint32_t step_byte(uint32_t crc, unsigned char byte) { return __crc32cb(crc, byte); }
#endif

// What `bytes` zero bytes do to a CRC, as four tables: the operation is linear in the bits of the
// CRC.
class ZerosShift {
 public:
  explicit ZerosShift(size_t bytes) {
    std::array<uint32_t, 32> column{};
    for (size_t bit = 0; bit < 32; ++bit) {
      uint32_t crc = uint32_t{1} << bit;
      for (size_t i = 0; i < bytes; ++i) crc = byte_table[crc & 255u] ^ (crc >> 8);
      column[bit] = crc;
    }
    for (size_t part = 0; part < 4; ++part) {
      for (size_t value = 0; value < 256; ++value) {
        for (size_t bit = 0; bit < 8; ++bit) {
          if (value >> bit & 1u) tables_[part][value] ^= column[8 * part + bit];
        }
      }
    }
  }
  uint64_t operator()(uint64_t crc) const {
    return tables_[0][crc & 255u] ^ tables_[1][crc >> 8 & 255u] ^ tables_[2][crc >> 16 & 255u] ^
           tables_[3][crc >> 24 & 255u];
  }

 private:
  std::array<ByteTable, 4> tables_{};
};

// The instruction takes three cycles but a new one can start each cycle: three stripes run side by
// side and are joined afterwards by shifting the earlier ones over the later.
template <size_t stripe>
uint64_t striped(uint64_t crc, const unsigned char*& data, size_t& size, const ZerosShift& shift) {
  while (size >= 3 * stripe) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < stripe; i += 8) {
      crc = step_word(crc, load_word(data + i));
      second = step_word(second, load_word(data + stripe + i));
      third = step_word(third, load_word(data + 2 * stripe + i));
    }
    crc = shift(shift(crc) ^ second) ^ third;
    data += 3 * stripe;
    size -= 3 * stripe;
  }
  return crc;
}

uint32_t raw_crc(uint32_t previous, const unsigned char* data, size_t size) {
  constexpr size_t long_stripe = 2048, short_stripe = 128;
  static const ZerosShift long_shift(long_stripe), short_shift(short_stripe);
  uint64_t crc = previous;
  if (size >= 3 * short_stripe) {
    crc = striped<long_stripe>(crc, data, size, long_shift);
    crc = striped<short_stripe>(crc, data, size, short_shift);
  }
  for (; size >= 8; data += 8, size -= 8) crc = step_word(crc, load_word(data));
  auto result = static_cast<uint32_t>(crc);
  for (; size > 0; ++data, --size) result = step_byte(result, *data);
  return result;
}

#else

uint32_t raw_crc(uint32_t previous, const unsigned char* data, size_t size) {
  return raw_by_table(previous, data, size);
}

#endif

}  // namespace

uint32_t crc32c(const void* data, size_t size, uint32_t previous) {
  return ~raw_crc(~previous, static_cast<const unsigned char*>(data), size);
}

uint32_t crc32c_by_table(const void* data, size_t size, uint32_t previous) {
  return ~raw_by_table(~previous, static_cast<const unsigned char*>(data), size);
}

}  // namespace io
}  // namespace systolic::inline v0
