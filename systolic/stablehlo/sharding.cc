#include "systolic/stablehlo/sharding.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/stablehlo/text_reader.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

constexpr int64_t most_cores = 1 << 20;

int64_t product(const std::vector<int64_t>& sizes, TextReader& reader) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    if (size < 1 || size > most_cores || result * size > most_cores) {
      reader.fail("sizes whose product is 1 to 2^20");
    }
    result *= size;
  }
  return result;
}

// ["x"=2, "y"=4], device_ids=[...]
Mesh read_mesh(TextReader& reader) {
  Mesh mesh;
  reader.expect("<");
  if (reader.accept("maximal_device_id")) {
    reader.skip_to(">");
    return mesh;
  }
  reader.expect("[");
  std::vector<int64_t> sizes;
  if (!reader.accept("]")) {
    do {
      std::string name(reader.string());
      reader.expect("=");
      sizes.push_back(reader.integer());
      mesh.axes.emplace_back(std::move(name), sizes.back());
    } while (reader.accept(","));
    reader.expect("]");
  }
  const int64_t cores = product(sizes, reader);
  if (reader.accept(",")) {
    reader.expect("device_ids");
    reader.expect("=");
    mesh.ids = reader.integers();
    if (mesh.axes.empty()) mesh.ids.clear();  // one device that holds all
    std::vector<int64_t> sorted = mesh.ids;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int64_t> all(static_cast<size_t>(cores));
    std::iota(all.begin(), all.end(), 0);
    if (!mesh.axes.empty() && sorted != all) reader.fail("every core of the mesh once");
  }
  reader.expect(">");
  return mesh;
}

// The mesh of an op sdy.mesh; null for other ops.
const Attribute* mesh_text(const Operation& op, std::string_view& name) {
  const Attribute* symbol = op.find("sym_name");
  if (op.name != "sdy.mesh" || symbol == nullptr) return nullptr;
  name = symbol->text;
  return op.find("mesh");
}

Mesh read_mesh(const Program& program, const Attribute& mesh) {
  TextReader text(program, mesh.text, mesh.offset);
  text.accept("#sdy.mesh");
  return read_mesh(text);
}

Mesh find_mesh(TextReader& reader, std::string_view wanted) {
  std::string_view name;
  for (const Operation& op : reader.program().operations) {
    const Attribute* mesh = mesh_text(op, name);
    if (mesh != nullptr && name == wanted) return read_mesh(reader.program(), *mesh);
  }
  reader.fail("the name of a mesh of the module");
}

MeshAxis read_axis(TextReader& reader) {
  MeshAxis axis;
  axis.name = reader.string();
  if (reader.accept(":")) {
    reader.expect("(");
    axis.before = reader.integer();
    reader.expect(")");
    axis.size = reader.integer();
  }
  return axis;
}

// [{"x", ?}, {}p1, ...]
void read_dims(TextReader& reader, MeshSharding& sharding) {
  reader.expect("[");
  if (reader.accept("]")) return;
  do {
    std::vector<MeshAxis>& axes = sharding.dims.emplace_back();
    sharding.open.push_back(false);
    reader.expect("{");
    while (!reader.accept("}")) {
      if (reader.accept("?")) {
        sharding.open.back() = true;
      } else {
        axes.push_back(read_axis(reader));
      }
      if (!reader.next_is("}")) reader.expect(",");
    }
    if (reader.accept("p")) reader.integer();  // priority, for what propagates
  } while (reader.accept(","));
  reader.expect("]");
}

// {"x", "y":(1)2}
std::vector<MeshAxis> read_axes(TextReader& reader) {
  std::vector<MeshAxis> axes;
  reader.expect("{");
  if (reader.accept("}")) return axes;
  do axes.push_back(read_axis(reader));
  while (reader.accept(","));
  reader.expect("}");
  return axes;
}

// <@mesh, [...], replicated={...}, unreduced={...}>
MeshSharding read_one(TextReader& reader) {
  MeshSharding result;
  reader.expect("<");
  if (reader.accept("@")) {
    result.mesh = find_mesh(reader, reader.next_is("\"") ? reader.string() : reader.word());
  } else {
    reader.expect("mesh");
    result.mesh = read_mesh(reader);
  }
  reader.expect(",");
  read_dims(reader, result);
  while (reader.accept(",")) {
    if (reader.accept("replicated")) {
      reader.skip_to("}");
    } else if (reader.accept("unreduced") || reader.accept("sum_unreduced")) {
      reader.expect("=");
      result.unreduced = read_axes(reader);
    } else {
      reader.fail("replicated={...} or unreduced={...}");
    }
  }
  reader.expect(">");
  return result;
}

// The piece of [0, pieces) that a mesh coordinate falls in.
struct Piece {
  int64_t index, count;
};
Piece piece_of(const MeshAxis& axis, int64_t coordinate, int64_t size) {
  if (axis.size == 0) return {coordinate, size};
  const int64_t rest = size / std::max<int64_t>(1, axis.before * axis.size);
  return {coordinate / std::max<int64_t>(1, rest) % axis.size, axis.size};
}

