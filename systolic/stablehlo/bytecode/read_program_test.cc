// The same program as text and as what JAX makes of that text (tests/programs).
#include "systolic/stablehlo/bytecode/read_program.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "systolic/base/test_errors.h"
#include "systolic/stablehlo/bytecode/same_program.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using stablehlo::normal_text;
using stablehlo::read_program;
using stablehlo::read_programs;

std::string contents(const std::string& name) {
  std::ifstream file(test::source_path("tests/programs/" + name), std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ReadProgram, TakesTextAndBytecode) {
  for (const std::string name : {"row_sums", "open_batch"}) {
    const std::string text = contents(name + ".mlir"), bytes = contents(name + ".mlirbc");
    EXPECT_NE(text, bytes);
    EXPECT_EQ(normal_text(read_program(bytes)), normal_text(read_program(text))) << name;
    ASSERT_EQ(read_programs(bytes).size(), 1u);
    EXPECT_EQ(normal_text(read_programs(bytes)[0]), normal_text(read_program(text))) << name;
  }
}

TEST(ReadProgram, SplitsATextButNoBytecode) {
  const std::string text = contents("row_sums.mlir");
  EXPECT_EQ(read_programs(text + "// -----\n" + text).size(), 2u);
  const std::string bytes = contents("row_sums.mlirbc");
  EXPECT_NE(error_of([&] { read_programs(bytes + "\n// -----\n" + bytes); }), "no error");
}

TEST(ReadProgram, NamesTheLineOfATextAndTheByteOfBytecode) {
  EXPECT_CONTAINS(message_of<InvalidArgument>([] { read_program("\n  oops", "a"); }), "a:2:3: ");
  EXPECT_CONTAINS(message_of<InvalidArgument>([] { read_program("ML\xEFR", "a"); }), "a: byte 4: ");
}

}  // namespace
}  // namespace systolic
