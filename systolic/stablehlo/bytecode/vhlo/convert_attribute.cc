// One attribute of VHLO as StableHLO has it.
#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_ops.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_rules.h"
#include "systolic/stablehlo/dense.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;
using Form = VhloForm;
using Default = VhloDefault;

bool is_integer(const Attribute& attribute, int64_t value) {
  return (attribute.kind == Kind::integer || attribute.kind == Kind::boolean) &&
         attribute.integer == value;
}

bool all_are(Reader& reader, const Bytes& at, const NamedAttribute& attribute, int64_t value) {
  const std::vector<int64_t> numbers = numbers_of(reader, at, attribute);
  return !numbers.empty() &&
         std::all_of(numbers.begin(), numbers.end(), [&](int64_t n) { return n == value; });
}

bool is_empty(const Attribute& attribute) {
  return attribute.items.empty() && attribute.fields.empty() && attribute.text.empty() &&
         attribute.kind != Kind::unit && attribute.kind != Kind::type;
}

bool is_default(Reader& reader, const Bytes& at, const NamedAttribute& attribute,
                Default otherwise) {
  const Attribute& value = attribute.value;
  switch (otherwise) {
    case Default::none:
      return false;
    case Default::minus_one:
      return is_integer(value, -1);
    case Default::zero:
      return is_integer(value, 0);
    case Default::one:
      return is_integer(value, 1);
    case Default::ones:
      return all_are(reader, at, attribute, 1);
    case Default::zeros:
      return all_are(reader, at, attribute, 0);
    case Default::empty:
      return is_empty(value);
    case Default::no_type:
      return value.text == "NOTYPE";
    case Default::default_words:
      return std::all_of(value.items.begin(), value.items.end(),
                         [](const Attribute& item) { return item.text == "DEFAULT"; });
    case Default::exact:  // without tolerances
      return value.fields.size() == 1 &&
             value.fields[0].value.text == "#stablehlo.result_accuracy_mode<DEFAULT>";
  }
  return false;
}

Attribute array_of(Reader& reader, const Bytes& at, const NamedAttribute& from, bool booleans) {
  std::vector<std::string> texts;
  for (int64_t number : numbers_of(reader, at, from)) {
    texts.push_back(booleans ? (number != 0 ? "true" : "false") : str(number));
  }
  Attribute result;
  result.kind = Kind::dense_array;
  result.type = reader.scalar(booleans ? ElementType::i1 : ElementType::i64);
  result.text = reader.implied(join(texts));
  result.offset = from.value.offset;
  return result;
}

void to_symbol(const Bytes& at, Attribute& attribute) {
  if (attribute.kind != Kind::string) at.fail("the name of a function", {}, "a string");
  attribute.kind = Kind::symbol;
}

}  // namespace

std::vector<int64_t> numbers_of(Reader& reader, const Bytes& at, const NamedAttribute& attribute) {
  constexpr int64_t most = 4096;  // axes, sizes: as many as an array has axes, or twice that
  if (attribute.value.kind == Kind::elements) {
    int64_t count = 1;
    for (int64_t size : reader.program().type(attribute.value.type).dims) {
      count = size < 0 || size > most ? most + 1 : count * size;
      if (count > most) at.fail(str("attribute ", attribute.name), "a large array", "few numbers");
    }
    reader.charge(at, static_cast<uint64_t>(count) / 8);
  }
  return read_integers(reader.program(), attribute.value);
}

Attribute channel_handle(Reader& reader, int64_t handle, int64_t type) {
  Attribute result;
  result.kind = Kind::structure;
  result.name = "stablehlo.channel_handle";
  for (const auto& [name, value] : {std::pair{"handle", handle}, {"type", type}}) {
    Attribute number;
    number.kind = Kind::integer;
    number.integer = value;
    number.text = reader.implied(str(value));
    result.fields.push_back({name, std::move(number)});
  }
  return result;
}

void convert_attribute(Reader& reader, const Bytes& at, NamedAttribute attribute, bool keep_default,
                       std::vector<NamedAttribute>& to) {
  const VhloRule* rule = find_vhlo_rule(attribute.name);
  if (rule == nullptr) return to.push_back(std::move(attribute));
  if (!keep_default && is_default(reader, at, attribute, rule->otherwise)) return;
  Attribute& value = attribute.value;
  switch (rule->form) {
    case Form::same:
      break;
    case Form::axes:
    case Form::booleans:
      value = array_of(reader, at, attribute, rule->form == Form::booleans);
      break;
    case Form::symbol:
      to_symbol(at, value);
      break;
    case Form::symbols:
      for (Attribute& item : value.items) to_symbol(at, item);
      break;
    case Form::channel:
      attribute.name = "channel_handle";
      value = channel_handle(reader, value.integer, 0);
      break;
    case Form::flag:
      value = {};
      break;
  }
  to.push_back(std::move(attribute));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
