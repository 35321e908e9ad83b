#include "systolic/stablehlo/op_source.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/stablehlo/import/import.h"

namespace systolic {
namespace {

using stablehlo::OpSource;
using stablehlo::source_of;

TEST(OpSource, IsReadFromTheLocationOfAFile) {
  struct Case {
    const char* location;
    const char* file;
    int line, column;
  };
  for (const Case& c :
       std::vector<Case>{{"loc(\"train.py\":12:3)", "train.py", 12, 3},
                         {"loc(\"/a b/\\\"x\\\".py\":7:0)", "/a b/\\\"x\\\".py", 7, 0},
                         {"loc(\"a\":b\":1:2)", "a\":b", 1, 2},
                         {"loc(\"train.py\":12)", "", 0, 0},
                         {"loc(\"train.py\":x:3)", "", 0, 0},
                         {"loc(\"train.py\":99999999999:3)", "", 0, 0},
                         {"loc(\"\":1:2)", "", 0, 0},
                         {"loc(\"jit(f)/add\")", "", 0, 0},
                         {"loc(\":1:2)", "", 0, 0},
                         {"loc(\"a\":1:2", "", 0, 0},
                         {"loc(unknown)", "", 0, 0},
                         {"loc(#loc1)", "", 0, 0},
                         {"", "", 0, 0}}) {
    const OpSource source = source_of(c.location);
    EXPECT_EQ(source.file, c.file) << c.location;
    EXPECT_EQ(source.line, c.line) << c.location;
    EXPECT_EQ(source.column, c.column) << c.location;
    EXPECT_EQ(source.known(), c.line > 0) << c.location;
  }
}

// A program as bytecode gives it: an op of no known kind in the region of another.
stablehlo::Program program_with(std::string_view location) {
  stablehlo::Operation inner;
  inner.name = "other.op";
  inner.location = location;
  inner.offset = 21;
  stablehlo::Operation outer;
  outer.name = "other.outer";
  outer.offset = 20;
  outer.location = "loc(\"outer.py\":1:1)";
  outer.regions.emplace_back().operations.push_back(inner);
  stablehlo::Function main;
  main.name = "main";
  main.offset = 10;
  main.body.operations.push_back(outer);
  stablehlo::Program program;
  program.functions.push_back(main);
  program.file = "step.mlirbc";
  program.source = std::make_shared<const std::string>("ML\xEFR");
  program.is_bytecode = true;
  return program;
}

TEST(OpSource, StandsInTheErrorsOfBytecode) {
  const stablehlo::Program program = program_with("loc(\"train.py\":12:3)");
  EXPECT_EQ(place_of(program, 21), "step.mlirbc: byte 21 (train.py:12:3)");
  EXPECT_EQ(place_of(program, 20), "step.mlirbc: byte 20 (outer.py:1:1)");
  EXPECT_EQ(place_of(program, 10), "step.mlirbc: byte 10");
  EXPECT_EQ(place_of(program, 22), "step.mlirbc: byte 22");
  EXPECT_EQ(place_of(program_with("loc(unknown)"), 21), "step.mlirbc: byte 21");
  EXPECT_CONTAINS(message_of<Unimplemented>([&] { stablehlo::import_module(program); }),
                  "step.mlirbc: byte 20 (outer.py:1:1): op other.outer");
}

}  // namespace
}  // namespace systolic
