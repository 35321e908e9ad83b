#include "systolic/ir/attributes.h"

namespace systolic::inline v0 {
namespace ir {

Attributes::Attributes() noexcept = default;
template <class T>
requires is_alternative<T, AnyAttributes> Attributes::Attributes(T value)
    : AnyAttributes(std::move(value)) {}
Attributes::Attributes(const Attributes& other) = default;
Attributes::Attributes(Attributes&& other) noexcept = default;
Attributes& Attributes::operator=(const Attributes& other) = default;
Attributes& Attributes::operator=(Attributes&& other) noexcept = default;
Attributes::~Attributes() = default;

// One for each alternative; without it what makes one does not link.
template Attributes::Attributes(std::monostate);
template Attributes::Attributes(CompareAttributes);
template Attributes::Attributes(ConstantAttributes);
template Attributes::Attributes(IotaAttributes);
template Attributes::Attributes(ReducePrecisionAttributes);
template Attributes::Attributes(BroadcastAttributes);
template Attributes::Attributes(ConcatenateAttributes);
template Attributes::Attributes(DynamicSliceAttributes);
template Attributes::Attributes(GatherAttributes);
template Attributes::Attributes(PadAttributes);
template Attributes::Attributes(AxesAttributes);
template Attributes::Attributes(ScatterAttributes);
template Attributes::Attributes(SliceAttributes);
template Attributes::Attributes(SortAttributes);
template Attributes::Attributes(ConvolutionAttributes);
template Attributes::Attributes(DotAttributes);
template Attributes::Attributes(FftAttributes);
template Attributes::Attributes(WindowAttributes);
template Attributes::Attributes(RngAttributes);
template Attributes::Attributes(CallAttributes);
template Attributes::Attributes(CustomCallAttributes);
template Attributes::Attributes(CollectiveAttributes);
template Attributes::Attributes(PermuteAttributes);
template Attributes::Attributes(GatherCoresAttributes);
template Attributes::Attributes(AllToAllAttributes);

}  // namespace ir
}  // namespace systolic::inline v0
