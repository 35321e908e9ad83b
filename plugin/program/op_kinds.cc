#include "plugin/program/op_kinds.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

void count(const ir::Block& block, std::map<std::string_view, int64_t>& kinds) {
  for (const ir::Op& op : block.ops) {
    ++kinds[ir::info(op.code).name];
    for (const ir::Block& region : op.regions) count(region, kinds);
  }
}

}  // namespace

std::string op_kinds(const ir::Module& module) {
  std::map<std::string_view, int64_t> kinds;
  for (const ir::Function& function : module.functions) count(function.body, kinds);
  std::vector<std::string> texts;
  for (const auto& [name, number] : kinds) texts.push_back(str(number, " ", name));
  return join(texts);
}

}  // namespace plugin
}  // namespace systolic::inline v0
