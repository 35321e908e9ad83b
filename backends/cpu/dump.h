// SYSTOLIC_DUMP=folder writes each stage of each program there, 003_train_step.0_traced.mlir, and
// what each pass made that changed it, 003_train_step.pass_08_narrow_values.mlir.
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
  // Whether the environment asks for it.
  bool is_wanted() const { return !prefix_.empty(); }
  // Writes text() as stage `name`; what cannot be written is logged once.
  void stage(std::string_view name, const std::function<std::string()>& text);
  // Writes what the pass of this number and name has made.
  void pass(size_t number, std::string_view name, const std::string& text);

 private:
  void write(std::string_view name, const std::string& text) const;

  std::string prefix_;
  int stage_ = 0;
};

}  // namespace cpu
}  // namespace systolic::inline v0
