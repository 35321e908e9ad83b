// Members of our declarations of a published interface in C, beside those of its header. Only for
// tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>

namespace systolic::inline v0 {
namespace pjrt {

struct AbiField {
  const char* name;
  size_t our_offset, our_size, their_offset, their_size;
};

// A row of a table of AbiFields: the member `field` of our `ours` is the member `name` of `theirs`.
#define SYSTOLIC_ABI_FIELD(ours, field, theirs, name)                                      \
  {                                                                                        \
#theirs "." #name, offsetof(ours, field), sizeof(ours::field), offsetof(theirs, name), \
        sizeof(theirs::name)                                                               \
  }

inline void expect_published(std::span<const AbiField> fields) {
  for (const AbiField& field : fields) {
    EXPECT_EQ(field.our_offset, field.their_offset) << field.name;
    EXPECT_EQ(field.our_size, field.their_size) << field.name;
  }
}

}  // namespace pjrt
}  // namespace systolic::inline v0
