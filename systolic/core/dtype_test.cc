#include "systolic/core/dtype.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic {
namespace {

TEST(DType, TableIsInTheOrderOfTheEnumerators) {
  for (int i = 0; i < dtype_count; ++i) {
    EXPECT_EQ(info(static_cast<DType>(i)).dtype, static_cast<DType>(i));
  }
}

TEST(DType, EveryNameFindsItsType) {
  for (int i = 0; i < dtype_count; ++i) {
    const DTypeInfo& row = info(static_cast<DType>(i));
    for (std::string_view name : {row.name, row.mlir_name, row.numpy_name}) {
      EXPECT_EQ(parse_dtype(name), row.dtype) << name;
    }
  }
}

TEST(DType, WidthsAreThoseOfTheHostTypes) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (byte_width(dtype) == 0) continue;
    visit_dtype(dtype, [&](auto tag) {
      EXPECT_EQ(sizeof(typename decltype(tag)::type), static_cast<size_t>(byte_width(dtype)));
    });
  }
}

TEST(DType, UnknownNameListsTheKnownAndTheClosest) {
  try {
    parse_dtype("flaot32", {"train.cc", 7});
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("unknown element type 'flaot32'"), std::string::npos) << text;
    EXPECT_NE(text.find("bf16"), std::string::npos) << text;
    EXPECT_NE(text.find("did you mean 'float32'"), std::string::npos) << text;
    EXPECT_NE(text.find("train.cc:7"), std::string::npos) << text;
  }
}

TEST(DType, StringsAndTokensHaveNoNumbers) {
  EXPECT_THROW(visit_dtype(DType::string, [](auto) {}), InvalidArgument);
  EXPECT_THROW(visit_dtype(DType::token, [](auto) {}), InvalidArgument);
}

}  // namespace
}  // namespace systolic
