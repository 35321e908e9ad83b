#include "plugin/event.h"

#include "plugin/serve.h"

namespace systolic::inline v0 {
namespace plugin {

void serve(abi::EventDestroyArgs& args) {
  if (args.event != nullptr) delete &of(args.event);
}
void serve(abi::EventIsReadyArgs& args) { args.ready = true; }
void serve(abi::EventErrorArgs& args) { of(args.event); }
void serve(abi::EventAwaitArgs& args) { of(args.event); }
void serve(abi::EventOnReadyArgs& args) {
  of(args.event);
  args.callback(nullptr, args.argument);
}

}  // namespace plugin
}  // namespace systolic::inline v0
