#include "plugin/program/aliases.h"

#include <vector>

namespace systolic::inline v0 {
namespace plugin {
namespace {

class Aliases {
 public:
  Aliases(ir::Module& module, Signature& signature)
      : main_(module.main()), signature_(signature), taken_(main_.results.size(), false) {}

  void add_named(const stablehlo::Program& program) {
    const auto& attributes = program.entry().argument_attributes;
    for (size_t i = 0; i < main_.arguments.size(); ++i) {
      const auto* named = stablehlo::find(attributes[i], "tf.aliasing_output");
      if (named == nullptr) continue;
      const auto result = static_cast<size_t>(named->integer);
      if (result < taken_.size() && !taken_[result] && is_alike(i, result)) overwrite(i, result);
    }
  }

  void add_donors() {
    pair_donors(&Aliases::is_alike, &Aliases::overwrite);
    pair_donors(&Aliases::is_as_large, &Aliases::give);
  }

 private:
  bool is_alike(size_t argument, size_t result) const {
    const Port &from = signature_.arguments[argument], &to = signature_.results[result];
    return from.type == to.type && from.parts == to.parts;
  }
  bool is_as_large(size_t argument, size_t result) const {
    return signature_.arguments[argument].part_type().bytes() ==
           signature_.results[result].part_type().bytes();
  }

  void give(size_t argument, size_t result) {
    signature_.arguments[argument].aliases_result = static_cast<int64_t>(result);
    taken_[result] = true;
  }
  void overwrite(size_t argument, size_t result) {
    main_.arguments[argument].aliases_result = static_cast<int64_t>(result);
    give(argument, result);
  }

  void pair_donors(bool (Aliases::*fits)(size_t, size_t) const,
                   void (Aliases::*pair)(size_t, size_t)) {
    for (size_t i = 0; i < main_.arguments.size(); ++i) {
      const Port& port = signature_.arguments[i];
      for (size_t result = 0; result < taken_.size(); ++result) {
        if (!port.donated || port.aliases_result) break;
        if (!taken_[result] && (this->*fits)(i, result)) (this->*pair)(i, result);
      }
    }
  }

  ir::Function& main_;
  Signature& signature_;
  std::vector<bool> taken_;  // [result]
};

}  // namespace

void pair_donated(ir::Module& module, Signature& signature, const stablehlo::Program& program) {
  Aliases aliases(module, signature);
  aliases.add_named(program);
  aliases.add_donors();
}

}  // namespace plugin
}  // namespace systolic::inline v0
