#include "systolic/io/hdf5/worker/types.h"

#include <array>
#include <utility>

namespace worker {
namespace {

Handle copy_of(hid_t type) { return {H5Tcopy(type), H5Tclose, "a type"}; }

struct PlainType {
  std::string_view name;
  hid_t (*type)();
};

// The macros make libhdf5 ready, and so must be used after main began.
constexpr std::array<PlainType, 10> plain_types = {{
    {"i8", [] { return H5T_STD_I8LE; }},
    {"i16", [] { return H5T_STD_I16LE; }},
    {"i32", [] { return H5T_STD_I32LE; }},
    {"i64", [] { return H5T_STD_I64LE; }},
    {"u8", [] { return H5T_STD_U8LE; }},
    {"u16", [] { return H5T_STD_U16LE; }},
    {"u32", [] { return H5T_STD_U32LE; }},
    {"u64", [] { return H5T_STD_U64LE; }},
    {"f32", [] { return H5T_IEEE_F32LE; }},
    {"f64", [] { return H5T_IEEE_F64LE; }},
}};

// Half a float's size, with this many bits of exponent (f16: 5, bf16: 8).
Handle sixteen_bits(size_t exponent_bits) {
  Handle type = copy_of(H5T_IEEE_F32LE);
  const size_t mantissa_bits = 15 - exponent_bits;
  const bool made = H5Tset_fields(type, 15, mantissa_bits, exponent_bits, 0, mantissa_bits) >= 0 &&
                    H5Tset_size(type, 2) >= 0 &&
                    H5Tset_ebias(type, (size_t{1} << (exponent_bits - 1)) - 1) >= 0;
  if (!made) fail("no type of 16 bits");
  return type;
}

Handle truth_type() {
  Handle type(H5Tenum_create(H5T_STD_I8LE), H5Tclose, "a type");
  const int8_t no = 0, yes = 1;
  checked(H5Tenum_insert(type, "FALSE", &no), "a type");
  checked(H5Tenum_insert(type, "TRUE", &yes), "a type");
  return type;
}

Handle complex_type(hid_t part) {
  const size_t size = H5Tget_size(part);
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose, "a type");
  checked(H5Tinsert(type, "r", 0, part), "a type");
  checked(H5Tinsert(type, "i", size, part), "a type");
  return type;
}

Handle untyped_pair_of_bytes() {
  Handle type(H5Tcreate(H5T_OPAQUE, 2), H5Tclose, "a type");
  checked(H5Tset_tag(type, ""), "a type");
  return type;
}

std::optional<NumberType> named(std::string_view name) {
  return NumberType{std::string(name), stored_type(name)};
}

std::optional<NumberType> integer_type(hid_t type) {
  const size_t bits = 8 * H5Tget_size(type);
  if (H5Tget_precision(type) != bits || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return std::nullopt;
  return named((H5Tget_sign(type) == H5T_SGN_2 ? "i" : "u") + std::to_string(bits));
}

// One that differs from `wanted` in the order of its bytes at most.
bool same_but_for_order(hid_t type, hid_t wanted) {
  const H5T_order_t order = H5Tget_order(type);
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) return false;
  const Handle turned = copy_of(wanted);
  return H5Tset_order(turned, order) >= 0 && H5Tequal(type, turned) > 0;
}

std::optional<NumberType> float_type(hid_t type) {
  if (same_but_for_order(type, H5T_IEEE_F32LE)) return named("f32");
  if (same_but_for_order(type, H5T_IEEE_F64LE)) return named("f64");
  for (auto& [name, bits] : {std::pair("f16", 5), std::pair("bf16", 8)}) {
    Handle wanted = sixteen_bits(static_cast<size_t>(bits));
    if (same_but_for_order(type, wanted)) return NumberType{name, std::move(wanted)};
  }
  return std::nullopt;
}

std::optional<NumberType> compound_type(hid_t type) {
  for (const char* name : {"c64", "c128"}) {
    Handle wanted = stored_type(name);
    if (H5Tequal(type, wanted) > 0) return NumberType{name, std::move(wanted)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<NumberType> number_type_of(hid_t file_type) {
  switch (H5Tget_class(file_type)) {
    case H5T_INTEGER:
      return integer_type(file_type);
    case H5T_FLOAT:
      return float_type(file_type);
    case H5T_COMPOUND:
      return compound_type(file_type);
    case H5T_ENUM:
      if (Handle truth = truth_type(); H5Tequal(file_type, truth) > 0)
        return NumberType{"pred", std::move(truth)};
      return std::nullopt;
    case H5T_OPAQUE:
      if (H5Tget_size(file_type) == 2) return NumberType{"bf16", copy_of(file_type)};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

Handle stored_type(std::string_view name) {
  for (const PlainType& plain : plain_types) {
    if (plain.name == name) return copy_of(plain.type());
  }
  if (name == "f16") return sixteen_bits(5);
  if (name == "bf16") return untyped_pair_of_bytes();
  if (name == "pred") return truth_type();
  if (name == "c64") return complex_type(H5T_IEEE_F32LE);
  if (name == "c128") return complex_type(H5T_IEEE_F64LE);
  throw Fault("no type '" + std::string(name) + "'");
}

Handle string_type() {
  Handle type = copy_of(H5T_C_S1);
  checked(H5Tset_size(type, H5T_VARIABLE), "a type");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "a type");
  return type;
}

std::string describe_type(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return "integers of an unusual size";
    case H5T_FLOAT:
      return "floating point numbers of an unusual form";
    case H5T_STRING:
      return "strings";
    case H5T_OPAQUE:
      return "bytes without a type";
    case H5T_COMPOUND:
      return "records of several fields";
    case H5T_ENUM:
      return "names of an enumeration";
    case H5T_VLEN:
      return "lists of any length";
    case H5T_ARRAY:
      return "arrays";
    case H5T_REFERENCE:
      return "references to other objects";
    default:
      return "of an unknown type";
  }
}

}  // namespace worker
