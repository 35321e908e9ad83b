#include "systolic/io/encoding/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace systolic {
namespace {

// RFC 3720, appendix B.4.
TEST(Crc32c, GivesThePublishedValues) {
  std::string rising(32, '\0');
  std::iota(rising.begin(), rising.end(), '\0');
  EXPECT_EQ(io::crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(io::crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(io::crc32c(rising), 0x46dd794eu);
  EXPECT_EQ(io::crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(io::crc32c(""), 0u);
}

TEST(Crc32c, EveryLengthAndAlignmentAgreesWithTheTable) {
  std::vector<unsigned char> bytes(20000);
  uint32_t state = 1;
  for (auto& byte : bytes)
    byte = static_cast<unsigned char>((state = state * 1664525u + 1013904223u) >> 24);
  for (size_t size = 0; size < bytes.size() - 8; size += size < 1000 ? 1 : 397) {
    const unsigned char* start = bytes.data() + size % 8;
    ASSERT_EQ(io::crc32c(start, size), io::crc32c_by_table(start, size)) << size;
    ASSERT_EQ(io::crc32c(start + size / 3, size - size / 3, io::crc32c(start, size / 3)),
              io::crc32c_by_table(start, size))
        << size;
  }
}

TEST(Crc32c, MaskingIsUndone) {
  for (uint32_t crc : {0u, 1u, 0xffffffffu, 0xe3069283u}) {
    EXPECT_NE(io::mask_crc(crc), crc);
    EXPECT_EQ(io::unmask_crc(io::mask_crc(crc)), crc);
  }
}

}  // namespace
}  // namespace systolic
