#include "systolic/io/encoding/base64.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

// RFC 4648, section 10.
TEST(Base64, PublishedVectors) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(io::base64(bytes), text);
    EXPECT_EQ(io::from_base64(text), bytes);
  }
  EXPECT_FALSE(io::from_base64("a b"));
}

}  // namespace
}  // namespace systolic
