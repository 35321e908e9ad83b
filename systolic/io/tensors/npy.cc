#include "systolic/io/tensors/npy.h"

#include <cctype>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/encoding/byte_order.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// The header is a Python dict literal of three known keys: "{'descr': '<f4', 'fortran_order':
// False, 'shape': (2, 3), }".
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  Header parse() {
    Header header;
    expect('{');
    int keys = 0;
    for (; !accept('}'); ++keys) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.descr = quoted();
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
      } else if (key == "shape") {
        header.shape = tuple();
      } else {
        fail(str("the unknown key '", key, "'"));
      }
      accept(',');
    }
    if (keys != 3) fail(str(keys, " keys"));
    return header;
  }

 private:
  [[noreturn]] void fail(std::string what) const {
    raise<DataLoss>({.what = str("'", name_, "': its NumPy header has ", what),
                     .wanted = "descr, fortran_order and shape"});
  }
  void skip_blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_blanks();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(str("no '", c, "' where one belongs"));
  }
  std::string quoted() {
    skip_blanks();
    const char quote = text_.empty() ? '\0' : text_[0];
    if (quote != '\'' && quote != '"') fail("something else where a text belongs");
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail("a text without end");
    std::string result(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return result;
  }
  bool boolean() {
    skip_blanks();
    for (bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(0, word.size()) != word) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    fail("something else where True or False belongs");
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      size_t digits = 0;
      while (digits < text_.size() && std::isdigit(static_cast<unsigned char>(text_[digits])))
        ++digits;
      int64_t size = 0;
      if (!parse_number(text_.substr(0, digits), size)) fail("a size that is no number");
      text_.remove_prefix(digits);
      if (!text_.empty() && text_[0] == 'L') text_.remove_prefix(1);  // Python 2 wrote "3L"
      sizes.push_back(size);
      if (sizes.size() > 64) fail("more than 64 axes");
      accept(',');
    }
    return sizes;
  }

  std::string_view text_, name_;
};

struct NumpyType {
  std::string_view descr;  // without the byte order
  DType dtype;
};
constexpr NumpyType numpy_types[] = {{"b1", DType::pred}, {"i1", DType::i8},   {"i2", DType::i16},
                                     {"i4", DType::i32},  {"i8", DType::i64},  {"u1", DType::u8},
                                     {"u2", DType::u16},  {"u4", DType::u32},  {"u8", DType::u64},
                                     {"f2", DType::f16},  {"f4", DType::f32},  {"f8", DType::f64},
                                     {"c8", DType::c64},  {"c16", DType::c128}};

DType type_of(std::string_view descr, std::string_view name) {
  const std::string_view plain = descr.empty() ? descr : descr.substr(1);
  for (const NumpyType& row : numpy_types) {
    if (row.descr == plain) return row.dtype;
  }
  if (plain.substr(0, 1) == "S") return DType::string;
  const bool object = plain.substr(0, 1) == "O";
  raise<InvalidArgument>(
      {.what = str("'", name, "' holds NumPy's type '", descr, "'"),
       .wanted = "bool, integers, floats, complex numbers or byte strings",
       .hint = object ? "Python objects are stored as programs, which are never run; save numbers"
                      : "convert it with astype before saving"});
}

int64_t checked_product(const std::vector<int64_t>& shape, size_t element_bytes, size_t stored,
                        std::string_view name) {
  uint64_t bytes = element_bytes;
  for (int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) bytes = UINT64_MAX;
  }
  if (bytes != stored) {
    raise<DataLoss>({.what = str("'", name, "': its header says shape (", join(shape), ") of ",
                                 element_bytes, " byte numbers but ", stored, " bytes follow"),
                     .wanted = str(bytes, " bytes"),
                     .hint = "the file is damaged: write it again"});
  }
  return element_bytes == 0 ? 0 : static_cast<int64_t>(bytes / element_bytes);
}

Literal fixed_strings(std::string_view data, const Header& header, std::string_view name) {
  int64_t width = 0;
  if (!parse_number(std::string_view(header.descr).substr(2), width) || width < 0 ||
      width > (1 << 30)) {
    raise<DataLoss>({.what = str("'", name, "': strings of type '", header.descr, "'")});
  }
  const Shape shape(header.shape);
  const auto bytes = static_cast<size_t>(width);
  if (bytes == 0) return Literal(DType::string, Shape{0}).reshape(shape);
  const int64_t count = checked_product(header.shape, bytes, data.size(), name);
  std::vector<std::string_view> views;
  for (int64_t i = 0; i < count; ++i) {
    std::string_view value = data.substr(static_cast<size_t>(i) * bytes, bytes);
    while (!value.empty() && value.back() == '\0') value.remove_suffix(1);
    views.push_back(value);
  }
  return Literal::strings(views, shape);
}