int64_t axis_at(const Mesh& mesh, const std::string& name) {
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].first == name) return static_cast<int64_t>(i);
  }
  raise<InvalidArgument>({.what = str("a sharding names the mesh axis ", name),
                          .wanted = str("one of the mesh's ", mesh.axes.size(), " axes")});
}

// A core's coordinates along the axes of the mesh.
std::vector<int64_t> coordinates(const Mesh& mesh, int64_t core) {
  if (!mesh.ids.empty()) {
    core = std::find(mesh.ids.begin(), mesh.ids.end(), core) - mesh.ids.begin();
  }
  std::vector<int64_t> result(mesh.axes.size());
  for (size_t i = result.size(); i-- > 0;) {
    result[i] = core % mesh.axes[i].second;
    core /= mesh.axes[i].second;
  }
  return result;
}

// In how many pieces axes of a mesh divide something, and which of them each core has.
struct Pieces {
  int64_t count = 1;
  std::vector<int64_t> index;  // [core]
};

int64_t count_of(const Mesh& mesh, const std::vector<MeshAxis>& axes) {
  int64_t count = 1;
  for (const MeshAxis& axis : axes) {
    count *=
        piece_of(axis, 0, mesh.axes[static_cast<size_t>(axis_at(mesh, axis.name))].second).count;
  }
  return count;
}

// Only axes in `only`, where that is given.
Pieces pieces_along(const Mesh& mesh, const std::vector<MeshAxis>& axes, int64_t cores,
                    const std::vector<std::string>* only) {
  Pieces pieces{1, std::vector<int64_t>(static_cast<size_t>(cores), 0)};
  for (const MeshAxis& axis : axes) {
    if (only != nullptr && std::find(only->begin(), only->end(), axis.name) == only->end()) {
      continue;
    }
    const auto at = static_cast<size_t>(axis_at(mesh, axis.name));
    const int64_t size = mesh.axes[at].second;
    pieces.count *= piece_of(axis, 0, size).count;
    for (int64_t core = 0; core < cores; ++core) {
      const Piece piece = piece_of(axis, coordinates(mesh, core)[at], size);
      int64_t& own = pieces.index[static_cast<size_t>(core)];
      own = own * piece.count + piece.index;
    }
  }
  return pieces;
}

int64_t cut(int64_t size, int64_t pieces, const Shape& shape) {
  if (pieces < 1 || size % pieces != 0) {
    raise<InvalidArgument>({.what = str("a sharding cuts an axis of ", size, " of the shape ",
                                        to_string(shape), " into ", pieces, " parts"),
                            .wanted = "parts of one size"});
  }
  return size / pieces;
}

}  // namespace

int64_t Mesh::cores() const {
  int64_t result = 1;
  for (const auto& [name, size] : axes) result *= size;
  return result;
}

Parts whole_parts(const Shape& shape, int64_t cores) {
  return {shape.to_vector(), std::vector<std::vector<int64_t>>(
                                 static_cast<size_t>(cores),
                                 std::vector<int64_t>(static_cast<size_t>(shape.rank()), 0))};
}

MeshSharding read_sharding(const Program& program, const Attribute& attribute) {
  TextReader reader(program, attribute.text, attribute.offset);
  reader.accept("#sdy.sharding");
  return read_one(reader);
}

std::vector<MeshSharding> read_shardings(const Program& program, const Attribute& attribute) {
  TextReader reader(program, attribute.text, attribute.offset);
  reader.accept("#sdy.sharding_per_value");
  reader.expect("<");
  reader.expect("[");
  std::vector<MeshSharding> result;
  if (reader.accept("]")) return result;
  do result.push_back(read_one(reader));
  while (reader.accept(","));
  reader.expect("]");
  return result;
}

std::vector<std::string> read_mesh_axes(const Program& program, const Attribute& attribute) {
  TextReader reader(program, attribute.text, attribute.offset);
  reader.skip_to("{");
  std::vector<std::string> result;
  if (reader.accept("}")) return result;
  do result.emplace_back(reader.string());
  while (reader.accept(","));
  reader.expect("}");
  return result;
}

std::vector<Mesh> meshes_of(const Program& program) {
  std::vector<Mesh> meshes;
  std::string_view name;
  for (const Operation& op : program.operations) {
    if (const Attribute* mesh = mesh_text(op, name)) meshes.push_back(read_mesh(program, *mesh));
  }
  return meshes;
}

Parts parts_of(const MeshSharding& sharding, const Shape& shape, int64_t cores,
               const std::vector<std::string>* only) {
  Parts parts = whole_parts(shape, cores);
  const Mesh& mesh = sharding.mesh;
  if (sharding.dims.size() != static_cast<size_t>(shape.rank())) {
    raise<InvalidArgument>({.what = str("a sharding of ", sharding.dims.size(), " axes"),
                            .wanted = str(shape.rank(), " for the shape ", to_string(shape))});
  }
  if (mesh.cores() == 1) return parts;
  if (mesh.cores() != cores) {
    raise<InvalidArgument>({.what = str("a mesh of ", mesh.cores(), " cores"),
                            .wanted = str(cores, ", as the program has partitions")});
  }
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    const Pieces pieces = pieces_along(mesh, sharding.dims[dim], cores, only);
    parts.size[dim] = cut(parts.size[dim], pieces.count, shape);
    for (size_t core = 0; core < pieces.index.size(); ++core) {
      parts.start[core][dim] = pieces.index[core] * parts.size[dim];
    }
  }
  Pieces addends = pieces_along(mesh, sharding.unreduced, cores, only);
  if (addends.count > 1) parts.addend = std::move(addends.index);
  return parts;
}

