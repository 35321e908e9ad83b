#include "systolic/io/hdf5/worker/attributes.h"

#include <algorithm>
#include <cstring>

#include "systolic/io/hdf5/worker/types.h"

namespace worker {
namespace {

namespace wire = systolic::io::hdf5_wire;

herr_t collect_name(hid_t, const char* name, const H5A_info_t*, void* names) noexcept {
  auto& all = *static_cast<std::vector<std::string>*>(names);
  if (all.size() >= wire::most_objects) return -1;
  all.emplace_back(name);
  return 0;
}

Handle type_of(hid_t attribute) {
  return {H5Aget_type(attribute), H5Tclose, "an attribute's type"};
}
Handle space_of(hid_t attribute) {
  return {H5Aget_space(attribute), H5Sclose, "an attribute's shape"};
}

// The text before the filling of a string of fixed length.
std::string_view without_filling(const char* text, size_t size, H5T_str_t filling) {
  std::string_view all(text, size);
  if (filling == H5T_STR_SPACEPAD) {
    const size_t last = all.find_last_not_of(' ');
    return all.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }
  return all.substr(0, std::min(size, all.find('\0')));
}

}  // namespace

std::vector<hsize_t> dims_of(hid_t space) {
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return {0};
  std::vector<hsize_t> dims(
      static_cast<size_t>(checked(H5Sget_simple_extent_ndims(space), "a shape")));
  checked(H5Sget_simple_extent_dims(space, dims.data(), nullptr), "a shape");
  return dims;
}

uint64_t elements_of(const std::vector<hsize_t>& dims) {
  if (std::find(dims.begin(), dims.end(), 0u) != dims.end()) return 0;
  uint64_t product = 1;
  for (const hsize_t size : dims) {
    if (__builtin_mul_overflow(product, size, &product) || product > uint64_t{1} << 62)
      throw Fault("a shape of more than 2^62 elements");
  }
  return product;
}

void AttributeReader::count_bytes(uint64_t bytes) {
  bytes_ += bytes;
  if (bytes > wire::most_attribute_bytes || bytes_ > wire::most_attribute_bytes)
    throw Fault("attributes of more than " + std::to_string(wire::most_attribute_bytes >> 20) +
                " MB");
}

std::string AttributeReader::read_strings(hid_t attribute, hid_t type, uint64_t count) {
  wire::Writer out;
  if (count == 0) return {};
  if (checked(H5Tis_variable_str(type), "a type") == 0) {
    const size_t size = H5Tget_size(type);
    count_bytes(count * std::max<size_t>(size, 16));
    std::vector<char> bytes(count * size);
    checked(H5Aread(attribute, type, bytes.data()), "an attribute");
    for (size_t i = 0; i < count; ++i)
      out.text(without_filling(bytes.data() + i * size, size, H5Tget_strpad(type)));
    return out.bytes();
  }
  count_bytes(count * 16);
  std::vector<char*> texts(count, nullptr);
  const Handle space = space_of(attribute);
  checked(H5Aread(attribute, type, texts.data()), "an attribute");
  for (const char* text : texts) {
    const std::string_view all = text == nullptr ? std::string_view() : text;
    count_bytes(all.size());
    out.text(all);
  }
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
  return out.bytes();
}

std::optional<std::string> AttributeReader::encode(hid_t object, const std::string& name) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "an attribute");
  const Handle type = type_of(attribute);
  const std::vector<hsize_t> dims = dims_of(space_of(attribute));
  const uint64_t count = elements_of(dims);
  const bool text = H5Tget_class(type) == H5T_STRING;
  std::optional<NumberType> number = text ? std::nullopt : number_type_of(type);
  if (!text && !number) return std::nullopt;
  if (dims.size() > 32) return std::nullopt;
  wire::Writer out;
  out.text(name);
  out.text(text ? "string" : number->name);
  out.number(dims.size());
  for (const hsize_t size : dims) out.number(size);
  if (text) return out.bytes() + read_strings(attribute, type, count);
  const size_t width = H5Tget_size(number->memory);
  if (count > wire::most_attribute_bytes) count_bytes(count);
  count_bytes(count * width + name.size());
  std::string bytes(count * width, '\0');
  if (count > 0) checked(H5Aread(attribute, number->memory, bytes.data()), "an attribute");
  return out.bytes() + bytes;
}

void AttributeReader::append(hid_t object, wire::Writer& out) {
  std::vector<std::string> names;
  hsize_t next = 0;
  checked(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &next, collect_name, &names),
          "the attributes");
  std::sort(names.begin(), names.end());
  std::vector<std::string> all;
  for (const std::string& name : names) {
    count_bytes(name.size() + 64);
    if (std::optional<std::string> one = encode(object, name)) all.push_back(std::move(*one));
  }
  out.number(all.size());
  for (const std::string& one : all) out.raw(one);
}

void create_attribute(hid_t object, wire::Reader& in) {
  const std::string name(in.text()), type_name(in.text());
  std::vector<hsize_t> dims(in.number());
  for (hsize_t& size : dims) size = in.number();
  const uint64_t count = elements_of(dims);
  const bool text = type_name == "string";
  const Handle type = text ? string_type() : stored_type(type_name);
  const Handle space(dims.empty()
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                     H5Sclose, "a shape");
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, "an attribute");
  if (count == 0) return;
  if (!text) {
    const std::string bytes(in.take(count * H5Tget_size(type)));
    checked(H5Awrite(attribute, type, bytes.data()), "an attribute");
    return;
  }
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  for (uint64_t i = 0; i < count; ++i) texts.emplace_back(in.text());
  for (const std::string& each : texts) pointers.push_back(each.c_str());
  checked(H5Awrite(attribute, type, pointers.data()), "an attribute");
}

}  // namespace worker