// Column-major data of `shape` into row-major order.
Literal from_fortran_order(const Literal& data, const Shape& shape) {
  Literal result(data.dtype(), shape);
  const auto width = static_cast<size_t>(byte_width(data.dtype()));
  std::byte* out = result.mutable_raw();
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
  for (int64_t i = 0; i < data.size(); ++i) {
    int64_t offset = 0;
    for (int axis = shape.rank() - 1; axis >= 0; --axis)
      offset = offset * shape[axis] + index[static_cast<size_t>(axis)];
    std::memcpy(out + static_cast<size_t>(i) * width,
                data.raw() + static_cast<size_t>(offset) * width, width);
    next_index(shape, index);
  }
  return result;
}

std::string npy_bytes(const Literal& array, SourceLocation location) {
  std::string_view descr;
  for (const NumpyType& row : numpy_types) {
    if (row.dtype == array.dtype()) descr = row.descr;
  }
  if (descr.empty()) {
    raise<InvalidArgument>({.what = str("NumPy files cannot hold ", array.dtype()),
                            .hint = is_float(array.dtype()) ? "convert it to f32 first" : "",
                            .location = location});
  }
  std::string sizes = join(array.shape());
  if (array.rank() == 1) sizes += ',';
  std::string header = str("{'descr': '", byte_width(array.dtype()) == 1 ? '|' : '<', descr,
                           "', 'fortran_order': False, 'shape': (", sizes, "), }");
  const size_t before = magic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes =
      str(magic, "\x01", std::string_view("\0", 1), static_cast<char>(header.size() & 255),
          static_cast<char>(header.size() >> 8), header);
  bytes.append(reinterpret_cast<const char*>(array.raw()), array.byte_size());
  return bytes;
}

struct Head {
  Header header;
  std::string_view data;  // the bytes after it
};

Head parse_head(std::string_view bytes, std::string_view name) {
  if (bytes.size() < 10 || bytes.substr(0, magic.size()) != magic) {
    raise<DataLoss>({.what = str("'", name, "' does not start as a .npy file")});
  }
  const int version = bytes[6];
  const size_t length_bytes = version == 1 ? 2 : 4;
  size_t header_bytes = 0;
  if (version >= 1 && version <= 3 && bytes.size() >= 8 + length_bytes) {
    std::memcpy(&header_bytes, bytes.data() + 8, length_bytes);
  }
  const size_t start = 8 + length_bytes;
  if (header_bytes == 0 || header_bytes > (1 << 20) || header_bytes > bytes.size() - start) {
    raise<DataLoss>({.what = str("'", name, "': a NumPy header of version ", version, " and ",
                                 header_bytes, " bytes"),
                     .wanted = "version 1 to 3, and a header that the file holds"});
  }
  return {HeaderParser(bytes.substr(start, header_bytes), name).parse(),
          bytes.substr(start + header_bytes)};
}

}  // namespace

TensorInfo parse_npy_type(std::string_view bytes, std::string_view name) {
  const Head head = parse_head(bytes, name);
  return {.name = std::string(name),
          .dtype = type_of(head.header.descr, name),
          .shape = Shape(head.header.shape)};
}

Literal parse_npy(std::string_view bytes, std::string_view name) {
  const auto& [header, data] = parse_head(bytes, name);
  const DType dtype = type_of(header.descr, name);
  if (dtype == DType::string) return fixed_strings(data, header, name);
  const auto width = static_cast<size_t>(byte_width(dtype));
  checked_product(header.shape, width, data.size(), name);
  const Shape shape(header.shape);
  Literal result(dtype, shape);
  if (!data.empty()) std::memcpy(result.mutable_raw(), data.data(), data.size());
  if (header.descr[0] == '>') {
    const size_t parts = is_complex(dtype) ? 2 : 1;
    reverse_bytes(result.mutable_raw(), static_cast<size_t>(result.size()) * parts, width / parts);
  }
  if (dtype == DType::pred) {
    auto* flags = reinterpret_cast<unsigned char*>(result.mutable_raw());
    for (int64_t i = 0; i < result.size(); ++i) flags[i] = flags[i] != 0;
  }
  return header.fortran_order && shape.rank() > 1 ? from_fortran_order(result, shape) : result;
}

Literal read_npy(const std::string& path, SourceLocation location) {
  return parse_npy(read_file(path, location), path);
}

void write_npy(const std::string& path, const Literal& array, SourceLocation location) {
  write_file(path, npy_bytes(array, location), location);
}

Example read_npz(const std::string& path, SourceLocation location) {
  const ZipReader zip(read_file(path, location), path);
  Example::Components arrays;
  for (const ZipReader::Member& member : zip.members()) {
    const std::string name =
        member.name.ends_with(".npy") ? member.name.substr(0, member.name.size() - 4) : member.name;
    arrays.push_back({name, parse_npy(zip.extract(member).bytes, str(path, ":", member.name))});
  }
  return Example(std::move(arrays));
}

void write_npz(const std::string& path, const Example& arrays, SourceLocation location) {
  ZipWriter zip(path, location);
  for (const auto& [name, array] : arrays) zip.add(name + ".npy", npy_bytes(array, location));
  zip.close();
}

}  // namespace io
}  // namespace systolic::inline v0
