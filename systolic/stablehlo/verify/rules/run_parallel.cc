// interpreter.run_parallel, by which StableHLO's test programs run functions on several cores.
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

const Function& function_of(const OpVerifier& op, const Attribute& symbol) {
  const Function* function = op.program().find(symbol.text);
  op.require(function != nullptr, 0, [&] {
    return Violation{str("function @", symbol.text), "none", "a function of the module"};
  });
  return *function;
}

// Each gives one array for the infeed of a core.
void verify_infeed_queue(const OpVerifier& op) {
  const Attribute* queue = op.find("infeed");
  if (queue == nullptr) return;
  op.at_least(0, "size(infeed)", {static_cast<int64_t>(queue->items.size())}, 1);
  for (const Attribute& entry : queue->items) {
    const Function& function = function_of(op, entry);
    op.size_is(0, str("results of @", entry.text), function.result_types.size(), 1);
    const NamedValue fed{"result", -1, function.result_types[0],
                         &op.program().type(function.result_types[0])};
    op.require(fed.type->kind == Type::Kind::tensor, 0, [&] {
      return Violation{str("type of what @", entry.text, " returns"), op.type_of(fed), "a tensor"};
    });
  }
}

}  // namespace

// programs = [[@a, @b], [@c, @d]]: a row a replica, an entry a partition. Operands and results are
// those of the functions, core by core.
void verify_run_parallel(const OpVerifier& op) {
  const Attribute& programs = op.required("programs");
  op.at_least(0, "size(programs)", {static_cast<int64_t>(programs.items.size())}, 1);
  int64_t operands = 0, results = 0;
  for (const Attribute& row : programs.items) {
    op.size_is(0, "a row of programs", row.items.size(),
               static_cast<int64_t>(programs.items[0].items.size()));
    for (const Attribute& entry : row.items) {
      const Function& function = function_of(op, entry);
      operands += static_cast<int64_t>(function.body.arguments.size());
      results += static_cast<int64_t>(function.result_types.size());
    }
  }
  op.size_is(0, "operands", op.op().operands.size(), operands);
  op.size_is(0, "results", op.op().results.size(), results);
  verify_infeed_queue(op);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
