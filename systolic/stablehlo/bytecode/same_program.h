// For tests: are two programs the same, however their constants and attributes are spelled?
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "systolic/base/text.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Gives every program the same spelling: attributes in the order of their names, constants as
// bytes.
class Normalizer {
 public:
  explicit Normalizer(Program& program) : program_(program) {}

  void normalize() {
    attributes(program_.attributes);
    for (Operation& op : program_.operations) attributes(op.attributes);
    for (Function& function : program_.functions) {
      attributes(function.attributes);
      for (auto& one : function.argument_attributes) attributes(one);
      for (auto& one : function.result_attributes) attributes(one);
      region(function.body);
    }
  }

 private:
  void attributes(std::vector<NamedAttribute>& all) {
    for (NamedAttribute& attribute : all) value(attribute.value);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  void region(Region& all) {
    for (Operation& op : all.operations) {
      for (NamedAttribute& attribute : op.attributes) window(attribute);
      attributes(op.attributes);
      for (Region& inner : op.regions) region(inner);
    }
  }

  // A convolution's window has lists in its pretty form and constants in the generic one: both as
  // their numbers.
  void window(NamedAttribute& attribute) {
    if (attribute.name != "padding" && attribute.name != "window_reversal") return;
    std::vector<int64_t> numbers;
    Attribute& written = attribute.value;
    const bool nested = written.kind == Attribute::Kind::array && !written.items.empty() &&
                        written.items[0].kind == Attribute::Kind::array;
    if (nested) {
      for (const Attribute& pair : written.items) {
        for (int64_t number : read_integers(program_, pair)) numbers.push_back(number);
      }
    } else {
      numbers = read_integers(program_, written);
    }
    written = {};
    written.kind = Attribute::Kind::opaque;
    written.text = program_.implied->emplace_back(join(numbers));
  }

  void value(Attribute& attribute) {
    for (Attribute& item : attribute.items) value(item);
    if (attribute.kind == Attribute::Kind::dictionary) attributes(attribute.fields);
    if (attribute.kind == Attribute::Kind::structure) attributes(attribute.fields);
    if (attribute.kind == Attribute::Kind::elements) elements(attribute);
    if (attribute.kind == Attribute::Kind::floating) {
      attribute.text = program_.implied->emplace_back(str(read_float(program_, attribute)));
    }
    if (attribute.kind == Attribute::Kind::dense_array) {
      std::string text(attribute.text);
      text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
      attribute.text = program_.implied->emplace_back(std::move(text));
    }
  }

  void elements(Attribute& attribute) {
    const Type& type = program_.type(attribute.type);
    const std::optional<DType> dtype = info(type.element).dtype;
    if (!dtype || type.quantization) return;
    const DenseValue dense = read_dense(program_, attribute, *dtype, Shape(type.dims));
    const auto width = static_cast<size_t>(byte_width(*dtype));
    std::string bytes(reinterpret_cast<const char*>(dense.literal.raw()),
                      width * static_cast<size_t>(dense.literal.shape().elements()));
    // A splat is one element.
    if (bytes.size() > width && bytes.substr(width) == bytes.substr(0, bytes.size() - width)) {
      bytes.resize(width);
    }
    std::string text;
    for (char c : bytes) text += str(static_cast<int>(c), " ");
    attribute.text = program_.implied->emplace_back(std::move(text));
  }

  Program& program_;
};

// The program's text in that spelling.
inline std::string normal_text(Program program) {
  Normalizer(program).normalize();
  return program_text(program);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
