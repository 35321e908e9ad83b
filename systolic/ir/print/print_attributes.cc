#include "systolic/ir/print/print_attributes.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/ir/print/print_literal.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

std::string list(const Axes& axes) { return str("[", join(axes), "]"); }

std::string array(const Axes& axes) {
  return axes.empty() ? "array<i64>" : str("array<i64: ", join(axes), ">");
}

std::string_view precision_text(Precision precision) {
  switch (precision) {
    case Precision::standard:
      return "DEFAULT";
    case Precision::high:
      return "HIGH";
    case Precision::highest:
      return "HIGHEST";
  }
  return "DEFAULT";
}

std::string_view direction_text(Direction direction) {
  switch (direction) {
    case Direction::eq:
      return "EQ";
    case Direction::ne:
      return "NE";
    case Direction::ge:
      return "GE";
    case Direction::gt:
      return "GT";
    case Direction::le:
      return "LE";
    case Direction::lt:
      return "LT";
  }
  return "EQ";
}

std::string_view algorithm_text(RngAlgorithm algorithm) {
  switch (algorithm) {
    case RngAlgorithm::standard:
      return "DEFAULT";
    case RngAlgorithm::three_fry:
      return "THREE_FRY";
    case RngAlgorithm::philox:
      return "PHILOX";
  }
  return "DEFAULT";
}

// "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"; short rows are filled with -1.
std::string table(const std::vector<Axes>& rows, size_t columns) {
  if (rows.empty()) return str("dense<> : tensor<0x", columns, "xi64>");
  std::vector<std::string> texts;
  for (Axes row : rows) {
    row.resize(columns, -1);
    texts.push_back(list(row));
  }
  return str("dense<[", join(texts), "]> : tensor<", rows.size(), "x", columns, "xi64>");
}

std::string table(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::vector<Axes> rows;
  for (const auto& [first, second] : pairs) rows.push_back({first, second});
  return table(rows, 2);
}

std::string dot_text(const DotAttributes& a) {
  std::string text;
  if (!a.lhs_batching_dimensions.empty()) {
    text += str(", batching_dims = ", list(a.lhs_batching_dimensions), " x ",
                list(a.rhs_batching_dimensions));
  }
  text += str(", contracting_dims = ", list(a.lhs_contracting_dimensions), " x ",
              list(a.rhs_contracting_dimensions));
  if (a.precision != Precision::standard) {
    const std::string_view precision = precision_text(a.precision);
    text += str(", precision = [", precision, ", ", precision, "]");
  }
  return text;
}

std::string slice_text(const SliceAttributes& a) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < a.start_indices.size(); ++i) {
    std::string part = str(a.start_indices[i], ":", a.limit_indices[i]);
    if (a.strides[i] != 1) part += str(":", a.strides[i]);
    parts.push_back(part);
  }
  return str(" [", join(parts), "]");
}

std::string_view fft_text(FftType type) {
  switch (type) {
    case FftType::fft:
      return "FFT";
    case FftType::ifft:
      return "IFFT";
    case FftType::rfft:
      return "RFFT";
    case FftType::irfft:
      return "IRFFT";
  }
  return "FFT";
}

