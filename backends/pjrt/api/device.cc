#include "backends/pjrt/api/device.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {

DeviceDescription describe(const Api& api, abi::DeviceDescription* description) {
  DeviceDescription result;
  abi::DeviceDescriptionIdArgs id{};
  id.description = description;
  api.call(id);
  result.id = id.id;
  if (api.has<abi::DeviceDescriptionProcessIndexArgs>()) {
    abi::DeviceDescriptionProcessIndexArgs process{};
    process.description = description;
    api.call(process);
    result.process = process.index;
  }
  abi::DeviceDescriptionKindArgs kind{};
  kind.description = description;
  api.call(kind);
  result.kind = text_of(kind.kind, kind.kind_size);
  if (api.has<abi::DeviceDescriptionToStringArgs>()) {
    abi::DeviceDescriptionToStringArgs text{};
    text.description = description;
    api.call(text);
    result.text = text_of(text.text, text.text_size);
  }
  if (api.has<abi::DeviceDescriptionAttributesArgs>()) {
    abi::DeviceDescriptionAttributesArgs attributes{};
    attributes.description = description;
    api.call(attributes);
    result.attributes = values_of(attributes.attributes, attributes.count);
  }
  return result;
}

DeviceDescription describe(const Api& api, abi::Device* device) {
  abi::DeviceGetDescriptionArgs args{};
  args.device = device;
  api.call(args);
  return describe(api, args.description);
}

std::optional<DeviceMemory> memory_of(const Api& api, abi::Device* device) {
  if (!api.has<abi::DeviceMemoryStatsArgs>()) return std::nullopt;
  abi::DeviceMemoryStatsArgs args{};
  args.device = device;
  try {
    api.call(args);
  } catch (const Unimplemented&) {  // the function is there, but does nothing
    return std::nullopt;
  }
  DeviceMemory memory{args.bytes_in_use, {}, {}};
  if (args.has_peak_bytes_in_use) memory.peak = args.peak_bytes_in_use;
  if (args.has_bytes_limit) memory.limit = args.bytes_limit;
  return memory;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
