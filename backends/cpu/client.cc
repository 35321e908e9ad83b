#include "backends/cpu/client.h"

#include "backends/cpu/buffer.h"
#include "backends/cpu/compile.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/lower/lower_block.h"
#include "backends/cpu/memory_block.h"
#include "systolic/base/error.h"
#include "systolic/base/floating_point.h"
#include "systolic/base/text.h"
#include "systolic/ir/shard.h"
#include "systolic/runtime/takes_rows.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using runtime::Placement;

class SoftwareTpu final : public runtime::Client, public runtime::TakesRows {
 public:
  SoftwareTpu(TpuKind kind, int cores, LowerBlock lower, bool keep_subnormals)
      : engine_(std::make_shared<Engine>(std::move(kind), cores)),
        lower_(lower),
        keep_subnormals_(keep_subnormals) {}

  std::string platform() const override { return "software_tpu"; }
  const TpuKind& kind() const override { return engine_->kind(); }
  const runtime::Topology& topology() const override { return engine_->topology(); }

  runtime::BufferPtr from_host(const Literal& literal, const Placement& placement) override;
  runtime::BufferPtr from_host_rows(std::span<const Literal> rows,
                                    const Placement& placement) override;
  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    const KeepSubnormals whole_constants;
    runtime::CompileOptions own = options;
    // The unit takes subnormals as 0.
    if (keep_subnormals_) own.split_products = runtime::SplitProducts::none;
    const std::shared_ptr<CpuExecutable> executable = cpu::compile(engine_, module, own, lower_);
    if (keep_subnormals_) executable->keep_subnormals();
    return executable;
  }

  runtime::CoreCounters counters(int core) const override { return engine_->counters(core); }
  void reset_counters() override { engine_->reset_counters(); }
  void add_input_wait(double seconds) override { engine_->add_input_wait(seconds); }
  int64_t memory_in_use(int core) const override { return engine_->memory_in_use(core); }
  void reset() override { engine_->reset(); }

 private:
  ir::Type placed_type(const ir::Type& whole, const Placement& placement) const;

  std::shared_ptr<Engine> engine_;
  LowerBlock lower_;
  bool keep_subnormals_;
};

// The type of the buffer, after checking that the placement suits the array.
ir::Type SoftwareTpu::placed_type(const ir::Type& whole, const Placement& placement) const {
  ir::Type type = whole;
  if (type.dtype == DType::string || type.dtype == DType::token) {
    raise<InvalidArgument>({.what = str("an array of ", to_string(type.dtype), "s on a device"),
                            .wanted = "numbers or bools",
                            .hint = "keep strings on the host, or turn them into ids first"});
  }
  if (placement.kind == Placement::Kind::per_core) {
    if (type.shape.rank() == 0 || type.shape[0] != cores()) {
      raise<InvalidArgument>({.what = str("per-core array of shape ", to_string(type.shape)),
                              .wanted = str("a first axis of ", cores(), " cores")});
    }
    type.shape = type.shape.without(0);
  }
  if (placement.kind == Placement::Kind::sharded) {
    ir::check_sharding(placement.sharding, type.shape, cores());
  }
  if (placement.kind == Placement::Kind::single &&
      (placement.core < 0 || placement.core >= cores())) {
    raise<InvalidArgument>(
        {.what = str("core ", placement.core), .wanted = str("one of the ", cores(), " cores")});
  }
  return type;
}

runtime::BufferPtr SoftwareTpu::from_host(const Literal& literal, const Placement& placement) {
  return std::make_shared<CpuBuffer>(engine_,
                                     placed_type({literal.dtype(), literal.shape()}, placement),
                                     placement, std::make_shared<MemoryBlock>(literal));
}

// Rows that begin on a boundary, as arrays do, stay where they are: a loop takes one after the
// other.
runtime::BufferPtr SoftwareTpu::from_host_rows(std::span<const Literal> rows,
                                               const Placement& placement) {
  const ir::Type type = runtime::type_of_rows(rows);
  std::vector<std::shared_ptr<const MemoryBlock>> pieces;
  for (const Literal& row : rows) pieces.push_back(std::make_shared<MemoryBlock>(row));
  auto block = std::make_shared<MemoryBlock>(std::move(pieces));
  const auto row_bytes = static_cast<int64_t>(rows.front().byte_size());
  const bool stays = row_bytes > 0 && row_bytes % array_alignment == 0;
  if (!stays) block->data();
  return std::make_shared<CpuBuffer>(engine_, placed_type(type, placement), placement,
                                     std::move(block));
}

}  // namespace

runtime::ClientPtr open_software_tpu(std::string_view kind, int cores, LowerBlock lower,
                                     bool keep_subnormals) {
  return open_software_tpu(parse_tpu_kind(kind), cores, lower, keep_subnormals);
}

runtime::ClientPtr open_software_tpu(TpuKind kind, int cores, LowerBlock lower,
                                     bool keep_subnormals) {
  const int most = kind.cores();
  if (cores < 0 || cores > most) {
    raise<InvalidArgument>({.what = str(cores, " cores of a ", kind.name),
                            .wanted = str("1 to ", most, ", or 0 for all"),
                            .hint = "choose a larger slice, such as v3-32"});
  }
  return std::make_shared<SoftwareTpu>(std::move(kind), cores == 0 ? most : cores,
                                       lower == nullptr ? lower_block : lower, keep_subnormals);
}

}  // namespace cpu
}  // namespace systolic::inline v0
