#include "backends/cpu/lower/lower_group.h"

#include <tuple>
#include <type_traits>
#include <variant>

#include "backends/cpu/lower/elementwise/cluster.h"
#include "backends/cpu/lower/families.h"
#include "backends/cpu/lower/lower_block.h"
#include "backends/cpu/lower/patterns/convolution_gradients.h"
#include "backends/cpu/lower/patterns/normalize.h"
#include "backends/cpu/lower/patterns/normalize_gradient.h"
#include "backends/cpu/lower/patterns/softmax.h"
#include "backends/cpu/lower/patterns/softmax_gradient.h"
#include "backends/cpu/lower/products/dot.h"
#include "backends/cpu/lower/products/product_cluster.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

void lower_plain(Planner& planner, const Group& group, const PlainOp&) {
  lowering_of(group.ops[0]->code)(planner, *group.ops[0]);
}

void leave_sums(Planner& planner, const Group& group, const SummedByReaders&) {
  lower_row_sums(planner, *group.ops[0]);
}

void leave_draws(Planner& planner, const Group& group, const DrawnByReaders&) {
  lower_drawn_bits(planner, *group.ops[0]);
}

void leave_rounding(Planner& planner, const Group& group, const RoundedByReaders&) {
  planner.define(group.ops[0]->results[0], Unrounded{.source = group.ops[0]->operands[0]});
}

void lower_biased(Planner& planner, const Group& group, const BiasedProduct& product) {
  const ProductEnd end{.result = product.result,
                       .bias = product.bias,
                       .addend = product.addend,
                       .relu = product.relu,
                       .most = product.most};
  if (group.ops[0]->code == ir::OpCode::dot_general) {
    lower_product(planner, *group.ops[0], end);
  } else {
    lower_convolution(planner, *group.ops[0], end);
  }
}

template <class Kind>
using LoweringOf = void (*)(Planner& planner, const Group& group, const Kind& kind);

// A lowering for each kind of a variant, in its order.
template <class Kinds>
struct LoweringsOf;
template <class... Kinds>
struct LoweringsOf<std::variant<Kinds...>> {
  using Table = std::tuple<LoweringOf<Kinds>...>;
};

constexpr LoweringsOf<GroupKind>::Table lowerings{
    lower_plain,                   // PlainOp
    lower_cluster,                 // ElementwiseCluster
    lower_reducing_cluster,        // ReducingCluster
    lower_product_cluster,         // ProductCluster
    leave_sums,                    // SummedByReaders
    leave_draws,                   // DrawnByReaders
    leave_rounding,                // RoundedByReaders
    lower_biased,                  // BiasedProduct
    lower_convolution_gradients,   // ConvolutionGradients
    lower_softmax,                 // Softmax
    lower_softmax_gradient,        // SoftmaxGradient
    lower_normalization,           // Normalization
    lower_normalization_gradient,  // NormalizationGradient
};

static_assert(std::apply([](auto... lowering) { return ((lowering != nullptr) && ...); },
                         lowerings),
              "each kind of group has a lowering");

}  // namespace

void lower_group(Planner& planner, const Group& group) {
  const auto lower = [&](const auto& kind) {
    using Kind = std::remove_cvref_t<decltype(kind)>;
    std::get<LoweringOf<Kind>>(lowerings)(planner, group, kind);
  };
  std::visit(lower, group.kind);
}

}  // namespace cpu
}  // namespace systolic::inline v0
