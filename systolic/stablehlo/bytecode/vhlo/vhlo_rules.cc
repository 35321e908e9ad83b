#include "systolic/stablehlo/bytecode/vhlo/vhlo_rules.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Form = VhloForm;
using Default = VhloDefault;

constexpr VhloRule rules[] = {
    {"api_version", Form::same, Default::one},
    {"backend_config", Form::same, Default::empty},
    {"base_dilations", Form::axes, Default::ones},
    {"broadcast_dimensions", Form::axes},
    {"broadcast_sizes", Form::axes},
    {"called_computations", Form::symbols, Default::empty},
    {"callee", Form::symbol},
    {"channel_id", Form::channel, Default::zero},
    {"compare_type", Form::same, Default::no_type},
    {"composite_attributes", Form::same, Default::empty},
    {"decomposition", Form::symbol},
    {"dimension", Form::same, Default::minus_one},
    {"dimensions", Form::axes},
    {"edge_padding_high", Form::axes},
    {"edge_padding_low", Form::axes},
    {"fft_length", Form::axes},
    {"has_dynamic_root", Form::flag, Default::zero},
    {"has_side_effect", Form::same, Default::zero},
    {"indices_are_sorted", Form::same, Default::zero},
    {"infeed_config", Form::same, Default::empty},
    {"interior_padding", Form::axes},
    {"is_host_transfer", Form::same, Default::zero},
    {"is_stable", Form::same, Default::zero},
    {"known_expanding_dimensions", Form::axes, Default::empty},
    {"known_nonexpanding_dimensions", Form::axes, Default::empty},
    {"layout", Form::same, Default::empty},
    {"lhs_dilation", Form::axes, Default::ones},
    {"limit_indices", Form::axes},
    {"lower", Form::same, Default::zero},
    {"outfeed_config", Form::same, Default::empty},
    {"output_operand_aliases", Form::same, Default::empty},
    {"padding", Form::same, Default::zeros},
    {"permutation", Form::axes},
    {"precision_config", Form::same, Default::default_words},
    {"result_accuracy", Form::same, Default::exact},
    {"result_tilings", Form::same, Default::empty},
    {"rhs_dilation", Form::axes, Default::ones},
    {"slice_sizes", Form::axes},
    {"source_target_pairs", Form::same, Default::empty},
    {"start_indices", Form::axes},
    {"strides", Form::axes},
    {"unique_indices", Form::same, Default::zero},
    {"use_global_device_ids", Form::flag, Default::zero},
    {"version", Form::same, Default::zero},
    {"window_dilations", Form::axes, Default::ones},
    {"window_dimensions", Form::axes},
    {"window_reversal", Form::booleans, Default::zeros},
    {"window_strides", Form::axes, Default::ones},
};

}  // namespace

const VhloRule* find_vhlo_rule(std::string_view name) {
  for (const VhloRule& rule : rules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
