#include "backends/cpu/lower/regions/scalar_region.h"

#include <cstring>

#include "backends/cpu/fuse/tile_compiler.h"
#include "backends/cpu/lower/regions/region_program.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {

ScalarRegion::ScalarRegion(Planner& planner, const ir::Op& op, const ir::Block& region,
                           std::span<const PlaceId> apart) {
  if (!TileCompiler::supports_region(planner, region)) {
    lower(planner, op, region, apart);
    return;
  }
  std::vector<RegionInput> inputs;
  for (ir::ValueId argument : region.arguments)
    inputs.push_back({planner.type(argument).dtype, {}});
  program_ = compile_region(planner, op, region, Shape{}, inputs);
}

void ScalarRegion::lower(Planner& planner, const ir::Op& op, const ir::Block& region,
                         std::span<const PlaceId> apart) {
  planner.prepare_captures(op);
  for (ir::ValueId value : ir::values_read(op)) reads_.push_back(planner.view(value).place);
  MemoryLayout& memory = planner.memory();
  // Born before the region, so that none of its temporaries lies there.
  const int start = planner.begin_position();
  for (PlaceId place : apart) memory.write(place, start);
  for (ir::ValueId argument : region.arguments) {
    const ir::Type& type = planner.type(argument);
    arguments_.push_back({planner.temporary(type.bytes()), static_cast<size_t>(type.bytes())});
    planner.define(argument, dense_view(arguments_.back().place, type));
    memory.write(arguments_.back().place, start);
  }
  planner.begin_steps();
  planner.lower_block(region);
  for (ir::ValueId value : region.results) {
    const PlaceId place = planner.dense(value);
    memory.read(place, memory.position());  // when all of the region has run
    results_.push_back({place, static_cast<size_t>(planner.type(value).bytes())});
  }
  steps_ = std::make_shared<const std::vector<Step>>(planner.end_steps());
  memory.close_loop(start + 1);
}

void ScalarRegion::note_reads(StepNote& note) const {
  note.reads.insert(note.reads.end(), reads_.begin(), reads_.end());
  for (const Scalar& argument : arguments_) note.reads.push_back(argument.place);
}

void ScalarRegion::run(const Frame& frame, std::span<const void* const> arguments,
                       std::span<void* const> results) const {
  if (program_) return program_->run_range(0, 1, arguments, results);
  for (size_t i = 0; i < arguments_.size(); ++i) {
    std::memcpy(frame.at(arguments_[i].place), arguments[i], arguments_[i].bytes);
  }
  run_steps(*steps_, frame);
  for (size_t i = 0; i < results_.size(); ++i) {
    std::memcpy(results[i], frame.at(results_[i].place), results_[i].bytes);
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
