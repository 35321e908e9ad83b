#include <numeric>

#include "systolic/base/error.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/importer.h"
#include "systolic/stablehlo/narrow.h"
#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/quantize.h"

namespace systolic::inline v0 {
namespace stablehlo {

void OpImport::fail(std::string what, std::string got, std::string wanted, std::string hint) const {
  raise_at(importer_.program(), op_.offset, str(op_.name, ": ", what), std::move(got),
           std::move(wanted), std::move(hint));
}

void OpImport::lack(std::string what, std::string hint) const {
  raise<Unimplemented>(
      {.what = str(place_of(importer_.program(), op_.offset), ": ", op_.name, ": ", what),
       .hint = std::move(hint)});
}

const Slot& OpImport::slot(size_t i) const {
  if (i >= op_.operands.size()) {
    fail("its operands", str(op_.operands.size()), str("at least ", i + 1));
  }
  if (dequantized_) return numbers_[i];
  return importer_.frame().values[static_cast<size_t>(op_.operands[i])];
}

void OpImport::dequantize_operands() {
  for (size_t i = 0; i < op_.operands.size(); ++i) {
    Slot values = slot(i);
    if (const auto quantization = operand_type(i).quantization) {
      values = {dequantize(operand(i), *quantization)};
    } else if (values.size() == 1 && is_narrow(operand_type(i).element)) {
      values = {narrow_to_numbers(values[0], operand_type(i).element)};
    }
    numbers_.push_back(std::move(values));
  }
  dequantized_ = true;
}

void OpImport::quantize_results() {
  for (size_t i = 0; i < results_.size() && i < op_.results.size(); ++i) {
    const Type& type = result_type(i);
    if (type.quantization) {
      results_[i] = {quantize(results_[i].at(0), *type.quantization)};
    } else if (results_[i].size() == 1 && is_narrow(type.element)) {
      results_[i] = {numbers_to_narrow(results_[i][0], type.element)};
    }
  }
}

ir::Value OpImport::operand(size_t i) const {
  const Slot& values = slot(i);
  if (values.size() != 1) {
    fail(str("operand ", i),
         type_text(importer_.program(), importer_.frame().function->type(op_.operands[i])),
         "an array");
  }
  return values[0];
}

std::vector<ir::Value> OpImport::operands(size_t begin, size_t end) const {
  std::vector<ir::Value> result;
  for (size_t i = begin; i < std::min(end, op_.operands.size()); ++i) {
    const Slot& values = slot(i);
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

const Type& OpImport::result_type(size_t i) const {
  if (i >= op_.results.size())
    fail("its results", str(op_.results.size()), str("at least ", i + 1));
  return importer_.program().type(importer_.frame().function->type(op_.results[i]));
}

const Type& OpImport::operand_type(size_t i) const {
  slot(i);
  return importer_.program().type(importer_.frame().function->type(op_.operands[i]));
}

ElementType OpImport::result_element(size_t i) const {
  const Type& type = result_type(i);
  return type.quantization ? type.quantization->storage : type.element;
}

ElementType OpImport::operand_element(size_t i) const {
  const Type& type = operand_type(i);
  return type.quantization ? type.quantization->storage : type.element;
}

ir::Type OpImport::written(size_t i) const {
  result_type(i);
  const std::vector<ir::Type> arrays =
      importer_.arrays_of(importer_.frame().function->type(op_.results[i]), op_.offset);
  if (arrays.size() != 1) fail(str("result ", i), "no array", "an array");
  const Type& type = result_type(i);
  if (dequantized_ && type.quantization) {
    const std::optional<DType> dtype = info(type.quantization->expressed).dtype;
    if (dtype) return {*dtype, arrays[0].shape};
  } else if (dequantized_ && is_narrow(type.element)) {
    return {numbers_type(type.element), arrays[0].shape};
  }
  return arrays[0];
}

ir::Type OpImport::static_type(size_t i) const {
  ir::Type type = written(i);
  for (int64_t size : type.shape) {
    if (size < 0) lack("a result whose shape does not follow from the arguments");
  }
  return type;
}

void OpImport::set_arrays(const std::vector<ir::Value>& arrays) {
  results_.clear();
  for (const ir::Value& array : arrays) results_.push_back({array});
}

void OpImport::divide(const std::vector<ir::Value>& arrays) {
  results_.clear();
  size_t next = 0;
  for (ValueId result : op_.results) {
    const TypeId type = importer_.frame().function->type(result);
    const size_t count = importer_.arrays_of(type, op_.offset).size();
    if (next + count > arrays.size()) fail("its results", str(arrays.size()), "more arrays");
    results_.emplace_back(arrays.begin() + static_cast<std::ptrdiff_t>(next),
                          arrays.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
  }
}

ir::Value OpImport::add(ir::OpCode code, std::vector<ir::Value> operands, ir::Attributes attributes,
                        std::vector<ir::Block> regions, std::vector<ir::Type> requested) {
  return builder().append(code, operands, std::move(attributes), std::move(regions),
                          std::move(requested))[0];
}

void OpImport::append(ir::Attributes attributes, std::vector<ir::Block> regions,
                      std::vector<ir::Type> requested) {
  set_arrays(builder().append(code_, operands(), std::move(attributes), std::move(regions),
                              std::move(requested)));
}

const Region& OpImport::written_region(size_t i) const {
  if (i >= op_.regions.size()) {
    fail("its regions", str(op_.regions.size()), str("at least ", i + 1));
  }
  return op_.regions[i];
}

std::vector<ir::Value> OpImport::region_ops(size_t i, std::span<const ir::Value> arguments) {
  const Region& written = written_region(i);
  std::vector<Slot>& values = importer_.frame().values;
  size_t next = 0;
  for (ValueId argument : written.arguments) {
    const TypeId type = importer_.frame().function->type(argument);
    const size_t count = importer_.arrays_of(type, op_.offset).size();
    if (next + count > arguments.size()) {
      fail(str("region ", i), str(written.arguments.size(), " arguments"), str(arguments.size()));
    }
    values[static_cast<size_t>(argument)].assign(
        arguments.begin() + static_cast<std::ptrdiff_t>(next),
        arguments.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
  }
  if (next != arguments.size()) {
    fail(str("region ", i), str(written.arguments.size(), " arguments"), str(arguments.size()));
  }
  std::vector<ir::Value> results;
  const std::vector<Slot> returned =
      importer_.operations(written.operations, 0, static_cast<size_t>(-1));
  for (const Slot& slot : returned) results.insert(results.end(), slot.begin(), slot.end());
  return results;
}

ir::Block OpImport::region(size_t i, const std::vector<ir::Type>& arguments) {
  const SourceLocation here = builder().location;
  ir::Block block = builder().region(
      arguments, [&](std::span<const ir::Value> values) { return region_ops(i, values); });
  builder().location = here;
  return block;
}

ir::Block OpImport::region(size_t i) {
  std::vector<ir::Type> types;
  for (ValueId argument : written_region(i).arguments) {
    const TypeId type = importer_.frame().function->type(argument);
    for (ir::Type& array : importer_.arrays_of(type, op_.offset)) types.push_back(std::move(array));
  }
  return region(i, types);
}

const Attribute& OpImport::required(std::string_view name) const {
  const Attribute* found = op_.find(name);
  if (found == nullptr) fail(str("attribute ", name, " is missing"));
  return *found;
}

int64_t OpImport::integer(std::string_view name) const {
  const Attribute& attribute = required(name);
  if (attribute.kind != Attribute::Kind::integer && attribute.kind != Attribute::Kind::boolean) {
    fail(str("attribute ", name), attribute_text(importer_.program(), attribute), "a whole number");
  }
  return attribute.integer;
}

int64_t OpImport::integer(std::string_view name, int64_t otherwise) const {
  return op_.find(name) == nullptr ? otherwise : integer(name);
}

bool OpImport::boolean(std::string_view name, bool otherwise) const {
  const Attribute* found = op_.find(name);
  if (found == nullptr) return otherwise;
  if (found->kind == Attribute::Kind::unit) return true;
  if (found->kind != Attribute::Kind::boolean) {
    fail(str("attribute ", name), attribute_text(importer_.program(), *found), "true or false");
  }
  return found->integer != 0;
}

ir::Axes OpImport::axes(std::string_view name) const {
  return read_integers(importer_.program(), required(name));
}

ir::Axes OpImport::axes(std::string_view name, ir::Axes otherwise) const {
  const Attribute* found = op_.find(name);
  return found == nullptr ? std::move(otherwise) : read_integers(importer_.program(), *found);
}

ir::Padding OpImport::padding(std::string_view name, size_t rank) const {
  ir::Padding result(rank);
  const Attribute* found = op_.find(name);
  if (found == nullptr) return result;
  std::vector<int64_t> flat;
  if (found->kind == Attribute::Kind::array) {
    for (const Attribute& item : found->items) {
      const std::vector<int64_t> row = read_integers(importer_.program(), item);
      flat.insert(flat.end(), row.begin(), row.end());
    }
  } else {
    flat = read_integers(importer_.program(), *found);
  }
  if (flat.empty()) return result;  // "pad = []"
  if (flat.size() != 2 * rank) {
    fail(str("attribute ", name), str(flat.size(), " numbers"),
         str(2 * rank, ", two for each axis"));
  }
  for (size_t i = 0; i < rank; ++i) result[i] = {flat[2 * i], flat[2 * i + 1]};
  return result;
}

std::string_view OpImport::word(std::string_view name, std::string_view otherwise) const {
  const Attribute* found = op_.find(name);
  return found == nullptr ? otherwise : found->text;
}

ir::Precision OpImport::precision() const {
  const Attribute* found = op_.find("precision_config");
  ir::Precision most = ir::Precision::standard;
  if (found == nullptr) return most;
  for (const Attribute& item : found->items) {
    const ir::Precision precision = item.text == "HIGHEST" ? ir::Precision::highest
                                    : item.text == "HIGH"  ? ir::Precision::high
                                                           : ir::Precision::standard;
    if (precision > most) most = precision;
  }
  return most;
}

ir::Axes OpImport::field_axes(const Attribute& structure, std::string_view name) const {
  const Attribute* found = stablehlo::find(structure.fields, name);
  return found == nullptr ? ir::Axes{} : read_integers(importer_.program(), *found);
}

int64_t OpImport::field_integer(const Attribute& structure, std::string_view name,
                                int64_t otherwise) const {
  const Attribute* found = stablehlo::find(structure.fields, name);
  return found == nullptr ? otherwise : found->integer;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
