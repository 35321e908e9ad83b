// A step as its lowering describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/plan/plan.h"

namespace systolic::inline v0 {
namespace cpu {

// How a step runs in `count` parts, which any threads may take: rows of a reduction, matrices of a
// batch, elements. Where the step reads what another one writes in the same parts, the two can run
// part by part, and what lies between them stays in the cache: step_chain.h.
struct StepParts {
  int64_t count = 0;  // 0: it runs whole
  // For each place that is read or written, a number of equal pieces: part i touches the i-th piece
  // and no other. 1: any of the place. In the order of StepNote's reads and writes.
  std::vector<int64_t> read_pieces = {}, written_pieces = {};
  // Bytes that every part reads again as a whole: they are to stay in a cache.
  int64_t reused_bytes = 0;
  // What one thread needs of the step's scratch places, in bytes: thread i has the i-th share.
  int64_t scratch_bytes = 0;
  // Parts [begin, end), on the calling thread.
  std::function<void(const Frame&, int64_t begin, int64_t end)> run = {};
};

struct StepNote {
  std::string name;
  std::vector<PlaceId> reads = {}, writes = {};
  std::vector<PlaceId> scratch = {};  // written and read by this step alone
  // (result, operand): the result may be written over the operand.
  std::vector<std::pair<PlaceId, PlaceId>> in_place = {};
  double flops = 0;
  double bytes = 0;  // moved, besides one time `reads` and `writes`
  MatrixWork matrix = {};
  bool loops = false;
  StepParts parts = {};
};

}  // namespace cpu
}  // namespace systolic::inline v0
