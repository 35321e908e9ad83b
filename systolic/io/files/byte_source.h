// Bytes in sequence: a file as it is, or what it holds under GZIP or ZLIB compression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/io/files/file_system.h"

namespace systolic::inline v0 {
namespace io {

// How a file's bytes are compressed: not at all, as a gzip file, or as a zlib stream.
enum class Compression { none, gzip, zlib };
// "none", "GZIP" or "ZLIB", tf.data's names.
std::string to_string(Compression compression);

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to `size` bytes; fewer only at the end or right before damage, which the next call then
  // reports; 0 at the end.
  virtual size_t read(void* buffer, size_t size) = 0;
  // Bytes in all, where that is known before reading them.
  virtual std::optional<uint64_t> total_bytes() const = 0;
  virtual const std::string& path() const = 0;
  // The memory that it takes, besides itself.
  virtual size_t held_bytes() const = 0;
  // Asked before the file is read further ahead (io/files/file_system.h).
  virtual void set_read_ahead_room(ReadAheadRoom room) = 0;
};

// Opens `path`. DataLoss, naming the compressed byte offset, for damaged compressed data; a GZIP
// file may hold several members, which are read as one.
std::unique_ptr<ByteSource> open_source(const std::string& path, Compression compression,
                                        SourceLocation location = SourceLocation::current());

// What a file that starts with these bytes seems to be: "GZIP", "ZLIB", "JPEG", "PNG", "ZIP"; empty
// if unknown.
std::string_view recognize(std::string_view first_bytes);

// The whole file, decompressed where its first bytes say GZIP. ResourceExhausted for more than
// `most_bytes`.
std::string read_possibly_gzipped(const std::string& path, size_t most_bytes,
                                  SourceLocation location = SourceLocation::current());

// Inflates raw deflate data of a known size, as ZIP members hold. DataLoss for any other size. zlib
// counts in 32 bits: it is given `piece` bytes at a time.
std::string inflate_raw(std::string_view compressed, size_t size, std::string_view name,
                        size_t piece = size_t{1} << 30);

}  // namespace io
}  // namespace systolic::inline v0
