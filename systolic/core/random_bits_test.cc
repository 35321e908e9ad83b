#include "systolic/core/random_bits.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

// Known-answer vectors of the paper's Random123 library (kat_vectors).
TEST(RandomBits, ThreefryKnownAnswers) {
  using Two = std::array<uint32_t, 2>;
  EXPECT_EQ(threefry2x32({0, 0}, {0, 0}), (Two{0x6b200159u, 0x99ba4efeu}));
  EXPECT_EQ(threefry2x32({0xffffffffu, 0xffffffffu}, {0xffffffffu, 0xffffffffu}),
            (Two{0x1cb996fcu, 0xbb002be7u}));
  EXPECT_EQ(threefry2x32({0x13198a2eu, 0x03707344u}, {0x243f6a88u, 0x85a308d3u}),
            (Two{0xc4923a9cu, 0x483df7a0u}));
}

TEST(RandomBits, PhiloxKnownAnswers) {
  using Four = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0}, {0, 0, 0, 0}),
            (Four{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  EXPECT_EQ(
      philox4x32({0xffffffffu, 0xffffffffu}, {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu}),
      (Four{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  EXPECT_EQ(
      philox4x32({0xa4093822u, 0x299f31d0u}, {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}),
      (Four{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

// The first numbers of the authors' splitmix64.c from the state 0.
TEST(RandomBits, SplitMixKnownAnswers) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(splitmix64(splitmix64_step), 0x6e789e6aa1b965f4u);
}

}  // namespace
}  // namespace systolic
