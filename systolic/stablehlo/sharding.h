// How a program over whole arrays says that they lie on cores: Shardy's attributes (OpenXLA Shardy,
// docs/sdy_dialect.md) and GSPMD's strings.
//
//   #sdy.sharding<@mesh, [{"x"}, {}]>        with  sdy.mesh @mesh = <["x"=2, "y"=4]>
//   mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"
//
// Both become Parts: where each core's part of an array begins. What is wrong in a text is an
// InvalidArgument at its place.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "systolic/core/shape.h"
#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Boxes of one size.
struct Parts {
  std::vector<int64_t> size;                // along each axis
  std::vector<std::vector<int64_t>> start;  // [core][axis]
  // [core]: of an unreduced array, which is the sum of several: which of them the core has. Empty
  // for others. What a program gives of such an array is all in number 0; the others are zero.
  std::vector<int64_t> addend = {};
  // Every core holds the whole array.
  bool whole(const Shape& shape) const { return addend.empty() && Shape(size) == shape; }
  friend bool operator==(const Parts&, const Parts&) = default;
};
Parts whole_parts(const Shape& shape, int64_t cores);

// Named axes of cores; core ids in row-major order of the axes unless `ids` says otherwise.
struct Mesh {
  std::vector<std::pair<std::string, int64_t>> axes;
  std::vector<int64_t> ids;
  int64_t cores() const;
};

// "x", or "x":(2)4: the axis seen as [2, 4, rest], and its middle taken.
struct MeshAxis {
  std::string name;
  int64_t before = 1, size = 0;  // size 0: the whole axis
};

struct MeshSharding {
  Mesh mesh;
  std::vector<std::vector<MeshAxis>>
      dims;                              // mesh axes that cut each axis of the array, major first
  std::vector<bool> open;                // axes that others may cut further: {"x", ?}
  std::vector<MeshAxis> unreduced = {};  // cores along these hold addends of the array
};

// Attributes of Shardy: one sharding, one for each value, the names in manual_axes.
MeshSharding read_sharding(const Program& program, const Attribute& attribute);
std::vector<MeshSharding> read_shardings(const Program& program, const Attribute& attribute);
std::vector<std::string> read_mesh_axes(const Program& program, const Attribute& attribute);
// All that the module names.
std::vector<Mesh> meshes_of(const Program& program);

// Only mesh axes in `only` cut, where that is given. An axis of the array that cannot be cut into
// parts of one size is an InvalidArgument, and so is a mesh of another number of cores, except one
// of a single core: that is what a program has which was written for one device and runs on many.
Parts parts_of(const MeshSharding& sharding, const Shape& shape, int64_t cores,
               const std::vector<std::string>* only = nullptr);
// The sharding without the mesh axes that would cut an axis into parts of several sizes: a
// constraint within a program may ask for them, since a partitioner pads.
MeshSharding dividing(MeshSharding sharding, const Shape& shape);
// Cores that differ on no axis of `same`, in groups. An axis that the mesh lacks is an
// InvalidArgument.
std::vector<std::vector<int64_t>> groups_along(const Mesh& mesh,
                                               const std::vector<std::string>& same, int64_t cores);
// "{replicated}", "{devices=[...]...}"
Parts parts_of(const Program& program, const Attribute& text, const Shape& shape, int64_t cores);
// Whether the attributes of an argument or a result say something, in either way.
bool says_sharding(const std::vector<NamedAttribute>& attributes);
// What they say; whole where they say nothing.
Parts parts_of(const Program& program, const std::vector<NamedAttribute>& attributes,
               const Shape& shape, int64_t cores);

}  // namespace stablehlo
}  // namespace systolic::inline v0
