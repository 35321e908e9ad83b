#include "plugin/buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "plugin/box.h"
#include "plugin/event.h"
#include "plugin/program/axes_order.h"
#include "plugin/program/held_type.h"
#include "plugin/serve.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

// The bytes of an array in an order of its axes.
void copy_out(const Literal& literal, const std::vector<int64_t>& order, std::byte* to) {
  if (order != row_major(order.size())) {
    spread(literal, order, to);
  } else if (literal.byte_size() > 0) {
    std::memcpy(to, literal.raw(), literal.byte_size());
  }
}

}  // namespace

Buffer::Buffer(Device& on, ArrayPtr array, size_t number, abi::ElementType as,
               std::vector<int64_t> order)
    : device(&on),
      part(number),
      type{array->type().dtype, Shape(array->parts().size)},
      element(as),
      dims(array->parts().size),
      minor_to_major(std::move(order)),
      array_(std::move(array)) {}

ArrayPtr Buffer::array() const {
  const std::lock_guard lock(mutex_);
  if (array_ == nullptr) {
    raise<FailedPrecondition>({.what = str("the buffer ", ir::to_string(type), " is gone"),
                               .hint = "it was deleted, or donated to a program"});
  }
  return array_;
}

const void* Buffer::host_pointer() {
  const Literal host = to_host();
  const std::lock_guard lock(mutex_);
  if (copy_.empty()) {
    copy_.resize(std::max<size_t>(host.byte_size(), 1));
    copy_out(host, minor_to_major, copy_.data());
  }
  return copy_.data();
}

ArrayPtr Buffer::release() {
  const std::lock_guard lock(mutex_);
  return std::exchange(array_, nullptr);
}

void Buffer::restore(ArrayPtr array) {
  const std::lock_guard lock(mutex_);
  array_ = std::move(array);
}

bool Buffer::deleted() const {
  const std::lock_guard lock(mutex_);
  return array_ == nullptr;
}

abi::Buffer* new_buffer(Device& device, const Literal& literal, abi::ElementType element,
                        std::vector<int64_t> minor_to_major) {
  if (minor_to_major.empty()) minor_to_major = row_major(static_cast<size_t>(literal.rank()));
  const runtime::ClientPtr& engine = device.client->engine;
  runtime::BufferPtr whole =
      engine->from_host(literal, {.kind = runtime::Placement::Kind::single, .core = device.id});
  auto array = std::make_shared<const Array>(engine, std::move(whole),
                                             stablehlo::whole_parts(literal.shape(), 1), 0);
  return handle<abi::Buffer>(
      new Buffer(device, std::move(array), 0, element, std::move(minor_to_major)));
}

namespace {

Shape shape_of(const int64_t* dims, size_t rank) {
  constexpr size_t most_axes = 64;
  if (rank > most_axes) raise<InvalidArgument>({.what = str("an array of ", rank, " axes")});
  const Shape shape(std::span<const int64_t>(dims, rank));
  for (int64_t size : shape) {
    if (size < 0) raise<InvalidArgument>({.what = str("an axis of size ", size)});
  }
  shape.elements();  // raises where that is too large a number
  return shape;
}

// What a caller's layout says, `otherwise` where there is none.
std::vector<int64_t> order_of(const abi::MemoryLayout* layout, std::string_view what,
                              std::vector<int64_t> otherwise) {
  if (layout == nullptr || layout->kind != 0) return otherwise;
  const abi::TiledLayout& tiled = layout->tiled;
  const size_t rank = otherwise.size();
  std::vector<int64_t> order, sorted;
  if (tiled.rank == rank) order.assign(tiled.minor_to_major, tiled.minor_to_major + rank);
  sorted = order;
  std::sort(sorted.rbegin(), sorted.rend());
  if (sorted != row_major(rank) || tiled.tile_count != 0) {
    raise<InvalidArgument>(
        {.what = std::string(what), .wanted = str("an order of ", rank, " axes, without tiles")});
  }
  return order;
}

}  // namespace

// Whatever the host promises about its memory, it is copied before this returns.
void serve(abi::ClientBufferFromHostArgs& args) {
  Device& device = device_of(args.device, args.memory);
  const DType dtype = held_as(args.type);
  const Shape shape = shape_of(args.dims, args.rank);
  std::vector<int64_t> order =
      order_of(args.layout, "the layout of an array on a device", row_major(args.rank));
  Literal literal(dtype, shape);
  if (args.byte_strides != nullptr && args.byte_stride_count > 0) {
    if (args.byte_stride_count != args.rank) {
      raise<InvalidArgument>({.what = str(args.byte_stride_count, " strides"),
                              .wanted = str(args.rank, ", one for each axis")});
    }
    literal = gathered(dtype, shape, static_cast<const std::byte*>(args.data),
                       {args.byte_strides, args.byte_strides + args.byte_stride_count});
  } else if (literal.byte_size() > 0) {
    std::memcpy(literal.mutable_raw(), args.data, literal.byte_size());
  }
  clear_unused_bits(args.type, literal);
  args.buffer = new_buffer(device, literal, args.type, std::move(order));
  args.host_memory_free = happened();
}