MeshSharding dividing(MeshSharding sharding, const Shape& shape) {
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    std::vector<MeshAxis>& axes = sharding.dims[dim];
    if (static_cast<int>(dim) >= shape.rank()) break;
    while (!axes.empty() && shape[static_cast<int>(dim)] % count_of(sharding.mesh, axes) != 0) {
      axes.pop_back();
    }
  }
  return sharding;
}

std::vector<std::vector<int64_t>> groups_along(const Mesh& mesh,
                                               const std::vector<std::string>& same,
                                               int64_t cores) {
  std::map<std::vector<int64_t>, std::vector<int64_t>> groups;
  for (int64_t core = 0; core < cores; ++core) {
    std::vector<int64_t> place;
    for (const std::string& axis : same) {
      place.push_back(coordinates(mesh, core)[static_cast<size_t>(axis_at(mesh, axis))]);
    }
    groups[place].push_back(core);
  }
  std::vector<std::vector<int64_t>> result;
  for (auto& [place, members] : groups) result.push_back(std::move(members));
  return result;
}

namespace {

// devices=[2,1,4]<=[2,4]T(1,0), or a list of them: the cores in the order of the tiles.
std::vector<int64_t> tile_order(TextReader& reader, int64_t count) {
  std::vector<int64_t> order;
  if (!reader.accept("<=")) {
    do order.push_back(reader.integer());
    while (reader.accept(","));
    return order;
  }
  const std::vector<int64_t> sizes = reader.integers();
  if (product(sizes, reader) != count) reader.fail("as many cores as tiles");
  std::vector<int64_t> permutation(sizes.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  if (reader.accept("T")) {
    reader.expect("(");
    for (size_t i = 0; i < permutation.size(); ++i) {
      if (i > 0) reader.expect(",");
      permutation[i] = reader.integer();
    }
    reader.expect(")");
  }
  std::vector<int64_t> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) reader.fail("a permutation");
  }
  const std::vector<int64_t> strides = Shape(sizes).strides();
  Shape walked = Shape(sizes);
  for (size_t i = 0; i < sizes.size(); ++i) {
    walked.set(static_cast<int>(i), sizes[static_cast<size_t>(permutation[i])]);
  }
  std::vector<int64_t> index(sizes.size(), 0);
  do {
    int64_t id = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      id += index[i] * strides[static_cast<size_t>(permutation[i])];
    }
    order.push_back(id);
  } while (next_index(walked, index));
  return order;
}

}  // namespace

Parts parts_of(const Program& program, const Attribute& text, const Shape& shape, int64_t cores) {
  Parts parts = whole_parts(shape, cores);
  TextReader reader(program, text.text, text.offset);
  reader.expect("{");
  if (!reader.accept("devices=")) return parts;  // replicated, maximal, manual
  const std::vector<int64_t> tiles = reader.integers();
  const int64_t count = product(tiles, reader);
  const std::vector<int64_t> order = tile_order(reader, count);
  if (count != cores || order.size() != static_cast<size_t>(cores) ||
      tiles.size() < parts.size.size()) {
    reader.fail(str("tiles for ", cores, " cores and ", shape.rank(), " axes"));
  }
  for (size_t dim = 0; dim < parts.size.size(); ++dim) {
    parts.size[dim] = cut(parts.size[dim], tiles[dim], shape);
  }
  const std::vector<int64_t> strides = Shape(tiles).strides();
  for (size_t at = 0; at < order.size(); ++at) {
    if (order[at] < 0 || order[at] >= cores) reader.fail(str("cores below ", cores));
    for (size_t dim = 0; dim < parts.size.size(); ++dim) {
      parts.start[static_cast<size_t>(order[at])][dim] =
          static_cast<int64_t>(at) / strides[dim] % tiles[dim] * parts.size[dim];
    }
  }
  return parts;
}

bool says_sharding(const std::vector<NamedAttribute>& attributes) {
  return find(attributes, "sdy.sharding") != nullptr ||
         find(attributes, "mhlo.sharding") != nullptr;
}

Parts parts_of(const Program& program, const std::vector<NamedAttribute>& attributes,
               const Shape& shape, int64_t cores) {
  if (const Attribute* sharding = find(attributes, "sdy.sharding")) {
    return parts_of(read_sharding(program, *sharding), shape, cores);
  }
  if (const Attribute* sharding = find(attributes, "mhlo.sharding")) {
    return parts_of(program, *sharding, shape, cores);
  }
  return whole_parts(shape, cores);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
