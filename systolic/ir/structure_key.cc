#include "systolic/ir/structure_key.h"

#include <cstring>

namespace systolic::inline v0 {
namespace ir {
namespace {

// Appends numbers, lists and attributes as bytes. Lists carry their length, so that no two
// different sequences give the same bytes.
class KeyWriter {
 public:
  std::string take() { return std::move(bytes_); }

  void put(int64_t value) {
    // Small numbers, nearly all, take one byte.
    if (value >= 0 && value < 0xff) {
      bytes_.push_back(static_cast<char>(value));
      return;
    }
    bytes_.push_back(static_cast<char>(0xff));
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class E>
  requires std::is_enum_v<E>
  void put(E value) { put(static_cast<int64_t>(value)); }
  void put(const std::string& text) {
    put(static_cast<int64_t>(text.size()));
    bytes_ += text;
  }
  void put(const Axes& axes) {
    put(static_cast<int64_t>(axes.size()));
    for (int64_t axis : axes) put(axis);
  }
  void put(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
    put(static_cast<int64_t>(pairs.size()));
    for (const auto& [first, second] : pairs) {
      put(first);
      put(second);
    }
  }
  void put(const Type& type) {
    put(type.dtype);
    put(static_cast<int64_t>(type.shape.rank()));
    for (int64_t size : type.shape) put(size);
  }
  void put(const Literal& literal) {
    put(Type{literal.dtype(), literal.shape()});
    bytes_.append(reinterpret_cast<const char*>(literal.raw()), literal.byte_size());
  }
  template <class... Parts>
  void all(const Parts&... parts) {
    (put(parts), ...);
  }

  void put(std::monostate) {}
  void put(const CompareAttributes& a) { all(a.direction, a.type); }
  void put(const ConstantAttributes& a) { put(a.value); }
  void put(const IotaAttributes& a) { put(a.dimension); }
  void put(const ReducePrecisionAttributes& a) {
    all(int64_t{a.exponent_bits}, int64_t{a.mantissa_bits});
  }
  void put(const BroadcastAttributes& a) { put(a.dimensions); }
  void put(const ConcatenateAttributes& a) { put(a.dimension); }
  void put(const DynamicSliceAttributes& a) { put(a.slice_sizes); }
  void put(const GatherAttributes& a) {
    all(a.offset_dims, a.collapsed_slice_dims, a.operand_batching_dims,
        a.start_indices_batching_dims, a.start_index_map, a.index_vector_dim, a.slice_sizes,
        int64_t{a.indices_are_sorted});
  }
  void put(const PadAttributes& a) {
    all(a.edge_padding_low, a.edge_padding_high, a.interior_padding);
  }
  void put(const AxesAttributes& a) { put(a.axes); }
  void put(const ScatterAttributes& a) {
    all(a.update_window_dims, a.inserted_window_dims, a.input_batching_dims,
        a.scatter_indices_batching_dims, a.scatter_dims_to_operand_dims, a.index_vector_dim,
        int64_t{a.indices_are_sorted}, int64_t{a.unique_indices});
  }
  void put(const SliceAttributes& a) { all(a.start_indices, a.limit_indices, a.strides); }
  void put(const SortAttributes& a) { all(a.dimension, int64_t{a.is_stable}); }
  void put(const ConvolutionAttributes& a) {
    all(a.window_strides, a.lhs_dilation, a.rhs_dilation, a.padding);
    put(Axes(a.window_reversal.begin(), a.window_reversal.end()));
    all(a.input_batch_dimension, a.input_feature_dimension, a.input_spatial_dimensions);
    all(a.kernel_input_feature_dimension, a.kernel_output_feature_dimension,
        a.kernel_spatial_dimensions);
    all(a.output_batch_dimension, a.output_feature_dimension, a.output_spatial_dimensions);
    all(a.feature_group_count, a.batch_group_count, a.precision);
  }
  void put(const DotAttributes& a) {
    all(a.lhs_batching_dimensions, a.rhs_batching_dimensions, a.lhs_contracting_dimensions,
        a.rhs_contracting_dimensions, a.precision, int64_t{a.of_gradient});
  }
  void put(const FftAttributes& a) { all(a.type, a.fft_length); }
  void put(const WindowAttributes& a) {
    all(a.window_dimensions, a.window_strides, a.base_dilations, a.window_dilations, a.padding);
  }
  void put(const RngAttributes& a) { put(a.algorithm); }
  void put(const CallAttributes& a) { put(a.callee); }
  void put(const CustomOption& option) {
    put(option.name);
    put(static_cast<int64_t>(option.value.index()));
    std::visit([this](const auto& value) { put(value); }, option.value);
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(static_cast<int64_t>(list.size()));
    for (const T& item : list) put(item);
  }
  void put(const CustomCallAttributes& a) {
    all(a.call_target_name, a.options, a.operand_layouts, a.result_layouts,
        a.output_operand_aliases);
  }
  void put(const CollectiveAttributes& a) {
    put(static_cast<int64_t>(a.replica_groups.size()));
    for (const Axes& group : a.replica_groups) put(group);
    all(a.channel_id, int64_t{a.use_global_device_ids});
  }
  void put(const PermuteAttributes& a) { all(a.source_target_pairs, a.channel_id); }
  void put(const GatherCoresAttributes& a) { all(a.dimension, a.collective); }
  void put(const AllToAllAttributes& a) {
    all(a.split_dimension, a.concat_dimension, a.split_count, a.collective);
  }

 private:
  std::string bytes_;
};

class FunctionKey {
 public:
  FunctionKey(KeyWriter& writer, const Module& module, const Function& function)
      : writer_(writer), module_(module), function_(function), number_(function.types.size(), -1) {}

