#include "systolic/monitor/crash/frame_names.h"

#include <array>
#include <cstdio>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr size_t most_files = 64;

std::string offset_text(uint64_t offset) {
  std::array<char, 24> text{};
  snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(offset));
  return text.data();
}

}  // namespace

std::string FrameNames::text(uint64_t address) {
  const FramePlace place = place_of_frame(report_, address);
  if (place.path.empty() && place.mapped) {
    const std::string of = report_.doing.empty() ? "" : str(", for ", report_.doing);
    return str(offset_text(address), " code that was generated while it ran", of,
               report_.layer.empty() ? "" : str(" in ", report_.layer));
  }
  if (place.path.empty()) return offset_text(address);
  const std::string file = place.path.substr(place.path.rfind('/') + 1);
  const std::string known = name(place);
  return str(file, "+", offset_text(place.offset), known.empty() ? "" : " ", known);
}

std::string FrameNames::name(const FramePlace& place) {
  auto found = tables_.find(place.path);
  if (found == tables_.end()) {
    if (tables_.size() == most_files || !place.path.starts_with('/')) return "";
    found = tables_.emplace(place.path, place.path).first;
    const std::string& id = found->second.build_id();
    if (!id.empty() && !place.build_id.empty() && id != place.build_id) {
      note_ += str(note_.empty() ? "" : "\n", place.path, " is another build now than the run's");
    }
  }
  const std::string& id = found->second.build_id();
  if (!place.build_id.empty() && id != place.build_id) return "";
  // The place after a call may be the next function's first.
  return found->second.name_at(place.offset > 0 ? place.offset - 1 : 0);
}

}  // namespace monitor
}  // namespace systolic::inline v0
