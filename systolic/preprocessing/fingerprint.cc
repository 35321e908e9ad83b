#include "systolic/preprocessing/fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

namespace systolic::inline v0 {
namespace {

// Numbers of FarmHash: primes between 2^63 and 2^64.
constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f;

uint64_t eight_bytes(const char* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
uint64_t four_bytes(const char* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
uint64_t shift_mixed(uint64_t x) { return x ^ x >> 47; }

uint64_t joined(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = shift_mixed((u ^ v) * factor);
  return shift_mixed((v ^ a) * factor) * factor;
}

uint64_t up_to_16(const char* s, uint64_t size) {
  const uint64_t factor = k2 + size * 2;
  if (size >= 8) {
    const uint64_t a = eight_bytes(s) + k2, b = eight_bytes(s + size - 8);
    const uint64_t c = std::rotr(b, 37) * factor + a, d = (std::rotr(a, 25) + b) * factor;
    return joined(c, d, factor);
  }
  if (size >= 4) return joined(size + (four_bytes(s) << 3), four_bytes(s + size - 4), factor);
  if (size == 0) return k2;
  const auto byte = [s](uint64_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(s[i])); };
  const uint32_t y = byte(0) + (byte(size / 2) << 8);
  const uint32_t z = static_cast<uint32_t>(size) + (byte(size - 1) << 2);
  return shift_mixed(y * k2 ^ z * k0) * k2;
}

uint64_t up_to_32(const char* s, uint64_t size) {
  const uint64_t factor = k2 + size * 2;
  const uint64_t a = eight_bytes(s) * k1, b = eight_bytes(s + 8);
  const uint64_t c = eight_bytes(s + size - 8) * factor, d = eight_bytes(s + size - 16) * k2;
  return joined(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + k2, 18) + c, factor);
}

uint64_t up_to_64(const char* s, uint64_t size) {
  const uint64_t factor = k2 + size * 2;
  const uint64_t a = eight_bytes(s) * k2, b = eight_bytes(s + 8);
  const uint64_t c = eight_bytes(s + size - 8) * factor, d = eight_bytes(s + size - 16) * k2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = joined(y, a + std::rotr(b + k2, 18) + c, factor);
  const uint64_t e = eight_bytes(s + 16) * factor, f = eight_bytes(s + 24);
  const uint64_t g = (y + eight_bytes(s + size - 32)) * factor;
  const uint64_t h = (z + eight_bytes(s + size - 24)) * factor;
  return joined(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, factor);
}

struct FarmState {
  std::pair<uint64_t, uint64_t> v, w;
  uint64_t x, y, z;

  static std::pair<uint64_t, uint64_t> of_32_bytes(const char* s, uint64_t a, uint64_t b) {
    const uint64_t last = eight_bytes(s + 24);
    a += eight_bytes(s);
    b = std::rotr(b + a + last, 21);
    const uint64_t before = a;
    a += eight_bytes(s + 8) + eight_bytes(s + 16);
    return {a + last, b + std::rotr(a, 44) + before};
  }
  // 64 bytes; the last ones of a text weigh more.
  void take(const char* s, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + eight_bytes(s + 8), 37) * factor;
    y = std::rotr(y + v.second + eight_bytes(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + eight_bytes(s + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = of_32_bytes(s, v.second * factor, x + w.first);
    w = of_32_bytes(s + 32, z + w.second, y + eight_bytes(s + 16));
    std::swap(z, x);
  }
};

void sip_round(uint64_t (&v)[4]) {
  v[0] += v[1];
  v[1] = std::rotl(v[1], 13) ^ v[0];
  v[0] = std::rotl(v[0], 32);
  v[2] += v[3];
  v[3] = std::rotl(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = std::rotl(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = std::rotl(v[1], 17) ^ v[2];
  v[2] = std::rotl(v[2], 32);
}

}  // namespace

uint64_t fingerprint64(std::string_view bytes) {
  const char* s = bytes.data();
  const uint64_t size = bytes.size();
  if (size <= 16) return up_to_16(s, size);
  if (size <= 32) return up_to_32(s, size);
  if (size <= 64) return up_to_64(s, size);
  constexpr uint64_t seed = 81;
  const uint64_t y = seed * k1 + 113;
  FarmState state{{0, 0}, {0, 0}, seed * k2 + eight_bytes(s), y, shift_mixed(y * k2 + 113) * k2};
  const uint64_t blocks = (size - 1) / 64, rest = (size - 1) % 64;
  for (uint64_t i = 0; i < blocks; ++i) state.take(s + 64 * i, k1, 1);
  const uint64_t factor = k1 + ((state.z & 0xff) << 1);
  state.w.first += rest;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.take(s + size - 64, factor, 9);
  return joined(joined(state.v.first, state.w.first, factor) + shift_mixed(state.y) * k0 + state.z,
                joined(state.v.second, state.w.second, factor) + state.x, factor);
}

uint64_t joined_fingerprints(uint64_t first, uint64_t second) {
  constexpr uint64_t factor = 0xc6a4a7935bd1e995;
  const uint64_t mixed = (first ^ factor ^ shift_mixed(second * factor) * factor) * factor;
  return shift_mixed(shift_mixed(mixed) * factor);
}

uint64_t siphash(uint64_t key0, uint64_t key1, std::string_view bytes) {
  uint64_t v[4] = {key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d, key0 ^ 0x6c7967656e657261,
                   key1 ^ 0x7465646279746573};
  const auto take = [&v](uint64_t word) {
    v[3] ^= word;
    sip_round(v);
    sip_round(v);
    v[0] ^= word;
  };
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) take(eight_bytes(bytes.data() + at));
  uint64_t last = static_cast<uint64_t>(bytes.size()) << 56;
  for (size_t i = 0; at + i < bytes.size(); ++i)
    last |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  take(last);
  v[2] ^= 0xff;
  for (int i = 0; i < 4; ++i) sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

}  // namespace systolic::inline v0