  void write() {
    write_block(function_.body);
    for (const Parameter& parameter : function_.arguments) write_parameter(parameter);
    for (const Parameter& parameter : function_.results) write_parameter(parameter);
  }

 private:
  void define(ValueId value) {
    number_[static_cast<size_t>(value)] = next_++;
    writer_.put(function_.type(value));
  }
  void use(const std::vector<ValueId>& values) {
    writer_.put(static_cast<int64_t>(values.size()));
    for (ValueId value : values) writer_.put(number_[static_cast<size_t>(value)]);
  }

  void write_block(const Block& block) {
    writer_.put(static_cast<int64_t>(block.arguments.size()));
    for (ValueId argument : block.arguments) define(argument);
    writer_.put(static_cast<int64_t>(block.ops.size()));
    for (const Op& op : block.ops) write_op(op);
    use(block.results);
  }

  void write_op(const Op& op) {
    writer_.put(op.code);
    use(op.operands);
    if (op.code == OpCode::call) {
      // By position: names do not count.
      const Function* callee = module_.find(op.get<CallAttributes>().callee);
      writer_.put(callee == nullptr ? int64_t{-1} : int64_t{callee - module_.functions.data()});
    } else {
      std::visit([&](const auto& attributes) { writer_.put(attributes); }, op.attributes);
    }
    writer_.put(static_cast<int64_t>(op.regions.size()));
    for (const Block& region : op.regions) write_block(region);
    writer_.put(static_cast<int64_t>(op.results.size()));
    for (ValueId result : op.results) define(result);
  }

  void write_parameter(const Parameter& parameter) {
    writer_.put(int64_t{parameter.sharding.has_value()});
    if (parameter.sharding) writer_.put(parameter.sharding->tiles);
    writer_.put(parameter.aliases_result.value_or(-1));
    writer_.put(int64_t{parameter.uniform});
  }

  KeyWriter& writer_;
  const Module& module_;
  const Function& function_;
  std::vector<int64_t> number_;
  int64_t next_ = 0;
};

void write_labels(KeyWriter& writer, const Block& block) {
  for (const Op& op : block.ops) {
    // Texts that live as long as the process, each at one place.
    writer.all(reinterpret_cast<intptr_t>(op.location.file), int64_t{op.location.line},
               reinterpret_cast<intptr_t>(op.layer_path));
    for (const Block& region : op.regions) write_labels(writer, region);
  }
}

void write_labels(KeyWriter& writer, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) writer.all(parameter.name, parameter.role);
}

}  // namespace

std::string label_key(const Module& module) {
  KeyWriter writer;
  writer.put(module.name);
  for (const Function& function : module.functions) {
    write_labels(writer, function.body);
    write_labels(writer, function.arguments);
    write_labels(writer, function.results);
  }
  return writer.take();
}

std::string structure_key(const Module& module) {
  KeyWriter writer;
  writer.all(module.num_replicas, module.num_partitions,
             static_cast<int64_t>(module.functions.size()));
  for (const Function& function : module.functions) FunctionKey(writer, module, function).write();
  return writer.take();
}

}  // namespace ir
}  // namespace systolic::inline v0
