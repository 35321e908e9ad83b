#include "systolic/stablehlo/verify/attributes.h"

#include <algorithm>
#include <array>

#include "systolic/base/text.h"
#include "systolic/stablehlo/convolution_numbers.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// The name of a type of attributes, and the words or fields that it has.
struct Names {
  std::string_view type, names;
};

constexpr std::array enumerations = {
    Names{"comparison_direction", "EQ, NE, GE, GT, LE, LT"},
    Names{"comparison_type", "NOTYPE, FLOAT, TOTALORDER, SIGNED, UNSIGNED"},
    Names{"fft_type", "FFT, IFFT, RFFT, IRFFT"},
    Names{"precision", "DEFAULT, HIGH, HIGHEST"},
    Names{"result_accuracy_mode", "DEFAULT, HIGHEST, TOLERANCE"},
    Names{"rng_algorithm", "DEFAULT, THREE_FRY, PHILOX"},
    Names{"rng_distribution", "UNIFORM, NORMAL"},
    Names{"transpose", "NO_TRANSPOSE, TRANSPOSE, ADJOINT"},
};

constexpr std::array structures = {
    Names{"stablehlo.channel_handle", "handle, type"},
    Names{"stablehlo.dot",
          "lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, "
          "rhs_contracting_dimensions"},
    Names{"stablehlo.dot_algorithm",
          "lhs_precision_type, rhs_precision_type, accumulation_type, lhs_component_count, "
          "rhs_component_count, num_primitive_operations, allow_imprecise_accumulation"},
    Names{"stablehlo.gather",
          "offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, "
          "start_index_map, index_vector_dim"},
    Names{"stablehlo.output_operand_alias",
          "output_tuple_indices, operand_index, operand_tuple_indices"},
    Names{"stablehlo.result_accuracy", "atol, rtol, ulps, mode"},
    Names{"stablehlo.scatter",
          "update_window_dims, inserted_window_dims, input_batching_dims, "
          "scatter_indices_batching_dims, scatter_dims_to_operand_dims, index_vector_dim"},
};

bool lists(std::string_view names, std::string_view name) {
  for (const std::string& known : split(names, ',')) {
    if (trim(known) == name) return true;
  }
  return false;
}

template <size_t N>
const Names* find_type(const std::array<Names, N>& table, std::string_view type) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Names& row) { return row.type == type; });
  return found == table.end() ? nullptr : &*found;
}

// The mode HIGHEST asks for the best there is, so that nothing is left to tolerate.
void verify_accuracy(const Program& program, const Attribute& accuracy) {
  const Attribute* mode = find(accuracy.fields, "mode");
  // Written with a dot, #stablehlo.result_accuracy_mode<HIGHEST>, or as an enumeration.
  if (mode == nullptr || mode->text.find("HIGHEST") == std::string_view::npos) return;
  for (std::string_view name : {"atol", "rtol", "ulps"}) {
    const Attribute* tolerance = find(accuracy.fields, name);
    if (tolerance == nullptr) continue;
    const double value = tolerance->kind == Attribute::Kind::integer
                             ? static_cast<double>(tolerance->integer)
                             : read_float(program, *tolerance);
    if (value == 0) continue;
    raise_at(program, tolerance->offset, str(name, " of result_accuracy with the mode HIGHEST"),
             str(value), "0");
  }
}

// Each axis of a convolution's arrays stands once.
void verify_layouts(const Program& program, const Attribute& attribute) {
  const ConvolutionNumbers numbers = read_convolution_numbers(program, attribute);
  for (const ConvolutionLayout& layout : {numbers.input, numbers.kernel, numbers.output}) {
    std::vector<int64_t> axes = layout.spatial;
    axes.push_back(layout.first);
    axes.push_back(layout.second);
    if (std::find(axes.begin(), axes.end(), -1) == axes.end()) continue;
    raise_at(program, attribute.offset, "dimension_numbers", std::string(attribute.text),
             "each axis once: b and f, or i and o, and the numbers of the others");
  }
}

void verify_attribute(const Program& program, const Attribute& attribute) {
  if (attribute.kind == Attribute::Kind::enumeration) {
    const Names* words = find_type(enumerations, attribute.name);
    if (words != nullptr && !lists(words->names, attribute.text)) {
      raise_at(program, attribute.offset, std::string(attribute.name), std::string(attribute.text),
               str("one of ", words->names));
    }
  }
  if (attribute.kind == Attribute::Kind::structure) {
    const Names* fields = find_type(structures, attribute.name);
    for (const NamedAttribute& field : attribute.fields) {
      if (fields == nullptr || lists(fields->names, field.name)) continue;
      raise_at(program, field.value.offset, str("a field of #", attribute.name),
               std::string(field.name), str("one of ", fields->names));
    }
    if (attribute.name == "stablehlo.result_accuracy") verify_accuracy(program, attribute);
  }
  if (attribute.kind == Attribute::Kind::opaque && attribute.name == "stablehlo.conv") {
    verify_layouts(program, attribute);
  }
  for (const Attribute& item : attribute.items) verify_attribute(program, item);
  verify_attributes(program, attribute.fields);
}

}  // namespace

void verify_attributes(const Program& program, const std::vector<NamedAttribute>& attributes) {
  for (const auto& [name, value] : attributes) {
    if (name == "dimension_numbers" && value.kind == Attribute::Kind::opaque) continue;
    verify_attribute(program, value);
    if (name != "precision_config") continue;
    for (const Attribute& item : value.items) {
      if (item.kind == Attribute::Kind::enumeration) continue;
      raise_at(program, item.offset, "an element of precision_config",
               attribute_text(program, item), "#stablehlo<precision DEFAULT>, or HIGH, or HIGHEST");
    }
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