struct PrettyText {
  std::string operator()(const DotAttributes& a) const { return dot_text(a); }
  std::string operator()(const SliceAttributes& a) const { return slice_text(a); }
  std::string operator()(const AxesAttributes& a) const { return str(", dims = ", list(a.axes)); }
  std::string operator()(const BroadcastAttributes& a) const {
    return str(", dims = ", list(a.dimensions));
  }
  std::string operator()(const ConcatenateAttributes& a) const {
    return str(", dim = ", a.dimension);
  }
  std::string operator()(const DynamicSliceAttributes& a) const {
    return str(", sizes = ", list(a.slice_sizes));
  }
  std::string operator()(const PadAttributes& a) const {
    return str(", low = ", list(a.edge_padding_low), ", high = ", list(a.edge_padding_high),
               ", interior = ", list(a.interior_padding));
  }
  std::string operator()(const IotaAttributes& a) const { return str(" dim = ", a.dimension); }
  std::string operator()(const ReducePrecisionAttributes& a) const {
    return str(", format = e", a.exponent_bits, "m", a.mantissa_bits);
  }
  std::string operator()(const FftAttributes& a) const {
    return str(", type = ", fft_text(a.type), ", length = ", list(a.fft_length));
  }
  std::string operator()(const RngAttributes& a) const {
    return str(", algorithm = ", algorithm_text(a.algorithm));
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

std::string scatter_text(const ScatterAttributes& a) {
  std::string numbers = str("update_window_dims = ", list(a.update_window_dims),
                            ", inserted_window_dims = ", list(a.inserted_window_dims));
  if (!a.input_batching_dims.empty()) {
    numbers += str(", input_batching_dims = ", list(a.input_batching_dims),
                   ", scatter_indices_batching_dims = ", list(a.scatter_indices_batching_dims));
  }
  return str("indices_are_sorted = ", a.indices_are_sorted,
             ", scatter_dimension_numbers = #stablehlo.scatter<", numbers,
             ", scatter_dims_to_operand_dims = ", list(a.scatter_dims_to_operand_dims),
             ", index_vector_dim = ", a.index_vector_dim, ">, unique_indices = ", a.unique_indices);
}

std::string gather_text(const GatherAttributes& a) {
  std::string numbers = str("offset_dims = ", list(a.offset_dims),
                            ", collapsed_slice_dims = ", list(a.collapsed_slice_dims));
  if (!a.operand_batching_dims.empty()) {
    numbers += str(", operand_batching_dims = ", list(a.operand_batching_dims),
                   ", start_indices_batching_dims = ", list(a.start_indices_batching_dims));
  }
  return str(
      "dimension_numbers = #stablehlo.gather<", numbers,
      ", start_index_map = ", list(a.start_index_map), ", index_vector_dim = ", a.index_vector_dim,
      ">, indices_are_sorted = ", a.indices_are_sorted, ", slice_sizes = ", array(a.slice_sizes));
}

std::string window_text(const WindowAttributes& a, bool dilations) {
  std::string text =
      str("padding = ", table(a.padding), ", window_dimensions = ", array(a.window_dimensions),
          ", window_strides = ", array(a.window_strides));
  if (dilations) {
    text += str(", base_dilations = ", array(a.base_dilations),
                ", window_dilations = ", array(a.window_dilations));
  }
  return text;
}

std::string layouts_text(const std::vector<Axes>& layouts) {
  std::vector<std::string> texts;
  for (const Axes& layout : layouts) {
    texts.push_back(layout.empty()
                        ? "dense<> : tensor<0xindex>"
                        : str("dense<", list(layout), "> : tensor<", layout.size(), "xindex>"));
  }
  return str("[", join(texts), "]");
}

std::string options_text(const std::vector<CustomOption>& options) {
  std::vector<std::string> texts;
  for (const CustomOption& option : options) {
    std::string value;
    if (const auto* literal = std::get_if<Literal>(&option.value)) {
      value = str(mlir_dense(*literal), " : ", mlir_type({literal->dtype(), literal->shape()}));
    } else if (const auto* text = std::get_if<std::string>(&option.value)) {
      value = str("\"", *text, "\"");
    } else {
      value = options_text(std::get<std::vector<CustomOption>>(option.value));
    }
    texts.push_back(str(option.name, " = ", value));
  }
  return str("{", join(texts), "}");
}

// How a partitioner is to lay out what a call hands through, if that is all the call says.
const std::string* sharding_mark(const CustomCallAttributes& a) {
  if (a.options.size() != 1 || a.options[0].name != "mhlo.sharding") return nullptr;
  return std::get_if<std::string>(&a.options[0].value);
}

std::string custom_call_text(const CustomCallAttributes& a) {
  if (sharding_mark(a) != nullptr) return str("call_target_name = \"", a.call_target_name, "\"");
  std::vector<std::string> aliases;
  for (const auto& [result, operand] : a.output_operand_aliases) {
    aliases.push_back(str("#stablehlo.output_operand_alias<output_tuple_indices = ",
                          a.result_layouts.size() == 1 ? "[]" : list({result}),
                          ", operand_index = ", operand, ", operand_tuple_indices = []>"));
  }
  return str("call_target_name = \"", a.call_target_name,
             "\", api_version = 4 : i32, backend_config = ", options_text(a.options),
             ", operand_layouts = ", layouts_text(a.operand_layouts),
             ", result_layouts = ", layouts_text(a.result_layouts), ", output_operand_aliases = [",
             join(aliases), "]", a.has_side_effect ? ", has_side_effect = true" : "");
}

struct GenericText {
  const Op& op;
  const Module& module;

  std::string operator()(const AxesAttributes& a) const {
    return str("dimensions = ", array(a.axes));
  }
  std::string operator()(const ScatterAttributes& a) const { return scatter_text(a); }
  std::string operator()(const CustomCallAttributes& a) const { return custom_call_text(a); }
  std::string operator()(const GatherAttributes& a) const { return gather_text(a); }
  std::string operator()(const SortAttributes& a) const {
    return str("dimension = ", a.dimension, " : i64, is_stable = ", a.is_stable);
  }
  std::string operator()(const WindowAttributes& a) const {
    return window_text(a, op.code == OpCode::reduce_window);
  }
  std::string operator()(const CollectiveAttributes& a) const {
    const bool reduces = op.code != OpCode::collective_broadcast;
    return str(groups(a), channel(a.channel_id), reduces ? global_ids(a) : "");
  }
  std::string operator()(const PermuteAttributes& a) const {
    return str("source_target_pairs = ", table(a.source_target_pairs), channel(a.channel_id));
  }
  std::string operator()(const GatherCoresAttributes& a) const {
    const bool gathers = op.code == OpCode::all_gather;
    return str(gathers ? "all_gather_dim = " : "scatter_dimension = ", a.dimension, " : i64, ",
               groups(a.collective), channel(a.collective.channel_id), global_ids(a.collective));
  }
  std::string operator()(const AllToAllAttributes& a) const {
    return str("split_dimension = ", a.split_dimension,
               " : i64, concat_dimension = ", a.concat_dimension,
               " : i64, split_count = ", a.split_count, " : i64, ", groups(a.collective),
               channel(a.collective.channel_id));
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }

 private:
  std::string groups(const CollectiveAttributes& a) const {
    std::vector<Axes> rows(a.replica_groups.begin(), a.replica_groups.end());
    if (rows.empty()) {
      const int64_t cores = a.use_global_device_ids ? module.num_replicas * module.num_partitions
                            : a.channel_id > 0 && op.code == OpCode::all_to_all
                                ? module.num_partitions
                                : module.num_replicas;
      Axes& all = rows.emplace_back();
      for (int64_t core = 0; core < cores; ++core) all.push_back(core);
    }
    size_t columns = 0;
    for (const Axes& row : rows) columns = std::max(columns, row.size());
    return str("replica_groups = ", table(rows, columns));
  }
  static std::string channel(int64_t id) {
    if (id <= 0) return {};
    return str(", channel_handle = #stablehlo.channel_handle<handle = ", id, ", type = 1>");
  }
  static std::string global_ids(const CollectiveAttributes& a) {
    return a.use_global_device_ids ? ", use_global_device_ids" : "";
  }
};

// Letters at their axes: spatial axes as numbers, the two others as given.
std::string layout(const Axes& spatial, int64_t first, std::string_view first_name, int64_t second,
                   std::string_view second_name) {
  std::vector<std::string> names(spatial.size() + 2);
  names[static_cast<size_t>(first)] = first_name;
  names[static_cast<size_t>(second)] = second_name;
  for (size_t i = 0; i < spatial.size(); ++i) names[static_cast<size_t>(spatial[i])] = str(i);
  return str("[", join(names), "]");
}

}  // namespace

std::string pretty_attributes(const Op& op) { return std::visit(PrettyText{}, op.attributes); }

std::string generic_attributes(const Op& op, const Module& module) {
  return std::visit(GenericText{op, module}, op.attributes);
}

std::string attributes_of_others(const Op& op) {
  const auto* call = std::get_if<CustomCallAttributes>(&op.attributes);
  const std::string* sharding = call == nullptr ? nullptr : sharding_mark(*call);
  return sharding == nullptr ? "" : str("mhlo.sharding = \"", *sharding, "\"");
}

std::pair<std::string_view, std::string_view> compare_words(const CompareAttributes& a,
                                                            DType operands) {
  std::string_view type = "FLOAT";
  if (a.type == CompareType::total_order) {
    type = "TOTALORDER";
  } else if (is_signed_integer(operands)) {
    type = "SIGNED";
  } else if (is_unsigned_integer(operands) || operands == DType::pred) {
    type = "UNSIGNED";
  }
  return {direction_text(a.direction), type};
}

std::string convolution_attributes(const ConvolutionAttributes& a) {
  std::vector<std::string> padding, reversal;
  for (const auto& [low, high] : a.padding) padding.push_back(str("[", low, ", ", high, "]"));
  for (bool reversed : a.window_reversal) reversal.push_back(str(reversed));
  const std::string_view precision = precision_text(a.precision);
  return str("dim_numbers = ",
             layout(a.input_spatial_dimensions, a.input_batch_dimension, "b",
                    a.input_feature_dimension, "f"),
             "x",
             layout(a.kernel_spatial_dimensions, a.kernel_input_feature_dimension, "i",
                    a.kernel_output_feature_dimension, "o"),
             "->",
             layout(a.output_spatial_dimensions, a.output_batch_dimension, "b",
                    a.output_feature_dimension, "f"),
             ", window = {stride = ", list(a.window_strides), ", pad = [", join(padding),
             "], lhs_dilate = ", list(a.lhs_dilation), ", rhs_dilate = ", list(a.rhs_dilation),
             ", reverse = [", join(reversal), "]} {batch_group_count = ", a.batch_group_count,
             " : i64, feature_group_count = ", a.feature_group_count,
             " : i64, precision_config = [#stablehlo<precision ", precision,
             ">, #stablehlo<precision ", precision, ">]}");
}

}  // namespace ir
}  // namespace systolic::inline v0
