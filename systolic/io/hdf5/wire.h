// What the library and its HDF5 worker (worker/main.cc) say to each other, by the messages of
// systolic/io/worker/wire.h:
//
//   list    what is in the file from byte a on, b bytes in all: answered by pieces of a tree
//   read    the numbers of the dataset a of the list, row-major: answered by pieces
//   create  answered by pieces that hold where each dataset lies
#pragma once

#include "systolic/io/worker/wire.h"

namespace systolic::inline v0 {
namespace io::hdf5_wire {

using namespace worker_wire;

inline constexpr uint64_t least_window_bytes = uint64_t{1} << 24;

// A tree is written in the order in which it is read: a group's head, its attributes, its children,
// end.
//
//   group    name, attributes
//   dataset  name, type, dims, place, size, unreadable, attributes
//   link     name, why it is not followed
//   end
//
// Attributes: their number, then name, type, dims and, of each, the bytes (of strings, each one's
// length and bytes). Types are spelled as DType prints: "f32", "string".
enum class Item : uint8_t { group, dataset, link, end };

inline constexpr uint64_t no_place = UINT64_MAX;  // of numbers that do not lie in the file as such

// The most that a tree may hold, whoever made it.
inline constexpr size_t most_depth = 200, most_objects = 200'000;
inline constexpr uint64_t most_attribute_bytes = uint64_t{1} << 26;  // in all

}  // namespace io::hdf5_wire
}  // namespace systolic::inline v0
