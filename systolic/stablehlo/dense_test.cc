#include "systolic/stablehlo/dense.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/stablehlo/parse.h"

namespace systolic {
namespace {

using stablehlo::DenseValue;

DenseValue read(const std::string& value, DType dtype, const Shape& shape,
                const std::string& type = "") {
  const stablehlo::Program program = stablehlo::parse(
      "func.func @f() { \"x.y\"() {v = dense<" + value + ">" + type + "} : () -> () }", "t");
  const auto& op = program.functions[0].body.operations[0];
  return stablehlo::read_dense(program, *op.find("v"), dtype, shape);
}

struct Case {
  const char* name;
  const char* text;
  DType dtype;
  Shape shape;
  std::vector<double> elements;
};

class Dense : public testing::TestWithParam<Case> {};

TEST_P(Dense, HasTheseElements) {
  const Case& c = GetParam();
  const DenseValue value = read(c.text, c.dtype, c.shape);
  std::vector<double> got;
  for (int64_t i = 0; i < value.literal.size(); ++i) got.push_back(value.literal.number_at(i));
  EXPECT_EQ(got, c.elements);
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, Dense,
    testing::Values(
        Case{"scalar", "-3", DType::i8, {}, {-3}},
        Case{"splat", "1.5", DType::f32, {1 << 30, 1 << 30}, {1.5}},
        Case{"nested", "[[1, 2], [3, 4]]", DType::i32, {2, 2}, {1, 2, 3, 4}},
        Case{"booleans", "[true, false]", DType::pred, {2}, {1, 0}},
        Case{"bytes", "\"0x0100FFFF\"", DType::i16, {2}, {1, -1}},
        Case{"bytes_of_a_splat", "\"0x0000803F\"", DType::f32, {7}, {1}},
        Case{"bits", "\"0x05\"", DType::pred, {3}, {1, 0, 1}},
        Case{"hexadecimal_floats",
             "[0x7F800000, 0xC0000000]",
             DType::f32,
             {2},
             {std::numeric_limits<double>::infinity(), -2}},
        Case{"bits_of_i8_without_a_sign", "[255, 0x80]", DType::i8, {2}, {-1, -128}},
        Case{"bits_of_i32_without_a_sign", "0xFFFFFFFE", DType::i32, {}, {-2}},
        Case{"hexadecimal_integer", "0xFF", DType::u8, {}, {255}},
        Case{"all_bits", "18446744073709551615", DType::u64, {}, {18446744073709551615.0}},
        Case{"tiny", "1.000000e-40", DType::f32, {}, {static_cast<double>(1e-40f)}},
        Case{"comments", "[1, // one\n 2]", DType::i8, {2}, {1, 2}},
        Case{"nothing", "", DType::f32, {0, 3}, {}}),
    [](const auto& info) { return info.param.name; });

TEST(Dense, ComplexNumbersHaveTwoParts) {
  const DenseValue value = read("[(1.0, -2.0), (0.5,3.0)]", DType::c64, {2});
  EXPECT_EQ(value.literal.at<std::complex<float>>({1}), std::complex<float>(0.5f, 3.0f));
}

// Held in 8 bits: numbers rounded to the type, and bits in hexadecimal.
TEST(Dense, NarrowElementsAreAsTheyAreHeld) {
  struct Narrow {
    const char* text;
    stablehlo::ElementType type;
    std::vector<int64_t> held;
  };
  using E = stablehlo::ElementType;
  for (const Narrow& c :
       {Narrow{"[1.0, -2.1]", E::f8e3m4, {0x30, 0xC1}},
        Narrow{"[0x38, 0x7F]", E::f8e4m3, {0x38, 0x7F}}, Narrow{"\"0x0207\"", E::f4e2m1fn, {2, 7}},
        Narrow{"[-2, 1]", E::i2, {-2, 1}}, Narrow{"[15, 7]", E::i4, {-1, 7}},
        Narrow{"[3, 0]", E::ui2, {3, 0}}}) {
    const stablehlo::Program program = stablehlo::parse(
        str("func.func @f() { \"x.y\"() {v = dense<", c.text, ">} : () -> () }"), "t");
    const auto& attribute = *program.functions[0].body.operations[0].find("v");
    const DenseValue value = stablehlo::read_dense(program, attribute, c.type, {2});
    std::vector<int64_t> got;
    for (int64_t i = 0; i < 2; ++i) got.push_back(value.literal.integer_at(i));
    EXPECT_EQ(got, c.held) << c.text;
  }
}

TEST(Dense, ElementsFitTheBitsOfTheirType) {
  using E = stablehlo::ElementType;
  struct Wrong {
    const char* text;
    E type;
  };
  for (const Wrong& c : {Wrong{"4", E::i2}, Wrong{"-3", E::i2}, Wrong{"4", E::ui2},
                         Wrong{"16", E::i4}, Wrong{"-9", E::i4}, Wrong{"16", E::ui4},
                         Wrong{"0x40", E::f6e2m3fn}, Wrong{"x", E::f8e3m4}}) {
    const std::string error = message_of([&] {
      const stablehlo::Program program = stablehlo::parse(
          str("func.func @f() { \"x.y\"() {v = dense<", c.text, ">} : () -> () }"), "t");
      const auto& attribute = *program.functions[0].body.operations[0].find("v");
      stablehlo::read_dense(program, attribute, c.type, {});
    });
    EXPECT_NE(error.find("is not an element"), std::string::npos) << c.text << ": " << error;
  }
}

struct Fault {
  const char* name;
  const char* text;
  DType dtype;
  Shape shape;
  const char* error;
};

class DenseFaults : public testing::TestWithParam<Fault> {};

TEST_P(DenseFaults, AreNamed) {
  const Fault& c = GetParam();
  for (const char* label : {"tensor_constant", "quantized_tensor_constant"}) {
    // The error's "c1" comes after the name of what the constant is.
    const bool quantized = label[0] == 'q';
    if (quantized && c.dtype != DType::i8) continue;
    const std::string type = quantized ? " : tensor<?x!quant.uniform<i8:f32, 0.5>>" : "";
    const std::string error = message_of([&] { read(c.text, c.dtype, c.shape, type); });
    std::string wanted = c.error;
    const size_t place = wanted.find(": c");
    if (place != std::string::npos && (wanted[place + 3] == '1' || wanted[place + 3] == '2')) {
      wanted.insert(place + 2, str(label, "_"));
    }
    EXPECT_EQ(error.substr(0, wanted.size()), wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, DenseFaults,
    testing::Values(
        Fault{"too_few",
              "[1, 2]",
              DType::i8,
              {3},
              "t:1:37: c2: a list of axis 0 has 2 entries, expected the elements of i8(3,)"},
        Fault{"too_few_in_a_row",
              "[[1, 2], [3]]",
              DType::i8,
              {2, 2},
              "t:1:46: c2: a list of axis 1 has 1 entries, expected the elements of i8(2, 2)"},
        Fault{"none", "[]", DType::i8, {2}, "t:1:37: c2: a list of axis 0 has 0 entries"},
        Fault{"too_many",
              "[1, 2]",
              DType::i8,
              {1},
              "t:1:37: c2: a list of axis 0 has more than 1 entries, expected the elements of"},
        Fault{"too_flat", "[1, 2]", DType::i8, {2, 1}, "t:1:38: c2: a list of axis 1 is missing"},
        Fault{
            "too_deep", "[[1], 2]", DType::i8, {2}, "t:1:38: c2: a list appears where an element"},
        Fault{
            "too_large", "[1, 2]", DType::i8, {1 << 30, 1 << 20}, "t:1:37: c2: a list of at most"},
        Fault{"wrong_bytes", "\"0x0102\"", DType::i32, {1}, "t:1:37: c2: its string holds 2 bytes"},
        Fault{"empty",
              "",
              DType::i8,
              {1},
              "t:1:37: c2: it is empty, expected the elements of i8(1,)"},
        Fault{"out_of_range",
              "[1, 300]",
              DType::i8,
              {2},
              "t:1:41: c1: '300' is not an element, expected i8"},
        Fault{"no_number", "x", DType::f32, {}, "t:1:37: c1: 'x' is not an element, expected f32"},
        Fault{
            "no_boolean", "2", DType::pred, {}, "t:1:37: c1: '2' is not an element, expected pred"},
        Fault{"no_whole_number", "1.5", DType::i8, {}, "t:1:37: c1: '1.5' is not an element"},
        Fault{"no_complex_number", "1", DType::c64, {}, "t:1:37: c1: '1' is not an element"},
        Fault{"too_many_bits", "0x123456789", DType::f32, {}, "t:1:37: c1: '0x123456789' is no"},
        Fault{"real_part", "(x, 1.0)", DType::c64, {}, "t:1:38: complex_constant_c1: 'x' is no"},
        Fault{"imaginary_part",
              "(1.0, 0x123456789)",
              DType::c64,
              {},
              "t:1:43: complex_constant_c2: '0x123456789' is not an element, expected c64"},
        Fault{"after_its_bytes", "\"0x01\" 1", DType::i8, {1}, "t:1:44: a constant: there is some"},
        Fault{"odd_digits", "\"0x1\"", DType::i8, {1}, "t:1:37: a constant: its string is no"},
        Fault{"bad_digit",
              "\"0x0G\"",
              DType::i8,
              {1},
              "t:1:40: a constant: this is not a hexadecimal"},
        Fault{"no_comma", "[1 2]", DType::i8, {2}, "t:1:40: a constant: ',' is missing"},
        Fault{"no_end", "[1 2]", DType::i8, {1}, "t:1:40: a constant: ']' is missing"},
        Fault{"after", "1 2", DType::i8, {}, "t:1:39: a constant: there is something after its"}),
    [](const auto& info) { return info.param.name; });

// A program of a constant in a resource that holds `bytes`.
DenseValue read_resource(const std::string& name, const std::string& bytes, const Shape& shape) {
  const stablehlo::Program program = stablehlo::parse(
      str("func.func @f() { \"x.y\"() {v = dense_resource<", name, ">} : () -> () }\n{-#\n",
          "  dialect_resources: { builtin: { r: \"", bytes,
          "\", \"a b\": \"0x04\" }, other: {} },\n",
          "  external_resources: { mlir_reproducer: { pipeline: \"\", threads: true } }\n#-}\n"),
      "t");
  const auto& op = program.functions[0].body.operations[0];
  return stablehlo::read_dense(program, *op.find("v"), DType::f32, shape);
}

TEST(Dense, ResourcesHoldBytesBehindTheirAlignment) {
  const DenseValue two = read_resource("r", "0x040000000000803F00000040", {2});
  EXPECT_EQ(two.literal.number_at(0), 1.0);
  EXPECT_EQ(two.literal.number_at(1), 2.0);
  EXPECT_TRUE(read_resource("\"r\"", "0x040000000000803F", {3}).splat);
}

TEST(Dense, ResourcesThatAreWrongAreNamed) {
  const struct {
    const char *name, *bytes;
    int64_t elements;
    const char* error;
  } cases[] = {
      {"q", "0x04000000", 1,
       "t:1:46: a constant: there is no resource q, expected one of the section"},
      {"\"a b\"", "0x04000000", 1, "t:1:46: a constant: resource \"a b\" has no alignment"},
      {"r", "0x040000000000803F0000803F", 3,
       "t:1:46: tensor_constant_c2: its string holds 8 bytes"},
      {"r", "1x040000000000803F", 1, "a constant: its string is not a hexadecimal number"},
      {"r", "0x0400000000008G3F", 1, "this is not a hexadecimal digit"}};
  for (const auto& c : cases) {
    EXPECT_CONTAINS(
        message_of<InvalidArgument>([&] { read_resource(c.name, c.bytes, {c.elements}); }),
        c.error);
  }
}

// Floats that stand alone, whose bits may be written with all of their digits or fewer.
TEST(Dense, FloatsAloneHaveTheirLabels) {
  const auto read = [](const std::string& number) {
    const stablehlo::Program program =
        stablehlo::parse("func.func @f() { \"x.y\"() {v = " + number + "} : () -> () }", "t");
    return stablehlo::read_float(program, *program.functions[0].body.operations[0].find("v"));
  };
  EXPECT_EQ(read("-2.5e1 : f32"), -25.0);
  EXPECT_EQ(read("0x3FC0 : bf16"), 1.5);
  EXPECT_EQ(read("7 : f64"), 7.0);
  EXPECT_EQ(message_of<InvalidArgument>([&] { read("0x3FC000000 : f32"); }),
            "t:1:31: float_constant_c2: '0x3FC000000' is not an element, expected f32.");
}

}  // namespace
}  // namespace systolic
