// The fields of attributes, named once for both directions: `v(a.field)` writes or reads.
#pragma once

#include "systolic/ir/attributes.h"

namespace systolic::inline v0 {
namespace ir {

template <class V>
void fields(V&, std::monostate&) {}
template <class V>
void fields(V& v, CompareAttributes& a) {
  v.one_of(a.direction, Direction::lt);
  v.one_of(a.type, CompareType::total_order);
}
template <class V>
void fields(V& v, ConstantAttributes& a) {
  v(a.value);
}
template <class V>
void fields(V& v, IotaAttributes& a) {
  v(a.dimension);
}
template <class V>
void fields(V& v, ReducePrecisionAttributes& a) {
  v(a.exponent_bits);
  v(a.mantissa_bits);
}
template <class V>
void fields(V& v, BroadcastAttributes& a) {
  v(a.dimensions);
}
template <class V>
void fields(V& v, ConcatenateAttributes& a) {
  v(a.dimension);
}
template <class V>
void fields(V& v, DynamicSliceAttributes& a) {
  v(a.slice_sizes);
}
template <class V>
void fields(V& v, GatherAttributes& a) {
  for (Axes* axes : {&a.offset_dims, &a.collapsed_slice_dims, &a.operand_batching_dims,
                     &a.start_indices_batching_dims, &a.start_index_map, &a.slice_sizes}) {
    v(*axes);
  }
  v(a.index_vector_dim);
  v(a.indices_are_sorted);
}
template <class V>
void fields(V& v, PadAttributes& a) {
  v(a.edge_padding_low);
  v(a.edge_padding_high);
  v(a.interior_padding);
}
template <class V>
void fields(V& v, AxesAttributes& a) {
  v(a.axes);
}
template <class V>
void fields(V& v, ScatterAttributes& a) {
  for (Axes* axes : {&a.update_window_dims, &a.inserted_window_dims, &a.input_batching_dims,
                     &a.scatter_indices_batching_dims, &a.scatter_dims_to_operand_dims}) {
    v(*axes);
  }
  v(a.index_vector_dim);
  v(a.indices_are_sorted);
  v(a.unique_indices);
}
template <class V>
void fields(V& v, SliceAttributes& a) {
  v(a.start_indices);
  v(a.limit_indices);
  v(a.strides);
}
template <class V>
void fields(V& v, SortAttributes& a) {
  v(a.dimension);
  v(a.is_stable);
}
template <class V>
void fields(V& v, ConvolutionAttributes& a) {
  for (Axes* axes :
       {&a.window_strides, &a.lhs_dilation, &a.rhs_dilation, &a.input_spatial_dimensions,
        &a.kernel_spatial_dimensions, &a.output_spatial_dimensions}) {
    v(*axes);
  }
  v(a.padding);
  v(a.window_reversal);
  for (int64_t* number :
       {&a.input_batch_dimension, &a.input_feature_dimension, &a.kernel_input_feature_dimension,
        &a.kernel_output_feature_dimension, &a.output_batch_dimension, &a.output_feature_dimension,
        &a.feature_group_count, &a.batch_group_count}) {
    v(*number);
  }
  v.one_of(a.precision, Precision::highest);
}
template <class V>
void fields(V& v, DotAttributes& a) {
  for (Axes* axes : {&a.lhs_batching_dimensions, &a.rhs_batching_dimensions,
                     &a.lhs_contracting_dimensions, &a.rhs_contracting_dimensions}) {
    v(*axes);
  }
  v.one_of(a.precision, Precision::highest);
  v(a.of_gradient);
}
template <class V>
void fields(V& v, FftAttributes& a) {
  v.one_of(a.type, FftType::irfft);
  v(a.fft_length);
}
template <class V>
void fields(V& v, WindowAttributes& a) {
  for (Axes* axes :
       {&a.window_dimensions, &a.window_strides, &a.base_dilations, &a.window_dilations}) {
    v(*axes);
  }
  v(a.padding);
}
template <class V>
void fields(V& v, RngAttributes& a) {
  v.one_of(a.algorithm, RngAlgorithm::philox);
}
template <class V>
void fields(V& v, CallAttributes& a) {
  v(a.callee);
}
template <class V>
void fields(V& v, CustomCallAttributes& a) {
  v(a.call_target_name);
  v(a.options);
  v(a.operand_layouts);
  v(a.result_layouts);
  v(a.output_operand_aliases);
  v(a.has_side_effect);
  v(a.once);
}
template <class V>
void fields(V& v, CollectiveAttributes& a) {
  v(a.replica_groups);
  v(a.channel_id);
  v(a.use_global_device_ids);
}
template <class V>
void fields(V& v, PermuteAttributes& a) {
  v(a.source_target_pairs);
  v(a.channel_id);
}
template <class V>
void fields(V& v, GatherCoresAttributes& a) {
  v(a.dimension);
  fields(v, a.collective);
}
template <class V>
void fields(V& v, AllToAllAttributes& a) {
  v(a.split_dimension);
  v(a.concat_dimension);
  v(a.split_count);
  fields(v, a.collective);
}

}  // namespace ir
}  // namespace systolic::inline v0
