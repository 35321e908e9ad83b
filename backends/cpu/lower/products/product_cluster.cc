#include "backends/cpu/lower/products/product_cluster.h"

#include <array>
#include <memory>
#include <utility>

#include "backends/cpu/fuse/tile_compiler.h"
#include "backends/cpu/kernels/matmul/matmul.h"
#include "backends/cpu/lower/elementwise/cluster_note.h"
#include "backends/cpu/lower/products/dot.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

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
  note.matrix = product_work(planner, call.options);
  note_in_place(planner, inputs, space, note);
  const PlaceId scratch = planner.temporary(static_cast<int64_t>(product->scratch_bytes()));
  note.scratch = {scratch};
  ensure(places.size() < most_pointers && note.writes.size() <= most_pointers,
         "a cluster has too many inputs or outputs");
  ProductClusterKernel kernel(product, std::move(call), scratch, compiler.build(), places,
                              note.writes);
  planner.emit(std::move(note), std::move(kernel));
}

}  // namespace cpu
}  // namespace systolic::inline v0
