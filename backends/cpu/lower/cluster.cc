#include "backends/cpu/lower/cluster.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "backends/cpu/fuse/tile_compiler.h"
#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/lower/dot.h"
#include "backends/cpu/rewrite/fold_kind.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Values of the cluster that are read outside it.
std::vector<ir::ValueId> results_of(const Planner& planner, std::span<const ir::Op* const> ops) {
  std::unordered_map<ir::ValueId, int> inside;
  for (const ir::Op* op : ops) {
    for (ir::ValueId operand : op->operands) ++inside[operand];
  }
  std::vector<ir::ValueId> results;
  for (const ir::Op* op : ops) {
    if (planner.uses(op->results[0]) > inside[op->results[0]]) results.push_back(op->results[0]);
  }
  return results;
}

std::vector<PlaceId> places_of(std::span<const View> views) {
  std::vector<PlaceId> places;
  for (const View& view : views) places.push_back(view.place);
  return places;
}

std::string cluster_text(const Planner& planner, std::span<const ir::Op* const> ops) {
  std::string text = "fused(";
  for (size_t i = 0; i < ops.size() && i < 8; ++i) {
    if (i > 0) text += ' ';
    text += ir::info(ops[i]->code).name;
  }
  if (ops.size() > 8) text += str(" and ", ops.size() - 8, " more");
  return str(text, ") ", ir::to_string(planner.type(ops.back()->results[0])));
}

// Operands that are read once, whole and in order, may give their memory to a result of their
// element width.
void note_in_place(Planner& planner, std::span<const View> inputs, const Shape& space,
                   StepNote& note) {
  MemoryLayout& memory = planner.memory();
  std::unordered_map<PlaceId, int> readers;
  for (PlaceId place : note.reads) ++readers[memory.root(place)];
  for (PlaceId result : note.writes) {
    for (const View& view : inputs) {
      const bool whole = view.is_dense() && view.offset == 0 && view.type.shape == space &&
                         memory.bytes(view.place) == memory.bytes(result);
      if (whole && readers[memory.root(view.place)] == 1) {
        note.in_place.emplace_back(result, view.place);
      }
    }
  }
}

// Of the program's inputs as they lie in its space.
std::vector<int64_t> pieces_of(Planner& planner, std::span<const View> inputs, const Shape& space) {
  std::vector<int64_t> pieces;
  for (View view : inputs) {
    const int64_t elements = planner.memory().bytes(view.place) / byte_width(view.type.dtype);
    const bool in_space = view.strides.size() == static_cast<size_t>(space.rank());
    view.type.shape = space;
    pieces.push_back(in_space ? view_pieces(view, elements) : 1);
  }
  return pieces;
}

// Sums of rows read their lists and updates anywhere.
bool reads_row_sums(const Planner& planner, std::span<const ir::Op* const> ops) {
  return std::any_of(ops.begin(), ops.end(), [&](const ir::Op* op) {
    return std::any_of(op->operands.begin(), op->operands.end(), [&](ir::ValueId operand) {
      return planner.held_as<RowSums>(operand) != nullptr;
    });
  });
}

// Pointer lists of fixed size, so that running allocates nothing: for the 96 ops of the largest
// cluster (group.cc), each of which reads two arrays of its own at most besides what another made.
constexpr size_t most_pointers = 2 * 96 + 2;

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

// The product's rows are the program's first input.
class ProductClusterKernel {
 public:
  ProductClusterKernel(std::shared_ptr<const kernels::Matmul> product, ProductCall call,
                       PlaceId scratch, kernels::TileProgram program, std::vector<PlaceId> inputs,
                       std::vector<PlaceId> outputs)
      : product_(std::move(product)),
        call_(std::move(call)),
        scratch_(scratch),
        program_(std::move(program)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  void operator()(const Frame& frame) const {
    std::array<void*, most_pointers> outputs;
    for (size_t i = 0; i < outputs_.size(); ++i) outputs[i] = frame.at(outputs_[i]);
    const auto consume = [&](int64_t begin, int64_t end, const void* rows) {
      const int64_t n = product_->options().n;
      const auto width = static_cast<uintptr_t>(byte_width(product_->options().output_dtype));
      std::array<const void*, most_pointers> inputs;
      for (size_t i = 0; i < inputs_.size(); ++i) inputs[i + 1] = frame.at(inputs_[i]);
      // Where the whole product would begin.
      inputs[0] = reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(rows) -
                                                static_cast<uintptr_t>(begin * n) * width);
      program_.run_part(begin * n, end * n, std::span(inputs.data(), inputs_.size() + 1),
                        std::span(outputs.data(), outputs_.size()));
    };
    product_->run_rows(
        {.a = frame.at(call_.a) + call_.a_offset, .b = frame.at(call_.b) + call_.b_offset},
        frame.at(scratch_), frame.pool(), consume);
  }

 private:
  std::shared_ptr<const kernels::Matmul> product_;
  ProductCall call_;
  PlaceId scratch_;
  kernels::TileProgram program_;
  std::vector<PlaceId> inputs_, outputs_;
};

}  // namespace

void lower_ops_together(Planner& planner, std::span<const ir::Op* const> ops) {
  const Shape space = planner.type(ops[0]->results[0]).shape;
  TileCompiler compiler(planner, space);
  for (const ir::Op* op : ops) compiler.add(*op);
  StepNote note{.name = cluster_text(planner, ops)};
  for (ir::ValueId result : results_of(planner, ops)) {
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
  if (!reads_row_sums(planner, ops)) {
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

void lower_product_cluster(Planner& planner, const Group& group, const ProductCluster& cluster) {
  const ir::Op& op = *cluster.product;
  const Shape space = planner.type(op.results[0]).shape;
  ProductCall call = classify_product(planner, op);
  call.options.by_rows = true;
  call.options.output_dtype = planner.type(op.results[0]).dtype;
  const auto product = std::make_shared<const kernels::Matmul>(call.options, planner.threads());
  TileCompiler compiler(planner, space);
  compiler.bind_input(op.results[0], call.options.output_dtype);
  for (const ir::Op* member : group.ops) compiler.add(*member);
  StepNote note{.name = str(product_text(call.options), " ", cluster_text(planner, group.ops))};
  for (ir::ValueId result : results_of(planner, group.ops)) {
    compiler.output(result);
    note.writes.push_back(planner.define(result));
  }
  const std::span<const View> inputs = std::span(compiler.inputs()).subspan(1);
  const std::vector<PlaceId> places = places_of(inputs);
  note.reads = places;
  note.reads.insert(note.reads.end(), {call.a, call.b});
  note.flops = product->flops() +
               static_cast<double>(space.elements()) * static_cast<double>(group.ops.size());
  note_in_place(planner, inputs, space, note);
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(product->scratch_bytes()));
  note.scratch = {scratch};
  ensure(places.size() < most_pointers && note.writes.size() <= most_pointers,
         "a cluster has too many inputs or outputs");
  ProductClusterKernel kernel(product, std::move(call), scratch, compiler.build(), places,
                              note.writes);
  planner.emit(std::move(note), std::move(kernel));
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
