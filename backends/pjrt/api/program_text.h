// A program as PJRT takes it: MLIR, text or bytecode alike.
//
//   abi::ProgramText text = mlir_text(code);
//   args.program = &text;
#pragma once

#include <string>
#include <string_view>

#include "systolic/pjrt_abi/pjrt_abi.h"

namespace systolic::inline v0 {
namespace pjrt {

// Points into `code`, which must outlive it.
inline abi::ProgramText mlir_text(std::string& code) {
  static constexpr std::string_view format = "mlir";
  abi::ProgramText text{};
  text.struct_size = abi::program_size;
  text.code = code.data();
  text.code_size = code.size();
  text.format = format.data();
  text.format_size = format.size();
  return text;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
