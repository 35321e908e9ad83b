#include "plugin/ffi/ffi_options.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {
namespace {

struct TypeRow {
  DType dtype;
  DataType type;
};
constexpr TypeRow types[] = {
    {DType::pred, DataType::pred},
    {DType::i8, DataType::s8},
    {DType::i16, DataType::s16},
    {DType::i32, DataType::s32},
    {DType::i64, DataType::s64},
    {DType::u8, DataType::u8},
    {DType::u16, DataType::u16},
    {DType::u32, DataType::u32},
    {DType::u64, DataType::u64},
    {DType::f16, DataType::f16},
    {DType::f32, DataType::f32},
    {DType::f64, DataType::f64},
    {DType::bf16, DataType::bf16},
    {DType::c64, DataType::c64},
    {DType::c128, DataType::c128},
    {DType::f8e5m2, DataType::f8e5m2},
    {DType::f8e4m3fn, DataType::f8e4m3fn},
    {DType::i4, DataType::s4},
    {DType::u4, DataType::u4},
};

// Handlers read through pointers that are not const.
void* data_of(const Literal& literal) {
  return const_cast<std::byte*>(literal.raw());  // NOLINT: the interface has no const
}

}  // namespace

DataType data_type(DType dtype) {
  for (const TypeRow& row : types) {
    if (row.dtype == dtype) return row.type;
  }
  raise<Unimplemented>({.what = str("foreign functions on arrays of ", to_string(dtype))});
}

OptionList::OptionList(const std::vector<ir::CustomOption>& options) {
  for (const ir::CustomOption& option : options) {
    texts_.push_back({option.name.data(), option.name.size()});
    names_.push_back(&texts_.back());
    add(option);
  }
  list_.struct_size = sizeof(Options);
  list_.size = static_cast<int64_t>(types_.size());
  list_.types = types_.data();
  list_.names = names_.data();
  list_.values = values_.data();
}

void OptionList::add(OptionType type, void* value) {
  types_.push_back(type);
  values_.push_back(value);
}

void OptionList::add(const ir::CustomOption& option) {
  if (const auto* literal = std::get_if<Literal>(&option.value)) {
    const DataType type = data_type(literal->dtype());
    if (literal->shape().rank() == 0) {
      return add(OptionType::scalar, &scalars_.emplace_back(Scalar{type, data_of(*literal)}));
    }
    const auto size = static_cast<size_t>(literal->size());
    return add(OptionType::array, &arrays_.emplace_back(Array{type, size, data_of(*literal)}));
  }
  if (const auto* text = std::get_if<std::string>(&option.value)) {
    return add(OptionType::text, &texts_.emplace_back(Text{text->data(), text->size()}));
  }
  const auto& fields = std::get<std::vector<ir::CustomOption>>(option.value);
  dictionaries_.push_back(std::make_unique<OptionList>(fields));
  add(OptionType::dictionary, &dictionaries_.back()->list_);
}

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
