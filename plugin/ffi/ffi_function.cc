#include "plugin/ffi/ffi_function.h"

#include "plugin/ffi/ffi_future.h"
#include "plugin/ffi/ffi_options.h"
#include "plugin/ffi/ffi_state.h"
#include "plugin/ffi/ffi_table.h"
#include "systolic/base/error.h"
#include "systolic/runtime/custom_function.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {
namespace {

CallFrame new_frame(Stage stage) {
  CallFrame frame = {};
  frame.struct_size = call_frame_size;
  frame.table = &table();
  frame.stage = stage;
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
  ForeignFunction(const ir::CustomCallAttributes& call, const HandlerBundle& handlers)
      : name_(call.call_target_name), handlers_(handlers), given_(call.options), options_(given_) {
    Context context;
    BufferList none({});
    call_handler(handlers_.instantiate, Stage::instantiate, context, none, none);
    instantiated_ = std::move(context.states[static_cast<size_t>(Stage::instantiate)]);
  }

  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    BufferList arguments(operands), wanted(results);
    Context context = {.instantiated = &instantiated_, .states = {}};
    call_handler(handlers_.prepare, Stage::prepare, context, arguments, wanted);
    call_handler(handlers_.initialize, Stage::initialize, context, arguments, wanted);
    call_handler(handlers_.execute, Stage::execute, context, arguments, wanted);
  }

 private:
  void call_handler(Handler* handler, Stage stage, Context& context, BufferList& arguments,
                    BufferList& results) const {
    if (handler == nullptr) return;
    CallFrame frame = new_frame(stage);
    frame.context = &context;
    arguments.put(frame.arguments);
    results.put(frame.results);
    frame.options = options_.get();
    raise_error(name_.c_str(), handler(&frame));
    if (frame.future != nullptr) raise_error(name_.c_str(), wait_for(frame.future));
  }

  std::string name_;
  HandlerBundle handlers_;
  std::vector<ir::CustomOption> given_;
  OptionList options_;
  State instantiated_;
};

void check_version(const std::string& name, Handler* handler) {
  if (handler == nullptr) return;
  Metadata metadata = {};
  metadata.struct_size = sizeof(Metadata);
  MetadataExtension extension = {{sizeof(MetadataExtension), metadata_extension, nullptr},
                                 &metadata};
  CallFrame frame = new_frame(Stage::execute);
  frame.extensions = &extension.base;
  raise_error(name.c_str(), handler(&frame));
  if (metadata.version.major == table().version.major) return;
  raise<InvalidArgument>({.what = str("foreign function ", name, " is of version ",
                                      metadata.version.major, ".", metadata.version.minor),
                          .wanted = str(table().version.major, ".", table().version.minor)});
}

}  // namespace

void register_handlers(std::string name, const HandlerBundle& handlers) {
  if (handlers.execute == nullptr) {
    raise<InvalidArgument>(
        {.what = str("foreign function ", name, " without a handler that runs it"),
         .wanted = "a handler of the stage execute"});
  }
  for (Handler* handler :
       {handlers.instantiate, handlers.prepare, handlers.initialize, handlers.execute}) {
    check_version(name, handler);
  }
  register_custom_function(std::move(name), [handlers](const ir::CustomCallAttributes& call) {
    return std::make_unique<ForeignFunction>(call, handlers);
  });
}

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
