#include "backends/pjrt/api/named_value.h"

#include "backends/pjrt/api/api.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

struct Printed {
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(int64_t integer) const { return str(integer); }
  std::string operator()(const std::vector<int64_t>& all) const { return str("[", join(all), "]"); }
  std::string operator()(float real) const { return str(real); }
  std::string operator()(bool boolean) const { return str(boolean); }
};

struct Filled {
  abi::NamedValue& out;

  void operator()(const std::string& text) const {
    out.type = abi::ValueType::text;
    out.text = text.data();
    out.value_size = text.size();
  }
  void operator()(int64_t integer) const {
    out.type = abi::ValueType::integer;
    out.integer = integer;
  }
  void operator()(const std::vector<int64_t>& all) const {
    out.type = abi::ValueType::integers;
    out.integers = all.data();
    out.value_size = all.size();
  }
  void operator()(float real) const {
    out.type = abi::ValueType::real;
    out.real = real;
  }
  void operator()(bool boolean) const {
    out.type = abi::ValueType::boolean;
    out.boolean = boolean;
  }
};

}  // namespace

Values values_of(const abi::NamedValue* first, size_t count) {
  Values values;
  if (first == nullptr) return values;
  for (size_t i = 0; i < count; ++i) {
    const abi::NamedValue& from = first[i];
    Value& value = values[text_of(from.name, from.name_size)];
    switch (from.type) {
      case abi::ValueType::text:
        value = text_of(from.text, from.value_size);
        break;
      case abi::ValueType::integer:
        value = from.integer;
        break;
      case abi::ValueType::integers:
        value = from.integers == nullptr
                    ? std::vector<int64_t>()
                    : std::vector<int64_t>(from.integers, from.integers + from.value_size);
        break;
      case abi::ValueType::real:
        value = from.real;
        break;
      case abi::ValueType::boolean:
        value = from.boolean;
        break;
      default:
        values.erase(text_of(from.name, from.name_size));
        break;
    }
  }
  return values;
}

std::string to_string(const Value& value) { return std::visit(Printed{}, value); }

std::vector<abi::NamedValue> named_values(const Values& values) {
  std::vector<abi::NamedValue> result;
  for (const auto& [name, value] : values) {
    abi::NamedValue& out = result.emplace_back();
    out = abi::NamedValue{};
    out.struct_size = abi::named_value_size;
    out.name = name.data();
    out.name_size = name.size();
    out.value_size = 1;
    std::visit(Filled{out}, value);
  }
  return result;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
