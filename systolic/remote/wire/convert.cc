#include "systolic/remote/wire/convert.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace remote {

void set_type(wire::Type& message, const ir::Type& type) {
  message.set_dtype(static_cast<int32_t>(type.dtype));
  message.clear_sizes();
  for (int64_t size : type.shape) message.add_sizes(size);
}

ir::Type type_of(const wire::Type& message) {
  const bool is_array = message.dtype() >= 0 && message.dtype() < static_cast<int>(DType::string);
  const bool has_sizes = std::all_of(message.sizes().begin(), message.sizes().end(),
                                     [](int64_t size) { return size >= 0; });
  if (!is_array || !has_sizes) {
    raise<InvalidArgument>({.what = "a type that no array has came from the other side"});
  }
  ir::Type type{static_cast<DType>(message.dtype()),
                Shape(std::vector<int64_t>(message.sizes().begin(), message.sizes().end()))};
  type.shape.elements();  // raises where there are too many
  return type;
}

void set_placement(wire::Placement& message, const runtime::Placement& placement) {
  message.set_kind(static_cast<int32_t>(placement.kind));
  message.clear_tiles();
  for (int64_t tiles : placement.sharding.tiles) message.add_tiles(tiles);
  message.set_core(placement.core);
}

runtime::Placement placement_of(const wire::Placement& message) {
  constexpr int last = static_cast<int>(runtime::Placement::Kind::single);
  if (message.kind() < 0 || message.kind() > last) {
    raise<InvalidArgument>({.what = "a placement that there is not came from the other side"});
  }
  return {static_cast<runtime::Placement::Kind>(message.kind()),
          {{message.tiles().begin(), message.tiles().end()}},
          message.core()};
}

void set_fault(wire::Fault& message, const Error& error) {
  message.set_kind(error.kind());
  message.set_what(error.report().what);
  message.set_got(error.report().got);
  message.set_wanted(error.report().wanted);
  message.set_hint(error.report().hint);
}

void raise_fault(const wire::Fault& fault) {
  ErrorReport report{
      .what = fault.what(), .got = fault.got(), .wanted = fault.wanted(), .hint = fault.hint()};
  const std::string& kind = fault.kind();
  if (kind == InvalidArgument::kind_name) raise<InvalidArgument>(std::move(report));
  if (kind == FailedPrecondition::kind_name) raise<FailedPrecondition>(std::move(report));
  if (kind == NotFound::kind_name) raise<NotFound>(std::move(report));
  if (kind == PermissionDenied::kind_name) raise<PermissionDenied>(std::move(report));
  if (kind == DataLoss::kind_name) raise<DataLoss>(std::move(report));
  if (kind == ResourceExhausted::kind_name) raise<ResourceExhausted>(std::move(report));
  if (kind == Unimplemented::kind_name) raise<Unimplemented>(std::move(report));
  if (kind == DeadlineExceeded::kind_name) raise<DeadlineExceeded>(std::move(report));
  raise<Unavailable>(std::move(report));
}

}  // namespace remote
}  // namespace systolic::inline v0
