// What JAX serialized against what JAX prints of the same program (tests/bytecode has the recipe).
#include "systolic/stablehlo/bytecode/bytecode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "systolic/base/sanitized.h"
#include "systolic/base/test_errors.h"
#include "systolic/stablehlo/bytecode/encoding/byte_writer.h"
#include "systolic/stablehlo/bytecode/encoding/bytes.h"
#include "systolic/stablehlo/bytecode/same_program.h"
#include "systolic/stablehlo/bytecode/write_bytecode.h"
#include "systolic/stablehlo/parse.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using stablehlo::Bytes;
using stablehlo::normal_text;
using stablehlo::parse;
using stablehlo::Program;
using stablehlo::program_text;
using stablehlo::read_bytecode;
using stablehlo::write_bytecode;

// tests/bytecode/compare_jax_versions.py names other artifacts.
std::filesystem::path data_folder() {
  const char* named = std::getenv("SYSTOLIC_BYTECODE_DATA");
  if (named != nullptr) return named;
  return test::source_path("tests/bytecode/data");
}
const std::filesystem::path data = data_folder();

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> artifact_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    if (entry.path().extension() == ".mlirbc") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Artifacts : public testing::TestWithParam<std::string> {
 protected:
  std::string bytes() const { return contents(data / (GetParam() + ".mlirbc")); }
};

TEST_P(Artifacts, AreTheProgramsOfTheirTexts) {
  const Program expected = parse(contents(data / (GetParam() + ".mlir")));
  EXPECT_EQ(normal_text(read_bytecode(bytes())), normal_text(expected));
}

TEST_P(Artifacts, PrintATextThatReadsAsTheSame) {
  const std::string text = program_text(read_bytecode(bytes()));
  EXPECT_EQ(program_text(parse(text)), text);
}

// Reading and printing what a program became either works or is an Error.
void expect_no_harm(const std::string& bytes) {
  try {
    program_text(read_bytecode(bytes));
  } catch (const Error& error) {
    EXPECT_CONTAINS(std::string(error.what()), "program.mlirbc");
  }
}

// Under sanitizers at some 250 bytes of each file, so that they end in seconds.
TEST_P(Artifacts, EndTooEarlyAtEveryByte) {
  const std::string whole = bytes();
  const size_t stride = is_sanitized ? 1 + whole.size() / 250 : 1;
  for (size_t size = 0; size < whole.size(); size += stride) {
    EXPECT_NE(error_of([&] { read_bytecode(whole.substr(0, size)); }), "no error") << size;
  }
}

// `./run fuzz bytecode` tries any.
TEST_P(Artifacts, DoNoHarmWithBytesChanged) {
  constexpr std::array changes = {0x01, 0x02, 0x10, 0x80, 0xFF};
  const std::string whole = bytes();
  const size_t stride = 1 + whole.size() / (is_sanitized ? 250 : 1000);
  for (size_t i = 0; i < whole.size(); i += stride) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ changes[i / stride % changes.size()]);
    expect_no_harm(changed);
  }
}

// But for what VHLO 1.0.0 has not. JAX reads what is written, too: tests/bytecode/check_written.py.
TEST_P(Artifacts, AreReadAsTheyWereBeforeTheyAreWritten) {
  const Program program = parse(contents(data / (GetParam() + ".mlir")));
  if (GetParam().ends_with("_sharded")) {
    EXPECT_CONTAINS(message_of<Unimplemented>([&] { write_bytecode(program); }), "VHLO");
    return;
  }
  const std::string written = write_bytecode(program);
  EXPECT_EQ(normal_text(read_bytecode(written)), normal_text(program));
  EXPECT_EQ(write_bytecode(read_bytecode(written)), written);
}

INSTANTIATE_TEST_SUITE_P(Bytecode, Artifacts, testing::ValuesIn(artifact_names()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

Program program_of(std::string bytes) {
  Program program;
  program.file = "x.mlirbc";
  program.is_bytecode = true;
  program.source = std::make_shared<const std::string>(std::move(bytes));
  return program;
}

// MLIR's "Bytecode Format", "Variable-Width Integers": the low bits of the first byte say how many
// follow.
TEST(Bytes, ReadNumbersOfOneToNineBytes) {
  const struct {
    std::string bytes;
    uint64_t value;
  } cases[] = {{std::string("\x01", 1), 0},
               {std::string("\xFF", 1), 127},
               {std::string("\x02\x02", 2), 128},
               {std::string("\xFE\xFF", 2), 16383},
               {std::string("\x04\x00\x02", 3), 16384},
               {std::string("\x80\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8), (uint64_t{1} << 56) - 1},
               {std::string("\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 9), ~uint64_t{0}}};
  for (const auto& c : cases) {
    const Program program = program_of(c.bytes);
    Bytes bytes(program, 0, c.bytes.size());
    EXPECT_EQ(bytes.varint(), c.value);
    EXPECT_TRUE(bytes.empty());
    stablehlo::ByteWriter writer;
    writer.varint(c.value);
    EXPECT_EQ(writer.bytes(), c.bytes);
  }
}

TEST(Bytes, ReadSignedNumbersInZigzag) {
  const struct {
    std::string bytes;
    int64_t value;
  } cases[] = {{"\x01", 0}, {"\x03", -1}, {"\x05", 1}, {"\x07", -2}, {"\x09", 2}};
  for (const auto& c : cases) {
    const Program program = program_of(c.bytes);
    EXPECT_EQ(Bytes(program, 0, 1).signed_varint(), c.value);
    stablehlo::ByteWriter writer;
    writer.signed_varint(c.value);
    EXPECT_EQ(writer.bytes(), c.bytes);
  }
}

TEST(Bytecode, NamesTheByteThatIsWrong) {
  EXPECT_EQ(error_of([] { read_bytecode("module {}", "a.mlirbc"); }),
            "InvalidArgument: a.mlirbc: byte 0: this is not MLIR bytecode, expected 'ML\\xefR' "
            "first.");
  EXPECT_EQ(error_of([] { read_bytecode("ML\xEFR\x0F", "a.mlirbc"); }),
            "InvalidArgument: a.mlirbc: byte 5: the bytecode's version, got 7, expected 0 to 6.");
}

}  // namespace
}  // namespace systolic
