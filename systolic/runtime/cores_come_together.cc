#include "systolic/runtime/cores_come_together.h"

#include <vector>

#include "systolic/base/error.h"
#include "systolic/ir/core_groups.h"

namespace systolic::inline v0 {
namespace runtime {
namespace {

class CoresComeTogether : public CustomFunction {
 public:
  explicit CoresComeTogether(const ir::CustomCallAttributes& call)
      : collective_(option<std::string>(call, "collective")) {
    const auto& groups = option<Literal>(call, "groups");
    if (groups.dtype() != DType::i64 || groups.shape().rank() != 1) refuse("groups");
    const auto numbers = groups.data<int64_t>();
    groups_.assign(numbers.begin(), numbers.end());
  }

  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    const ir::Type wanted{DType::pred, {static_cast<int64_t>(groups_.size())}};
    if (operands.size() != 1 || !results.empty() || operands[0].type != wanted) refuse("operand");
    const auto* comes = reinterpret_cast<const uint8_t*>(operands[0].data);
    const auto split = ir::find_split_group(groups_, {comes, groups_.size()});
    if (!split) return;
    raise<InvalidArgument>(
        {.what = str("cores diverge at ", collective_, ": ", *split),
         .wanted = "all cores that exchange values to reach each collective",
         .hint = "make the condition around it the same on all of these cores, for example by "
                 "all_reduce of it"});
  }

 private:
  [[noreturn]] static void refuse(std::string_view which) {
    raise<InvalidArgument>({.what = str(ir::cores_come_together, " is called with a different '",
                                        which, "' than it has"),
                            .wanted = "collective, a text; groups, s64[cores]; an operand "
                                      "pred[cores], no results"});
  }

  template <class T>
  static const T& option(const ir::CustomCallAttributes& call, std::string_view name) {
    for (const ir::CustomOption& given : call.options) {
      const T* value = std::get_if<T>(&given.value);
      if (given.name == name && value != nullptr) return *value;
    }
    refuse(name);
  }

  std::string collective_;
  std::vector<int64_t> groups_;
};

}  // namespace

std::unique_ptr<const CustomFunction> make_cores_come_together(
    const ir::CustomCallAttributes& call) {
  return std::make_unique<CoresComeTogether>(call);
}

}  // namespace runtime
}  // namespace systolic::inline v0
