// What a TileProgramBuilder collects, and what a TileProgram runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/kernels/tile/tile_io.h"
#include "backends/cpu/kernels/tile/tile_kernels.h"

namespace systolic::inline v0 {
namespace kernels {

// One value in single assignment form; operands are earlier nodes.
struct TileNode {
  // also: made by a later op beside its own value; only outputs read it.
  enum class Kind : uint8_t { input, constant, iota, op, also };
  Kind kind = Kind::op;
  TileCode code{};
  DType type = DType::f32;  // compute type of the value
  int operand_count = 0;
  std::array<int, most_tile_operands> operands{-1, -1, -1, -1, -1, -1, -1, -1};
  std::array<int, 2> parameters{};  // of TileCall
  std::array<int, 2> also{-1, -1};  // the nodes that it makes too
  int input = -1;                   // number of the input array
  uint64_t bits = 0;                // constant: the value's bytes in its type
  int64_t iota_inner = 1;           // iota: positions per step, and steps
  int64_t iota_size = 1;
};

struct TileOutput {
  int node = -1;
  DType dtype = DType::f32;
  TileAccess access;
};
struct TileInput {
  DType dtype = DType::f32;
  TileAccess access;
};

struct TileGraph {
  std::vector<int64_t> dims;
  int64_t elements = 1;
  std::vector<TileNode> nodes;
  std::vector<TileInput> inputs;
  std::vector<TileOutput> outputs;
  std::vector<float> table;  // coefficients of polynomials, and the like
};

// Makes polynomials with constant coefficients, indices over several axes and rotations of bits
// single instructions.
void merge_chains(TileGraph& graph);
// Makes GELU and its gradient single instructions. Before merge_pairs, which would take their
// products for its own.
void merge_gelu(TileGraph& graph);
// Makes dropout and its gradient single instructions. Before merge_pairs, too.
void merge_masks(TileGraph& graph);
// Rewrites common pairs and triples into single instructions where the inner value has no other
// use: of f32, and of i32 those that normalize indices.
void merge_pairs(TileGraph& graph);

// One step of a program. Values are numbered; each has a place in the slots.
struct TileStep {
  enum class Kind : uint8_t { load, iota, run, store };
  Kind kind = Kind::run;
  TileKernel kernel = nullptr;
  std::array<int16_t, most_tile_operands> operands{};
  int operand_count = 0;
  int16_t result = -1;
  std::array<int16_t, 2> also{-1, -1};  // further results
  std::array<int, 2> parameters{};
  int array = -1;  // load: input number; store: output number
  DType type = DType::f32;
  TileCode code{};
  int64_t iota_inner = 1, iota_size = 1;
  // load: a row that is repeated may be found in the slot already (its number among such inputs, or
  // -1), or be read where it lies, if it is longer than a tile.
  int kept_row = -1;
  bool long_row = false;
};

struct TileConstant {
  int16_t value;
  int width;         // bytes
  uint64_t bits;     // the element
  int input;         // >= 0: element of a scalar input instead, converted at the start of a run
  bool few = false;  // those who read it take 16 elements for all
};

// An array that full tiles use in place of a slot.
struct TileDirect {
  int16_t value;
  int array;
  int width;
  int64_t offset;  // bytes
};
struct TileDirectOutput : TileDirect {
  std::vector<int> hazards;  // inputs read after the value is written: must not be the same array
};

struct TileProgramData {
  int64_t elements = 0;
  int64_t tile = max_tile_elements;
  int64_t slot_bytes = 0;
  int values = 0;
  int kept_rows = 0;
  std::vector<int32_t> slot_of;  // value -> slot
  std::vector<TileConstant> constants;
  std::vector<TileStep> steps;
  std::vector<TileInput> inputs;
  std::vector<TileOutput> outputs;
  std::vector<TileDirect> direct_inputs;
  std::vector<TileDirectOutput> direct_outputs;
  std::vector<float> table;
};

// The steps of a graph in an order in which they can run, each value in its slot; a program too
// large for the slots is a ResourceExhausted.
std::shared_ptr<TileProgramData> assemble(const TileGraph& graph);

inline constexpr int64_t tile_storage_bytes = 96 * 1024;
inline constexpr int max_tile_values = 1024;
inline constexpr int max_kept_rows = 32;

}  // namespace kernels
}  // namespace systolic::inline v0
