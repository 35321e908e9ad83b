#include "backends/pjrt/spread_module.h"

#include <variant>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

struct Spread {
  int64_t cores;

  void operator()(ir::CollectiveAttributes& a) const {
    a.replica_groups.clear();
    for (int64_t core = 0; core < cores; ++core) a.replica_groups.push_back({core});
  }
  void operator()(ir::PermuteAttributes& a) const {
    if (a.source_target_pairs.empty()) return;
    a.source_target_pairs.clear();
    for (int64_t core = 0; core < cores; ++core) a.source_target_pairs.push_back({core, core});
  }
  void operator()(ir::GatherCoresAttributes& a) const { (*this)(a.collective); }
  void operator()(ir::AllToAllAttributes& a) const { (*this)(a.collective); }
  template <class Other>
  void operator()(Other&) const {}
};

// Regions nest as deep as the verifier lets them.
void spread(ir::Block& block, int64_t cores) {
  for (ir::Op& op : block.ops) {
    if (op.code == ir::OpCode::replica_id || op.code == ir::OpCode::partition_id) {
      raise<Unimplemented>({.what = str("a program for one core that asks for its id (",
                                        info(op.code).name, ") on a client of ", cores, " cores"),
                            .hint = "run it with strategy.run, or put the arrays on one core",
                            .location = op.location});
    }
    std::visit(Spread{cores}, op.attributes);
    for (ir::Block& region : op.regions) spread(region, cores);
  }
}

}  // namespace

ir::Module spread_over(ir::Module module, int cores) {
  module.num_replicas = cores;
  if (cores == 1) return module;
  for (ir::Function& function : module.functions) spread(function.body, cores);
  return module;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
