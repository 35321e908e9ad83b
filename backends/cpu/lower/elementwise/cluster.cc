#include "backends/cpu/lower/elementwise/cluster.h"

#include <algorithm>
#include <array>

#include "backends/cpu/fuse/tile_compiler.h"
#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/lower/elementwise/cluster_note.h"
#include "backends/cpu/lower/elementwise/touched_rows.h"
#include "backends/cpu/rewrite/fold_kind.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Sums of rows read their lists and updates anywhere.
bool reads_row_sums(const Planner& planner, std::span<const ir::Op* const> ops) {
  return std::any_of(ops.begin(), ops.end(), [&](const ir::Op* op) {
    return std::any_of(op->operands.begin(), op->operands.end(), [&](ir::ValueId operand) {
      return planner.held_as<RowSums>(operand) != nullptr;
    });
  });
}

class ClusterKernel {
 public:
  ClusterKernel(kernels::TileProgram program, std::vector<PlaceId> inputs,
                std::vector<PlaceId> outputs)
      : program_(std::move(program)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  void operator()(const Frame& frame) const {
    with_arrays(frame,
                [&](auto inputs, auto outputs) { program_.run(inputs, outputs, frame.pool()); });
  }
  // Elements [begin, end).
  void operator()(const Frame& frame, int64_t begin, int64_t end) const {
    with_arrays(frame,
                [&](auto inputs, auto outputs) { program_.run_part(begin, end, inputs, outputs); });
  }

  void operator()(const Frame& frame, TouchedRows::Ranges ranges) const {
    with_arrays(frame,
                [&](auto inputs, auto outputs) { program_.run_parts(ranges, inputs, outputs); });
  }

 private:
  template <class Run>
  void with_arrays(const Frame& frame, const Run& run) const {
    std::array<const void*, most_pointers> inputs;
    std::array<void*, most_pointers> outputs;
    for (size_t i = 0; i < inputs_.size(); ++i) inputs[i] = frame.at(inputs_[i]);
    for (size_t i = 0; i < outputs_.size(); ++i) outputs[i] = frame.at(outputs_[i]);
    run(std::span(inputs.data(), inputs_.size()), std::span(outputs.data(), outputs_.size()));
  }

  kernels::TileProgram program_;
  std::vector<PlaceId> inputs_, outputs_;
};

// A program whose one output is reduced.
class ReducingKernel {
 public:
  struct Places {
    PlaceId output, scratch, init;
  };
  ReducingKernel(const kernels::Reduction& reduction, kernels::TileProgram program,
                 std::vector<PlaceId> inputs, Places places)
      : reduction_(reduction),
        program_(std::move(program)),
        inputs_(std::move(inputs)),
        places_(places) {}

  void operator()(const Frame& frame) const {
    const Pointers inputs = pointers(frame);
    reduction_.run(program_, std::span(inputs.data(), inputs_.size()), frame.at(places_.output),
                   frame.at(places_.scratch), frame.pool(), frame.at(places_.init));
  }
  // Results [begin, end).
  void operator()(const Frame& frame, int64_t begin, int64_t end) const {
    const Pointers inputs = pointers(frame);
    reduction_.run_parts(begin, end, program_, std::span(inputs.data(), inputs_.size()),
                         frame.at(places_.output), frame.at(places_.init));
  }

 private:
  using Pointers = std::array<const void*, most_pointers>;
  Pointers pointers(const Frame& frame) const {
    Pointers inputs;
    for (size_t i = 0; i < inputs_.size(); ++i) inputs[i] = frame.at(inputs_[i]);
    return inputs;
  }

  kernels::Reduction reduction_;
  kernels::TileProgram program_;
  std::vector<PlaceId> inputs_;
  Places places_;
};

}  // namespace

void lower_ops_together(Planner& planner, std::span<const ir::Op* const> ops) {
  const Shape space = planner.type(ops[0]->results[0]).shape;
  TileCompiler compiler(planner, space);
  for (const ir::Op* op : ops) compiler.add(*op);
  StepNote note{.name = cluster_text(planner, ops)};
  const std::vector<ir::ValueId> results = results_of(planner, ops);
  for (ir::ValueId result : results) {
    compiler.output(result);
    note.writes.push_back(planner.define(result));
  }
  note.reads = places_of(compiler.inputs());
  note.flops = static_cast<double>(space.elements()) * static_cast<double>(ops.size());
  note_in_place(planner, compiler.inputs(), space, note);
  if (note.writes.empty()) return;
  if (space.elements() == 0) return planner.emit(std::move(note), [](const Frame&) {});
  ensure(note.reads.size() <= most_pointers && note.writes.size() <= most_pointers,
         "a cluster has too many inputs or outputs");
  ClusterKernel kernel(compiler.build(), note.reads, note.writes);
  if (reads_row_sums(planner, ops)) {
    if (auto touched = TouchedRows::of(planner, ops, results)) {
      return planner.emit(
          std::move(note), [kernel, touched = *std::move(touched)](const Frame& frame) {
            if (!touched.are_all(frame)) return kernel(frame);
            touched.visit(frame, [&](TouchedRows::Ranges ranges) { kernel(frame, ranges); });
          });
    }
  } else {
    note.parts = {.count = space.elements(),
                  .read_pieces = pieces_of(planner, compiler.inputs(), space),
                  .written_pieces = std::vector<int64_t>(note.writes.size(), space.elements()),
                  .run = kernel};
  }
  planner.emit(std::move(note), std::move(kernel));
}

void lower_cluster(Planner& planner, const Group& group, const ElementwiseCluster&) {
  lower_ops_together(planner, group.ops);
}

void lower_reducing_cluster(Planner& planner, const Group& group, const ReducingCluster&) {
  const ir::Op& reduce = *group.ops.back();
  const std::span<const ir::Op* const> ops = elementwise_ops(group);
  const ir::Type& input = planner.type(reduce.operands[0]);
  TileCompiler compiler(planner, input.shape);
  for (const ir::Op* op : ops) compiler.add(*op);
  compiler.output(reduce.operands[0]);

  const kernels::Reduction reduction(*fold_kind(reduce.regions[0]), input.dtype, input.shape.dims(),
                                     reduce.get<ir::AxesAttributes>().axes);
  const std::vector<PlaceId> inputs = places_of(compiler.inputs());
  const PlaceId init = planner.dense(reduce.operands[1]);
  const PlaceId output = planner.define(reduce.results[0]);
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(reduction.scratch_bytes()));
  StepNote note{.name = cluster_text(planner, group.ops), .reads = inputs, .writes = {output}};
  note.reads.push_back(init);
  note.scratch = {scratch};
  note.flops = static_cast<double>(input.shape.elements()) * static_cast<double>(group.ops.size());
  ensure(inputs.size() <= most_pointers, "a cluster has too many inputs");
  const ReducingKernel kernel(reduction, compiler.build(), inputs,
                              {.output = output, .scratch = scratch, .init = init});
  if (reduction.parts() > 0 && !reads_row_sums(planner, ops)) {
    note.parts = {.count = reduction.parts(),
                  .read_pieces = pieces_of(planner, compiler.inputs(), input.shape),
                  .written_pieces = {reduction.parts()},
                  .run = kernel};
    note.parts.read_pieces.push_back(1);  // init
  }
  planner.emit(std::move(note), kernel);
}

}  // namespace cpu
}  // namespace systolic::inline v0
