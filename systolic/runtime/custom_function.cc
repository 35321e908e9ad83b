#include "systolic/runtime/custom_function.h"

#include <map>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/ir/core_groups.h"
#include "systolic/runtime/cores_come_together.h"

namespace systolic::inline v0 {
namespace {

struct Register {
  std::mutex mutex;
  std::map<std::string, CustomFunctionMaker, std::less<>> makers = {
      {ir::cores_come_together, runtime::make_cores_come_together}};
};

Register& functions() {
  static Register registered;
  return registered;
}

}  // namespace

void register_custom_function(std::string name, CustomFunctionMaker maker) {
  Register& known = functions();
  const std::lock_guard lock(known.mutex);
  known.makers.insert_or_assign(std::move(name), std::move(maker));
}

bool is_custom_function(std::string_view name) {
  Register& known = functions();
  const std::lock_guard lock(known.mutex);
  return known.makers.find(name) != known.makers.end();
}

std::unique_ptr<const CustomFunction> make_custom_function(const ir::CustomCallAttributes& call) {
  Register& known = functions();
  CustomFunctionMaker maker;
  {
    const std::lock_guard lock(known.mutex);
    const auto found = known.makers.find(call.call_target_name);
    if (found != known.makers.end()) maker = found->second;
  }
  if (!maker) {
    raise<NotFound>({.what = str("no custom function is called '", call.call_target_name, "'"),
                     .hint = "register_custom_function() makes one known"});
  }
  return maker(call);
}

ir::Axes order_of_layout(const ir::Axes& layout) { return {layout.rbegin(), layout.rend()}; }

}  // namespace systolic::inline v0
