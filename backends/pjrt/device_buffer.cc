#include "backends/pjrt/device_buffer.h"

#include <utility>
#include <vector>

#include "backends/pjrt/device_client.h"
#include "systolic/base/error.h"
#include "systolic/pjrt_abi/element_type.h"

namespace systolic::inline v0 {
namespace pjrt {

DeviceBuffer::DeviceBuffer(std::shared_ptr<const DeviceClient> client, abi::Buffer* buffer)
    : client_(std::move(client)), handle_(client_->api(), buffer) {}

DType DeviceBuffer::dtype() const {
  abi::BufferElementTypeArgs args{};
  args.buffer = get();
  handle_.api().call(args);
  return dtype_of_element(args.type);
}

Shape DeviceBuffer::shape() const {
  abi::BufferDimensionsArgs args{};
  args.buffer = get();
  handle_.api().call(args);
  return Shape(std::span(args.dims, args.rank));
}

Literal DeviceBuffer::to_host() const {
  Literal result(dtype(), shape());
  // Row-major, whatever the device has chosen.
  std::vector<int64_t> axes;
  for (int axis = result.rank(); axis-- > 0;) axes.push_back(axis);
  abi::MemoryLayout layout{};
  layout.struct_size = abi::memory_layout_size;
  layout.tiled.struct_size = abi::tiled_layout_size;
  layout.tiled.minor_to_major = axes.data();
  layout.tiled.rank = axes.size();
  std::byte nothing{};
  abi::BufferToHostArgs args{};
  args.buffer = get();
  args.layout = &layout;
  args.data = result.byte_size() == 0 ? &nothing : result.mutable_raw();
  args.size = result.byte_size();
  handle_.api().call(args);
  Event(handle_.api_ptr(), args.event).await();
  return result;
}

int64_t DeviceBuffer::device_bytes() const {
  abi::BufferOnDeviceSizeArgs args{};
  args.buffer = get();
  handle_.api().call(args);
  return static_cast<int64_t>(args.bytes);
}

Event DeviceBuffer::ready() const {
  abi::BufferReadyEventArgs args{};
  args.buffer = get();
  handle_.api().call(args);
  return Event(handle_.api_ptr(), args.event);
}

void DeviceBuffer::remove() const {
  abi::BufferDeleteArgs args{};
  args.buffer = get();
  handle_.api().call(args);
}

bool DeviceBuffer::deleted() const {
  abi::BufferIsDeletedArgs args{};
  args.buffer = get();
  handle_.api().call(args);
  return args.deleted;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
