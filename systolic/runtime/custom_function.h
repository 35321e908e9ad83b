// Functions from outside the library that programs call by name (StableHLO's custom_call): those of
// JAX's foreign function interface, which the PJRT plugin passes on, or your own.
//
//   register_custom_function("twice", [](const ir::CustomCallAttributes&) {
//     return std::make_unique<Twice>();   // whose run() writes results[0].data
//   });
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "systolic/ir/attributes.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {

// An array as a function sees it: the program's axes, in memory in the order of the call's layout,
// without gaps.
struct CustomArray {
  ir::Type type;
  std::byte* data = nullptr;
};

// A function at one call in a program.
class CustomFunction {
 public:
  virtual ~CustomFunction() = default;
  // Writes all of the results; reads the operands, which may be written to where they share a
  // result's memory. Several runs may happen at the same time. Failures are thrown as an Error.
  virtual void run(std::span<const CustomArray> operands,
                   std::span<const CustomArray> results) const = 0;
};

// Called when a program is compiled, once for each call in it; unknown options are an
// InvalidArgument.
using CustomFunctionMaker =
    std::function<std::unique_ptr<const CustomFunction>(const ir::CustomCallAttributes&)>;

// From now on programs may call it. A second function of the same name replaces the first, for
// programs that are compiled afterwards. Thread-safe, like everything here.
void register_custom_function(std::string name, CustomFunctionMaker maker);

bool is_custom_function(std::string_view name);

// The function that a call names; NotFound where none is registered under that name.
std::unique_ptr<const CustomFunction> make_custom_function(const ir::CustomCallAttributes& call);

// The permutation by which an array is transposed so that row-major order is that of `layout`.
ir::Axes order_of_layout(const ir::Axes& layout);

}  // namespace systolic::inline v0
