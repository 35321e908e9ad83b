// SYSTOLIC_DUMP=folder writes each stage of each program there: 003_train_step.0_traced.mlir, ...
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace cpu {

class Dump {
 public:
  // Numbers the program. Writes nothing unless the environment asks for it.
  explicit Dump(std::string_view program);
  // Writes text() as stage `name`; what cannot be written is logged once.
  void stage(std::string_view name, const std::function<std::string()>& text);

 private:
  std::string prefix_;
  int stage_ = 0;
};

}  // namespace cpu
}  // namespace systolic::inline v0
