#include "backends/pjrt/api/plugin_error.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

constexpr size_t most_characters = 8000;

constexpr std::array<std::string_view, 17> names = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

struct Advice {
  std::string_view text;  // in the plugin's message
  std::string_view hint;
};
constexpr std::array<Advice, 4> advice = {{
    {"No jellyfish device found", "this machine has no TPU; `systolic compile` needs none"},
    {"libtpu_lockfile",
     "another process holds the TPU: `systolic doctor` names it; to compile only, set "
     "ALLOW_MULTIPLE_LIBTPU_LOAD=1"},
    {"No visible GPU devices",
     "nvidia-smi must list a GPU, and CUDA_VISIBLE_DEVICES must not hide it"},
    {"CompileTimeHbmOom", "use a smaller batch per core, or split the largest variables"},
}};

// Returned: what the function returns, which is of no use here.
template <class Args, class Returned>
Args filled(const Api& api, const abi::Error* error) {
  using Entry = abi::Entry<Args>;
  Args args{};
  args.struct_size = Entry::struct_size;
  args.error = error;
  reinterpret_cast<Returned (*)(Args*)>(api.table().functions[Entry::slot])(&args);
  return args;
}

ErrorReport report_of(const Api& api, const PluginError& error, const char* call) {
  ErrorReport report;
  std::string message = error.message;
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  report.what = str(api.plugin(), ": ", call, ": ", code_name(error.code), ": ", message);
  for (const Advice& row : advice) {
    if (error.message.find(row.text) != std::string::npos) report.hint = row.hint;
  }
  return report;
}

}  // namespace

std::string code_name(abi::Code code) {
  const auto index = static_cast<size_t>(code);
  return index < names.size() ? std::string(names[index])
                              : str("code ", static_cast<int32_t>(code));
}

PluginError read_error(const Api& api, const abi::Error* error) {
  PluginError result;
  // The table has these slots (Api checked), but they may be empty.
  if (api.has<abi::ErrorCodeArgs>())
    result.code = filled<abi::ErrorCodeArgs, abi::Error*>(api, error).code;
  if (api.has<abi::ErrorMessageArgs>()) {
    const auto args = filled<abi::ErrorMessageArgs, void>(api, error);
    result.message = text_of(args.message, std::min(args.message_size, most_characters));
  }
  if (result.message.empty()) result.message = "(the plugin gives no message)";
  return result;
}

void raise_plugin_error(const Api& api, const PluginError& error, const char* call) {
  using abi::Code;
  ErrorReport report = report_of(api, error, call);
  switch (error.code) {
    case Code::cancelled:
      raise<Cancelled>(std::move(report));
    case Code::invalid_argument:
    case Code::already_exists:
      raise<InvalidArgument>(std::move(report));
    case Code::deadline_exceeded:
      raise<DeadlineExceeded>(std::move(report));
    case Code::not_found:
      raise<NotFound>(std::move(report));
    case Code::permission_denied:
    case Code::unauthenticated:
      raise<PermissionDenied>(std::move(report));
    case Code::resource_exhausted:
      raise<ResourceExhausted>(std::move(report));
    case Code::failed_precondition:
      raise<FailedPrecondition>(std::move(report));
    case Code::out_of_range:
      raise<OutOfRange>(std::move(report));
    case Code::unimplemented:
      raise<Unimplemented>(std::move(report));
    case Code::aborted:
    case Code::unavailable:
      raise<Unavailable>(std::move(report));
    case Code::data_loss:
      raise<DataLoss>(std::move(report));
    case Code::unknown:
      if (std::string_view(call).find("Compile") != std::string_view::npos) {
        raise<InvalidArgument>(std::move(report));
      }
      [[fallthrough]];
    default:
      raise<Internal>(std::move(report));
  }
}

}  // namespace pjrt
}  // namespace systolic::inline v0
