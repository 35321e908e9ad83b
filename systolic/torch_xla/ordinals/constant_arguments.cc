#include "systolic/torch_xla/ordinals/constant_arguments.h"

#include <utility>

#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace torch_xla {

bool ConstantArguments::is_constant(size_t argument, const std::optional<Literal>& number) {
  Known& known = known_[argument];
  if (!known.seen && number) known.number = *number;
  known.varies = known.varies || !number || !(*number == known.number);
  known.seen = true;
  return !known.varies;
}

ir::Module ConstantArguments::with_constants(const ir::Module& module,
                                             const std::vector<bool>& constant) const {
  const ir::Function& source = module.main();
  ir::Module result = module;
  ir::Function& target = result.main();
  target = ir::Function();
  target.name = source.name;
  ir::ValueMap map(source.types.size());
  ir::Builder builder(target, &result);
  for (size_t i = 0; i < source.arguments.size(); ++i) {
    const ir::ValueId argument = source.body.arguments[i];
    map.set(argument, target.add_argument(source.type(argument), source.arguments[i]));
  }
  for (size_t i = 0; i < source.arguments.size(); ++i) {
    if (constant[i]) map.set(source.body.arguments[i], builder.constant(known_[i].number).id());
  }
  for (const ir::Op& op : source.body.ops) ir::clone_op(op, source, target, target.body, map);
  for (size_t i = 0; i < source.results.size(); ++i)
    target.add_result(map.at(source.body.results[i]), source.results[i]);
  return result;
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
