#include "backends/cpu/simplify.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "backends/cpu/fuse/recompute.h"
#include "backends/cpu/rewrite/channels_last.h"
#include "backends/cpu/rewrite/compare_draws.h"
#include "backends/cpu/rewrite/convert_products.h"
#include "backends/cpu/rewrite/fold_padding.h"
#include "backends/cpu/rewrite/loops/hoist_products.h"
#include "backends/cpu/rewrite/loops/sum_products.h"
#include "backends/cpu/rewrite/loops/tile_rows.h"
#include "backends/cpu/rewrite/narrow.h"
#include "backends/cpu/rewrite/promote_folds.h"
#include "backends/cpu/rewrite/reassociate_products.h"
#include "backends/cpu/rewrite/relu_mask.h"
#include "backends/cpu/rewrite/scale_kernels.h"
#include "backends/cpu/rewrite/select_branches.h"
#include "backends/cpu/rewrite/sink_widening.h"
#include "backends/cpu/rewrite/turn_products.h"
#include "backends/cpu/rewrite/unit_folds.h"
#include "systolic/ir/print/print.h"
#include "systolic/passes/optimize.h"
#include "systolic/passes/stack/stack_cores.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// What a few passes need, or find out, besides the module.
struct PassContext {
  LowerBlock lower = nullptr;
  bool per_core = false;                     // the program came in the per-core form
  std::vector<bool> result_is_stacked = {};  // of such a program
};

struct Pass {
  const char* name;
  void (*run)(ir::Module& module, PassContext& context);
  const char* stage = nullptr;  // dumped as this stage, not under the pass's name
};

void run_optimize(ir::Module& module, PassContext&) { module = passes::optimize(module); }

void stack_replicas(ir::Module& module, PassContext& context) {
  if (!context.per_core) return;
  passes::StackedModule stacked = passes::stack_cores(module);
  module = std::move(stacked.module);
  context.result_is_stacked = std::move(stacked.result_is_stacked);
}

void optimize_stacked(ir::Module& module, PassContext& context) {
  if (context.per_core) run_optimize(module, context);
}

// Passes that need nothing but the module.
template <void (*rewrite)(ir::Module&)>
void in_place(ir::Module& module, PassContext&) {
  rewrite(module);
}
template <ir::Module (*rewrite)(const ir::Module&)>
void replaced(ir::Module& module, PassContext&) {
  module = rewrite(module);
}

constexpr std::array pass_table = {
    // Nothing below knows calls.
    Pass{"optimize", run_optimize},
    // All that follows knows plain programs alone.
    Pass{"stack_cores", stack_replicas, "stacked.mlir"},
    // Collectives have become reductions, transposes and slices, some of which cancel.
    Pass{"optimize_stacked", optimize_stacked},
    // What was a branch is part of its block for all that follow.
    Pass{"select_branches", in_place<select_branches>},
    // Loops have the products that they were written with, and those of branches.
    Pass{"hoist_products", in_place<hoist_products>},
    Pass{"sum_products", in_place<sum_products>},
    // Products below have types that a kernel computes with.
    Pass{"convert_products", in_place<convert_products>},
    // Numbers that nobody compares any more go with optimize_narrowed.
    Pass{"compare_draws", in_place<compare_draws>},
    // Transposes that meet their inverse go with optimize_narrowed.
    Pass{"put_channels_last", replaced<put_channels_last>},
    // A pad before a convolution is its own where no transpose is between them.
    Pass{"fold_padding", in_place<fold_padding>},
    // A pad stands between a gradient and the slice that it belongs to: narrowing passes both ways
    // once it has moved.
    Pass{"hoist_pads", replaced<hoist_pads>},
    Pass{"narrow_values", replaced<narrow_values>},
    // Offsets between a convolution and its factor are where the program put them; what is folded
    // goes with optimize_narrowed.
    Pass{"scale_kernels", replaced<scale_kernels>},
    // What is compared, moved and narrowed leaves dead ops and shared ones.
    Pass{"optimize_narrowed", run_optimize},
    // No pass below shares equal ops, which is what barriers are there against: gradients compute
    // again what is before them. Those below see the ops around them alone.
    Pass{"drop_barriers", in_place<passes::drop_barriers>},
    // A query is one only when narrowed, and dead ops would count as readers.
    Pass{"reassociate_products",
         [](ir::Module& module, PassContext&) { reassociate_products(module); }},
    // Where equal values are one, a comparison reads what the relu reads.
    Pass{"ask_relu_output", in_place<ask_relu_output>},
    // Folds have one type for the next pass and for lowering.
    Pass{"promote_folds", in_place<promote_folds>},
    // Only a fold of one type changes nothing.
    Pass{"reshape_unit_folds", in_place<reshape_unit_folds>},
    // No pass below makes or moves products and transposes.
    Pass{"turn_products", in_place<turn_products>},
    // The conversions of promote_folds sink too.
    Pass{"sink_widening", in_place<sink_widening>},
    // The ops between products are those that will run, and no pass below sums products of loops.
    Pass{"tile_rows", [](ir::Module& module, PassContext&) { tile_rows(module); }},
    // Last: passes that share equal ops would undo it, and it groups ops as they will run.
    Pass{"recompute_cheap_values",
         [](ir::Module& module, PassContext& context) {
           module = recompute_cheap_values(module, context.lower);
         }},
};

static_assert(std::all_of(pass_table.begin(), pass_table.end(),
                          [](const Pass& pass) { return pass.run != nullptr; }));

// `number` is the pass's place in the table: a pass has the same in every program.
void run_pass(const Pass& pass, size_t number, ir::Module& module, PassContext& context,
              Dump& dump) {
  if (!dump.is_wanted()) return pass.run(module, context);
  const std::string before = ir::to_text(module);
  pass.run(module, context);
  const std::string after = ir::to_text(module);
  if (after == before) return;
  if (pass.stage != nullptr) {
    dump.stage(pass.stage, [&] { return after; });
  } else {
    dump.pass(number, pass.name, after);
  }
}

}  // namespace

SimplifiedProgram simplify(const ir::Module& module, LowerBlock lower, Dump& dump) {
  dump.stage("traced.mlir", [&] { return ir::to_text(module); });
  PassContext context{.lower = lower, .per_core = module.num_replicas > 1};
  SimplifiedProgram program{.module = module, .result_is_stacked = {}};
  for (size_t i = 0; i < pass_table.size(); ++i) {
    run_pass(pass_table[i], i, program.module, context, dump);
  }
  dump.stage("simplified.mlir", [&] { return ir::to_text(program.module); });
  program.result_is_stacked = std::move(context.result_is_stacked);
  program.result_is_stacked.resize(module.main().body.results.size(), false);
  return program;
}

}  // namespace cpu
}  // namespace systolic::inline v0
