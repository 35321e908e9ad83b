#include "systolic/io/records/idx.h"

#include <array>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/io/encoding/byte_order.h"
#include "systolic/io/files/byte_source.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace io {
namespace {

struct IdxType {
  unsigned char code;
  DType dtype;
};
constexpr std::array<IdxType, 6> idx_types{{{0x08, DType::u8},
                                            {0x09, DType::i8},
                                            {0x0b, DType::i16},
                                            {0x0c, DType::i32},
                                            {0x0d, DType::f32},
                                            {0x0e, DType::f64}}};
constexpr size_t most_file_bytes = size_t{1} << 34;

[[noreturn]] void raise_damaged(const std::string& path, std::string what, std::string wanted,
                                SourceLocation location) {
  raise<DataLoss>({.what = str("IDX file '", path, "': ", what),
                   .wanted = std::move(wanted),
                   .hint = "the file is damaged or not an IDX file: fetch it again",
                   .location = location});
}

}  // namespace

Literal read_idx(const std::string& path, SourceLocation location) {
  const std::string bytes = read_possibly_gzipped(path, most_file_bytes, location);
  const auto* header = reinterpret_cast<const unsigned char*>(bytes.data());
  if (bytes.size() < 4 || header[0] != 0 || header[1] != 0) {
    raise_damaged(path, "its first bytes are not those of an IDX file",
                  "0, 0, type, number of axes", location);
  }
  const IdxType* type = nullptr;
  for (const IdxType& row : idx_types) {
    if (row.code == header[2]) type = &row;
  }
  const size_t rank = header[3];
  if (type == nullptr)
    raise_damaged(path, str("element type ", int{header[2]}), "8, 9, 11, 12, 13 or 14", location);
  if (bytes.size() < 4 + 4 * rank)
    raise_damaged(path, "the file ends inside its header", "", location);
  std::vector<int64_t> sizes;
  uint64_t wanted = static_cast<uint64_t>(byte_width(type->dtype));
  for (size_t axis = 0; axis < rank; ++axis) {
    const unsigned char* at = header + 4 + 4 * axis;
    sizes.push_back(int64_t{at[0]} << 24 | int64_t{at[1]} << 16 | int64_t{at[2]} << 8 |
                    int64_t{at[3]});
    if (__builtin_mul_overflow(wanted, static_cast<uint64_t>(sizes.back()), &wanted))
      wanted = UINT64_MAX;
  }
  const size_t data_bytes = bytes.size() - 4 - 4 * rank;
  if (wanted != data_bytes) {
    raise_damaged(path,
                  str("its header says shape (", join(sizes), ") of ", type->dtype, " but ",
                      data_bytes, " bytes follow"),
                  str(wanted, " bytes"), location);
  }
  Literal result(type->dtype, Shape(sizes));
  if (data_bytes > 0) std::memcpy(result.mutable_raw(), bytes.data() + 4 + 4 * rank, data_bytes);
  reverse_bytes(result.mutable_raw(), static_cast<size_t>(result.size()),
                static_cast<size_t>(byte_width(type->dtype)));
  return result;
}

void write_idx(const std::string& path, const Literal& array, SourceLocation location) {
  const IdxType* type = nullptr;
  for (const IdxType& row : idx_types) {
    if (row.dtype == array.dtype()) type = &row;
  }
  if (type == nullptr || array.rank() > 255) {
    raise<InvalidArgument>({.what = str("IDX files cannot hold ", array.dtype(), array.shape()),
                            .wanted = "u8, i8, i16, i32, f32 or f64",
                            .location = location});
  }
  std::string header{'\0', '\0', static_cast<char>(type->code), static_cast<char>(array.rank())};
  for (int64_t size : array.shape()) {
    if (size > UINT32_MAX)
      raise<InvalidArgument>(
          {.what = str("an axis of ", size, " in an IDX file"), .location = location});
    for (int shift : {24, 16, 8, 0}) header += static_cast<char>(size >> shift);
  }
  Literal reversed = array;
  reverse_bytes(reversed.mutable_raw(), static_cast<size_t>(array.size()),
                static_cast<size_t>(byte_width(array.dtype())));
  AtomicFile file(path, location);
  file.write(header);
  file.write(reversed.raw(), reversed.byte_size());
  file.commit();
}

}  // namespace io
}  // namespace systolic::inline v0
