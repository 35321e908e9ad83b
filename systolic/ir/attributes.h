// The attributes of ops, one struct per kind, with the specification's names (StableHLO's).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/op_code.h"

namespace systolic::inline v0 {
namespace ir {

using Axes = std::vector<int64_t>;

enum class Direction : uint8_t { eq, ne, ge, gt, le, lt };
// `automatic` is what the operand type implies: float, signed or unsigned.
enum class CompareType : uint8_t { automatic, total_order };

struct CompareAttributes {
  Direction direction = Direction::eq;
  CompareType type = CompareType::automatic;
  bool operator==(const CompareAttributes&) const = default;
};

struct ConstantAttributes {
  Literal value;
  bool operator==(const ConstantAttributes&) const = default;
};

struct IotaAttributes {
  int64_t dimension = 0;
  bool operator==(const IotaAttributes&) const = default;
};

struct ReducePrecisionAttributes {
  int exponent_bits = 8;
  int mantissa_bits = 23;
  bool operator==(const ReducePrecisionAttributes&) const = default;
};

// Operand axis i becomes result axis dimensions[i]; a size of 1 is repeated.
struct BroadcastAttributes {
  Axes dimensions;
  bool operator==(const BroadcastAttributes&) const = default;
};

struct ConcatenateAttributes {
  int64_t dimension = 0;
  bool operator==(const ConcatenateAttributes&) const = default;
};

struct DynamicSliceAttributes {
  Axes slice_sizes;
  bool operator==(const DynamicSliceAttributes&) const = default;
};

struct GatherAttributes {
  Axes offset_dims = {}, collapsed_slice_dims = {}, operand_batching_dims = {},
       start_indices_batching_dims = {}, start_index_map = {};
  int64_t index_vector_dim = 0;
  Axes slice_sizes = {};
  bool indices_are_sorted = false;
  bool operator==(const GatherAttributes&) const = default;
};

struct PadAttributes {
  Axes edge_padding_low, edge_padding_high, interior_padding;
  bool operator==(const PadAttributes&) const = default;
};

// transpose: permutation (result axis i is operand axis axes[i]); reverse and reduce: the axes
// meant.
struct AxesAttributes {
  Axes axes;
  bool operator==(const AxesAttributes&) const = default;
};

struct ScatterAttributes {
  Axes update_window_dims = {}, inserted_window_dims = {}, input_batching_dims = {},
       scatter_indices_batching_dims = {}, scatter_dims_to_operand_dims = {};
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
  bool operator==(const ScatterAttributes&) const = default;
};

struct SliceAttributes {
  Axes start_indices, limit_indices, strides;
  bool operator==(const SliceAttributes&) const = default;
};

struct SortAttributes {
  int64_t dimension = -1;
  bool is_stable = false;
  bool operator==(const SortAttributes&) const = default;
};

using Padding = std::vector<std::pair<int64_t, int64_t>>;  // (low, high) per spatial axis

enum class Precision : uint8_t { standard, high, highest };  // StableHLO's DEFAULT, HIGH, HIGHEST

// Which axis of an array is which. For the usual [batch, spatial..., channels] images and
// [spatial..., in, out] kernels: input {0, 3, {1, 2}}, kernel {2, 3, {0, 1}}, output {0, 3, {1,
// 2}}.
struct ConvolutionAttributes {
  Axes window_strides, lhs_dilation, rhs_dilation;  // one a spatial axis
  Padding padding;
  std::vector<bool> window_reversal;
  int64_t input_batch_dimension = 0, input_feature_dimension = 0;
  Axes input_spatial_dimensions;
  int64_t kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 0;
  Axes kernel_spatial_dimensions;
  int64_t output_batch_dimension = 0, output_feature_dimension = 0;
  Axes output_spatial_dimensions;
  int64_t feature_group_count = 1, batch_group_count = 1;
  Precision precision = Precision::standard;
  bool operator==(const ConvolutionAttributes&) const = default;
};

// Result axes: batching, then the remaining of lhs, then the remaining of rhs.
struct DotAttributes {
  Axes lhs_batching_dimensions, rhs_batching_dimensions;
  Axes lhs_contracting_dimensions, rhs_contracting_dimensions;
  Precision precision = Precision::standard;
  // Appended by autodiff: one operand is a gradient, and its numbers may be far smaller than those
  // that a program computes forward. It is not part of a program's text.
  bool of_gradient = false;
  bool operator==(const DotAttributes&) const = default;
};

enum class FftType : uint8_t { fft, ifft, rfft, irfft };

// Over the last axes, of these lengths. rfft takes real numbers and gives the first n / 2 + 1 of
// the last axis's n complex results; irfft is its inverse.
struct FftAttributes {
  FftType type = FftType::fft;
  Axes fft_length;
  bool operator==(const FftAttributes&) const = default;
};

// reduce_window and select_and_scatter (which has no dilations): one entry an axis of the operand.
struct WindowAttributes {
  Axes window_dimensions, window_strides, base_dilations, window_dilations;
  Padding padding;
  bool operator==(const WindowAttributes&) const = default;
};

enum class RngAlgorithm : uint8_t { standard, three_fry, philox };

struct RngAttributes {
  RngAlgorithm algorithm = RngAlgorithm::three_fry;
  bool operator==(const RngAttributes&) const = default;
};

struct CallAttributes {
  std::string callee;
  bool operator==(const CallAttributes&) const = default;
};

// The options of a custom function, by name: a number or a list of numbers, a text, or nested
// options.
struct CustomOption {
  std::string name;
  std::variant<Literal, std::string, std::vector<CustomOption>> value;
  friend bool operator==(const CustomOption& a, const CustomOption& b) {
    return a.name == b.name && a.value == b.value;
  }
};

// A function from outside the library, registered under a name (runtime/custom_function.h).
struct CustomCallAttributes {
  std::string call_target_name;
  std::vector<CustomOption> options = {};  // sorted by name
  // For each operand and result, its axes from the fastest to the slowest in the memory that the
  // function sees; {1, 0} is row-major. A column-major matrix is {0, 1}.
  std::vector<Axes> operand_layouts = {}, result_layouts = {};
  // (result, operand): the function finds the operand in the memory of the result.
  std::vector<std::pair<int64_t, int64_t>> output_operand_aliases = {};
  // Calls that do more than compute results run each time the program reaches them, in the
  // program's order, whether or not anything reads their results.
  bool has_side_effect = false;
  // In a per-core program: one core calls it for all cores, since all would get the same result.
  bool once = false;
  bool operator==(const CustomCallAttributes&) const = default;
};

// Groups of cores that work together; empty: one group of all cores. channel_id > 0 makes the ids
// cross-partition.
struct CollectiveAttributes {
  std::vector<std::vector<int64_t>> replica_groups;
  int64_t channel_id = 0;
  bool use_global_device_ids = false;
  bool operator==(const CollectiveAttributes&) const = default;
};

struct PermuteAttributes {
  std::vector<std::pair<int64_t, int64_t>> source_target_pairs;
  int64_t channel_id = 0;
  bool operator==(const PermuteAttributes&) const = default;
};

// all_gather (the axis that grows) and reduce_scatter (the axis that is split).
struct GatherCoresAttributes {
  int64_t dimension = 0;
  CollectiveAttributes collective;
  bool operator==(const GatherCoresAttributes&) const = default;
};

struct AllToAllAttributes {
  int64_t split_dimension = 0, concat_dimension = 0, split_count = 1;
  CollectiveAttributes collective;
  bool operator==(const AllToAllAttributes&) const = default;
};

// In the order of AttributeKind.
using AnyAttributes =
    std::variant<std::monostate, CompareAttributes, ConstantAttributes, IotaAttributes,
                 ReducePrecisionAttributes, BroadcastAttributes, ConcatenateAttributes,
                 DynamicSliceAttributes, GatherAttributes, PadAttributes, AxesAttributes,
                 ScatterAttributes, SliceAttributes, SortAttributes, ConvolutionAttributes,
                 DotAttributes, FftAttributes, WindowAttributes, RngAttributes, CallAttributes,
                 CustomCallAttributes, CollectiveAttributes, PermuteAttributes,
                 GatherCoresAttributes, AllToAllAttributes>;

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Alternatives>
inline constexpr bool is_alternative<T, std::variant<Alternatives...>> =
    (std::is_same_v<T, Alternatives> || ...);

// The attributes of one op; std::get, std::get_if and std::holds_alternative look at them.
class Attributes : public AnyAttributes {
 public:
  // In attributes.cc: otherwise every file that holds an op would compile them, for each of the
  // alternatives.
  Attributes() noexcept;
  template <class T>
  requires is_alternative<T, AnyAttributes> Attributes(T value);  // NOLINT: each of them is one
  Attributes(const Attributes& other);
  Attributes(Attributes&& other) noexcept;
  Attributes& operator=(const Attributes& other);
  Attributes& operator=(Attributes&& other) noexcept;
  ~Attributes();
};

inline AttributeKind kind_of(const Attributes& attributes) {
  return static_cast<AttributeKind>(attributes.index());
}

}  // namespace ir
}  // namespace systolic::inline v0
