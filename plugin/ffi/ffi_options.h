// The options of a custom call as foreign functions read them.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "plugin/ffi/ffi_abi.h"
#include "systolic/ir/attributes.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

// The type's number; Unimplemented for types that foreign functions do not have.
DataType data_type(DType dtype);

// Points into `options`, which must outlive it.
class OptionList {
 public:
  explicit OptionList(const std::vector<ir::CustomOption>& options);
  OptionList(const OptionList&) = delete;
  OptionList& operator=(const OptionList&) = delete;

  const Options& get() const { return list_; }

 private:
  void add(const ir::CustomOption& option);
  void add(OptionType type, void* value);

  std::vector<OptionType> types_;
  std::vector<Text*> names_;
  std::vector<void*> values_;
  std::deque<Text> texts_;
  std::deque<Scalar> scalars_;
  std::deque<Array> arrays_;
  std::deque<std::unique_ptr<OptionList>> dictionaries_;
  Options list_ = {};
};

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
