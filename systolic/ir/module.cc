#include "systolic/ir/module.h"

#include <mutex>
#include <set>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace ir {

Op::Op() = default;
Op::Op(const Op& other) = default;
Op::Op(Op&& other) noexcept = default;
Op& Op::operator=(const Op& other) = default;
Op& Op::operator=(Op&& other) noexcept = default;
Op::~Op() = default;

std::string to_string(const Type& type) {
  return str(to_string(type.dtype), "[", join(type.shape.dims(), ","), "]");
}

bool Sharding::replicated() const {
  for (int64_t tile : tiles) {
    if (tile != 1) return false;
  }
  return true;
}

Sharding Sharding::along(int axis, int rank, int64_t cores) {
  Sharding sharding;
  sharding.tiles.assign(static_cast<size_t>(rank), 1);
  sharding.tiles[static_cast<size_t>(axis)] = cores;
  return sharding;
}

ValueId Function::new_value(Type type) {
  types.push_back(std::move(type));
  return static_cast<ValueId>(types.size() - 1);
}

ValueId Function::add_argument(Type type, Parameter parameter) {
  const ValueId value = new_value(std::move(type));
  body.arguments.push_back(value);
  arguments.push_back(std::move(parameter));
  return value;
}

void Function::add_result(ValueId value, Parameter parameter) {
  body.results.push_back(value);
  results.push_back(std::move(parameter));
}

const Function* Module::find(std::string_view function_name) const {
  for (const Function& function : functions) {
    if (function.name == function_name) return &function;
  }
  return nullptr;
}

const char* intern(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> texts;
  std::lock_guard lock(mutex);
  auto found = texts.find(text);
  if (found == texts.end()) found = texts.emplace(text).first;
  return found->c_str();
}

void for_each_op(const Block& block, const std::function<void(const Op&)>& visit) {
  for (const Op& op : block.ops) {
    visit(op);
    for (const Block& region : op.regions) for_each_op(region, visit);
  }
}

}  // namespace ir
}  // namespace systolic::inline v0