void serve(abi::BufferDestroyArgs& args) {
  if (args.buffer != nullptr) delete &of(args.buffer);
}
void serve(abi::BufferElementTypeArgs& args) { args.type = of(args.buffer).element; }
void serve(abi::BufferDimensionsArgs& args) {
  const Buffer& buffer = of(args.buffer);
  args.dims = buffer.dims.data();
  args.rank = buffer.dims.size();
}
void serve(abi::BufferUnpaddedDimensionsArgs& args) {
  const Buffer& buffer = of(args.buffer);
  args.dims = buffer.dims.data();
  args.rank = buffer.dims.size();
}
void serve(abi::BufferDynamicDimensionsArgs& args) {
  args.axes = nullptr;
  args.count = 0;
}
void serve(abi::BufferMemoryLayoutArgs& args) {
  const Buffer& buffer = of(args.buffer);
  args.layout = {};
  args.layout.struct_size = abi::memory_layout_size;
  args.layout.tiled.struct_size = abi::tiled_layout_size;
  args.layout.tiled.minor_to_major = buffer.minor_to_major.data();
  args.layout.tiled.rank = buffer.minor_to_major.size();
}
void serve(abi::BufferOnDeviceSizeArgs& args) {
  args.bytes = static_cast<size_t>(of(args.buffer).type.bytes());
}
void serve(abi::BufferDeviceArgs& args) {
  args.device = handle<abi::Device>(of(args.buffer).device);
}
void serve(abi::BufferMemoryArgs& args) {
  args.memory = handle<abi::Memory>(&of(args.buffer).device->memory);
}
void serve(abi::BufferDeleteArgs& args) { of(args.buffer).release(); }
void serve(abi::BufferIsDeletedArgs& args) { args.deleted = of(args.buffer).deleted(); }
// The memory is the host's, but callers must go through copies, as with a TPU.
void serve(abi::BufferIsOnCpuArgs& args) { args.on_cpu = false; }
void serve(abi::BufferReadyEventArgs& args) {
  of(args.buffer);
  args.event = happened();
}
// A part of an array has no memory of its own: what callers read there is a copy.
void serve(abi::BufferPointerArgs& args) {
  args.pointer = reinterpret_cast<uintptr_t>(of(args.buffer).host_pointer());
}
void serve(abi::BufferOpaquePointerArgs& args) {
  raise<Unimplemented>({.what = str("the memory of the buffer ",
                                    ir::to_string(of(args.buffer).type), ", as DLPack asks for it"),
                        .hint = "copy it to the host instead: numpy.asarray(array)"});
}
void serve(abi::BufferIncreaseReferencesArgs& args) { of(args.buffer); }
void serve(abi::BufferDecreaseReferencesArgs& args) { of(args.buffer); }

void serve(abi::BufferCopyToDeviceArgs& args) {
  const Buffer& buffer = of(args.buffer);
  args.copy = new_buffer(of(args.device), buffer.to_host(), buffer.element, buffer.minor_to_major);
}
void serve(abi::BufferCopyToMemoryArgs& args) {
  const Buffer& buffer = of(args.buffer);
  args.copy =
      new_buffer(*of(args.memory).device, buffer.to_host(), buffer.element, buffer.minor_to_major);
}

void serve(abi::BufferToHostArgs& args) {
  const Buffer& buffer = of(args.buffer);
  const auto bytes = static_cast<size_t>(buffer.type.bytes());
  if (args.data == nullptr) {
    args.size = bytes;
    return;
  }
  if (args.size < bytes) {
    raise<InvalidArgument>({.what = str("room for ", args.size, " bytes"),
                            .wanted = str(bytes, " for ", ir::to_string(buffer.type))});
  }
  const std::vector<int64_t> order =
      order_of(args.layout, "the layout of a copy to the host", buffer.minor_to_major);
  copy_out(buffer.to_host(), order, static_cast<std::byte*>(args.data));
  args.event = happened();
}

}  // namespace plugin
}  // namespace systolic::inline v0
