// VHLO's types (StableHLO's dialect/VhloBytecode.cpp has the codes), as StableHLO's.
#include <array>
#include <bit>

#include "systolic/base/text.h"
#include "systolic/stablehlo/bytecode/encoding/types.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_codes.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using E = ElementType;

constexpr std::array scalar_codes{
    ScalarCode{0, E::i1},          ScalarCode{2, E::bf16},        ScalarCode{3, E::f16},
    ScalarCode{4, E::f32},         ScalarCode{5, E::f64},         ScalarCode{6, E::f8e4m3fn},
    ScalarCode{7, E::f8e5m2},      ScalarCode{9, E::index},       ScalarCode{10, E::i4},
    ScalarCode{11, E::i8},         ScalarCode{12, E::i16},        ScalarCode{13, E::i32},
    ScalarCode{14, E::i64},        ScalarCode{15, E::ui4},        ScalarCode{16, E::ui8},
    ScalarCode{17, E::ui16},       ScalarCode{18, E::ui32},       ScalarCode{19, E::ui64},
    ScalarCode{27, E::f8e4m3fnuz}, ScalarCode{28, E::f8e5m2fnuz}, ScalarCode{29, E::f8e4m3b11fnuz},
    ScalarCode{31, E::i2},         ScalarCode{32, E::ui2},        ScalarCode{33, E::none},
    ScalarCode{34, E::tf32},       ScalarCode{35, E::f8e4m3},     ScalarCode{36, E::f8e3m4},
    ScalarCode{37, E::f4e2m1fn},   ScalarCode{38, E::f6e2m3fn},   ScalarCode{39, E::f6e3m2fn},
    ScalarCode{40, E::f8e8m0fnu}};

double read_double(Bytes& bytes) { return std::bit_cast<double>(bytes.bits(64)); }

// Has the range been narrowed?
bool names_range(const Quantization& q, bool is_signed) {
  int width = 0;
  for (const auto& [element, bits] : {std::pair{E::i2, 2},
                                      {E::i4, 4},
                                      {E::i8, 8},
                                      {E::i16, 16},
                                      {E::i32, 32},
                                      {E::ui2, 2},
                                      {E::ui4, 4},
                                      {E::ui8, 8},
                                      {E::ui16, 16},
                                      {E::ui32, 32}}) {
    if (q.storage == element) width = bits;
  }
  if (width == 0) return true;
  const int64_t values = int64_t{1} << width;
  const int64_t lowest = is_signed ? -values / 2 : 0;
  return q.storage_min != lowest || q.storage_max != lowest + values - 1;
}

std::shared_ptr<Quantization> quantization_head(Reader& reader, Bytes& bytes, bool& is_signed) {
  auto q = std::make_shared<Quantization>();
  is_signed = (bytes.varint() & 1) != 0;
  q->storage = reader.element(bytes).element;
  q->expressed = reader.element(bytes).element;
  return q;
}

TypeId quantized(Reader& reader, const Bytes& bytes, std::shared_ptr<Quantization> q,
                 bool is_signed) {
  q->names_range = names_range(*q, is_signed);
  Type type;
  type.kind = Type::Kind::scalar;
  type.element = q->expressed;
  reader.weigh(q->scales.size());
  type.quantization = std::move(q);
  return reader.intern(bytes, std::move(type));
}

TypeId quantized_type(Reader& reader, Bytes& bytes) {
  bool is_signed = false;
  auto q = quantization_head(reader, bytes, is_signed);
  q->scales = {read_double(bytes)};
  q->zero_points = {bytes.signed_varint()};
  q->storage_min = bytes.signed_varint();
  q->storage_max = bytes.signed_varint();
  return quantized(reader, bytes, std::move(q), is_signed);
}

TypeId quantized_axis_type(Reader& reader, Bytes& bytes) {
  bool is_signed = false;
  auto q = quantization_head(reader, bytes, is_signed);
  q->axis = static_cast<int64_t>(bytes.varint());
  q->storage_min = bytes.signed_varint();
  q->storage_max = bytes.signed_varint();
  q->scales.resize(bytes.count("scales"));
  for (double& scale : q->scales) scale = read_double(bytes);
  q->zero_points.resize(bytes.count("zero points"));
  for (int64_t& zero_point : q->zero_points) zero_point = bytes.signed_varint();
  if (q->scales.size() != q->zero_points.size() || q->scales.empty()) {
    bytes.fail("a quantized type",
               str(q->scales.size(), " scales and ", q->zero_points.size(), " zero points"),
               "one of each a slice");
  }
  return quantized(reader, bytes, std::move(q), is_signed);
}

TypeId opaque_type(Reader& reader, const Bytes& bytes, std::string text) {
  Type type;
  type.kind = Type::Kind::opaque;
  type.encoding = reader.implied(std::move(text));
  return reader.intern(bytes, std::move(type));
}

TypeId buffer_type(Reader& reader, Bytes& bytes) {
  std::string text = "memref<";
  for (int64_t size : read_dims(bytes)) text += size == dynamic_size ? "?x" : str(size, "x");
  text += str(info(reader.element(bytes).element).name, ">");
  return opaque_type(reader, bytes, std::move(text));
}

TypeId token_type(Reader& reader, const Bytes& bytes) {
  Type type;
  type.kind = Type::Kind::token;
  return reader.intern(bytes, std::move(type));
}

}  // namespace

std::optional<uint64_t> vhlo_scalar_code(ElementType element) {
  for (const ScalarCode& row : scalar_codes) {
    if (row.element == element) return row.code;
  }
  return std::nullopt;
}

TypeId read_vhlo_type(Reader& reader, Bytes& bytes) {
  const uint64_t code = bytes.varint();
  for (const ScalarCode& row : scalar_codes) {
    if (row.code == code) return reader.scalar(row.element);
  }
  switch (code) {
    case 1:
      return complex_type(reader, bytes);
    case 8:
      return function_type(reader, bytes);
    case 20:
      return tensor_type(reader, bytes, false);
    case 21:
      return tensor_type(reader, bytes, true);
    case 22:
      return token_type(reader, bytes);
    case 23:
      return type_of_parts(reader, bytes, Type::Kind::tuple);
    case 24:
      return quantized_type(reader, bytes);
    case 25:
      return unranked_type(reader, bytes);
    case 26:
      return opaque_type(reader, bytes, "!shape.witness");
    case 30:
      return quantized_axis_type(reader, bytes);
    case 41:
      return buffer_type(reader, bytes);
    case 42:
      return type_of_parts(reader, bytes, Type::Kind::future);
    default:
      bytes.fail("the code of a VHLO type", str(code), "0 to 42");
  }
}

// StableHLO's own types (dialect/StablehloBytecode.cpp), which stay where an op of another dialect
// has them: sdy.manual_computation of a program with tokens.
TypeId read_stablehlo_type(Reader& reader, Bytes& bytes) {
  const uint64_t code = bytes.varint();
  switch (code) {
    case 0:
      return token_type(reader, bytes);
    case 1:
      return type_of_parts(reader, bytes, Type::Kind::future);
    default:
      bytes.fail("the code of a StableHLO type", str(code), "0, a token, or 1, a future");
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
