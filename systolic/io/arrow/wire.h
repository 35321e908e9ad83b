// What the library and its Arrow worker (worker/main.cc) say to each other, by the messages of
// systolic/io/worker/wire.h.
//
//   list  opens the file. The window's first a bytes are: the format, the file's bytes, whether the
//         worker may read it itself, and the names of the columns that are wanted (every_column:
//         all). Answered by the schema: the rows, or unknown_rows, the text of its metadata that
//         `datasets` writes, and its fields.
//   read  the next rows, at most a. Answered by a batch, or by nothing at the end.
//
// A field: name, Arrow's name of its type, kind, DType of the numbers, width of a list of fixed
// size, its inner fields.
//
// A batch: the bytes of its head; the head; and from the next multiple of `alignment` on its
// buffers, of which the head has the places. The head: the rows, then for each field its array: the
// length, a buffer of validity (one byte each; none where all are), of offsets (i64, one more than
// the length), of values (numbers, or the bytes of strings), and the arrays of its inner fields.
#pragma once

#include <cstddef>
#include <cstdint>

#include "systolic/io/worker/wire.h"

namespace systolic::inline v0 {
namespace io::arrow_wire {

using namespace worker_wire;

enum class Format : uint8_t { parquet, arrow };

enum class FieldKind : uint8_t {
  null,         // a length and nothing else
  number,       // values
  string,       // offsets and values, the bytes
  list,         // offsets, and an inner field
  fixed_list,   // an inner field whose length is a multiple
  structure,    // inner fields of the same length
  dictionary,   // values, i64, which say where each is in the inner field
  unsupported,  // named by its type; it has no arrays
};

inline constexpr uint64_t every_column = UINT64_MAX, unknown_rows = UINT64_MAX;
inline constexpr size_t alignment = 64;
// The window takes memory only where it was written to. A row must fit into it.
inline constexpr uint64_t window_bytes = uint64_t{1} << 28;
// The most that a schema may hold, whoever made it.
inline constexpr size_t most_depth = 64, most_fields = 100'000;
inline constexpr uint64_t most_metadata_bytes = uint64_t{1} << 24;

constexpr uint64_t aligned(uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace io::arrow_wire
}  // namespace systolic::inline v0
