#include "plugin/ffi/ffi_function.h"

#include "plugin/ffi/ffi_options.h"
#include "plugin/ffi/ffi_table.h"
#include "systolic/base/error.h"
#include "systolic/runtime/custom_function.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {
namespace {

CallFrame new_frame() {
  CallFrame frame = {};
  frame.struct_size = call_frame_size;
  frame.table = &table();
  frame.stage = Stage::execute;
  frame.arguments.struct_size = sizeof(Arguments);
  frame.results.struct_size = sizeof(Arguments);
  frame.options.struct_size = sizeof(Options);
  return frame;
}

// Arrays as the interface describes them, in memory that lives as long as the call.
class BufferList {
 public:
  explicit BufferList(std::span<const CustomArray> arrays) : types_(arrays.size(), buffer_type) {
    dims_.reserve(arrays.size());
    buffers_.reserve(arrays.size());
    for (const CustomArray& array : arrays) {
      std::vector<int64_t>& dims = dims_.emplace_back(array.type.shape.to_vector());
      Buffer& buffer = buffers_.emplace_back();
      buffer.struct_size = sizeof(Buffer);
      buffer.dtype = data_type(array.type.dtype);
      buffer.data = array.data;
      buffer.rank = array.type.shape.rank();
      buffer.dims = dims.data();
      pointers_.push_back(&buffer);
    }
  }

  void put(Arguments& list) {
    list.size = static_cast<int64_t>(buffers_.size());
    list.types = types_.data();
    list.buffers = pointers_.data();
  }

 private:
  std::vector<int32_t> types_;
  std::vector<std::vector<int64_t>> dims_;
  std::vector<Buffer> buffers_;
  std::vector<void*> pointers_;
};

class ForeignFunction : public CustomFunction {
 public:
  ForeignFunction(const ir::CustomCallAttributes& call, Handler* handler)
      : name_(call.call_target_name), handler_(handler), given_(call.options), options_(given_) {}

  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    BufferList arguments(operands), wanted(results);
    CallFrame frame = new_frame();
    arguments.put(frame.arguments);
    wanted.put(frame.results);
    frame.options = options_.get();
    raise_error(name_.c_str(), handler_(&frame));
  }

 private:
  std::string name_;
  Handler* handler_;
  std::vector<ir::CustomOption> given_;
  OptionList options_;
};

void check_version(const std::string& name, Handler* handler) {
  Metadata metadata = {};
  metadata.struct_size = sizeof(Metadata);
  MetadataExtension extension = {{sizeof(MetadataExtension), metadata_extension, nullptr},
                                 &metadata};
  CallFrame frame = new_frame();
  frame.extensions = &extension.base;
  raise_error(name.c_str(), handler(&frame));
  if (metadata.version.major == table().version.major) return;
  raise<InvalidArgument>({.what = str("foreign function ", name, " is of version ",
                                      metadata.version.major, ".", metadata.version.minor),
                          .wanted = str(table().version.major, ".", table().version.minor)});
}

}  // namespace

void register_handler(std::string name, Handler* handler) {
  check_version(name, handler);
  register_custom_function(std::move(name), [handler](const ir::CustomCallAttributes& call) {
    return std::make_unique<ForeignFunction>(call, handler);
  });
}

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
