#include "plugin/error.h"

#include <new>

#include "plugin/serve.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

struct Failure {
  abi::Code code;
  std::string message;
};

struct KindRow {
  std::string_view kind;
  abi::Code code;
};
constexpr KindRow kinds[] = {
    {InvalidArgument::kind_name, abi::Code::invalid_argument},
    {FailedPrecondition::kind_name, abi::Code::failed_precondition},
    {NotFound::kind_name, abi::Code::not_found},
    {PermissionDenied::kind_name, abi::Code::permission_denied},
    {DataLoss::kind_name, abi::Code::data_loss},
    {Unavailable::kind_name, abi::Code::unavailable},
    {ResourceExhausted::kind_name, abi::Code::resource_exhausted},
    {Unimplemented::kind_name, abi::Code::unimplemented},
    {OutOfRange::kind_name, abi::Code::out_of_range},
    {DeadlineExceeded::kind_name, abi::Code::deadline_exceeded},
    {Cancelled::kind_name, abi::Code::cancelled},
};

abi::Code code_of(const Error& error) {
  for (const KindRow& row : kinds) {
    if (row.kind == error.kind()) return row.code;
  }
  return abi::Code::internal;
}

abi::Error* give(abi::Code code, const char* message) {
  return reinterpret_cast<abi::Error*>(new Failure{code, message});
}

// For when there is no memory for another.
Failure out_of_memory{abi::Code::resource_exhausted, "out of host memory"};

const Failure& of_error(const abi::Error* error) {
  return *reinterpret_cast<const Failure*>(error);
}

}  // namespace

abi::Error* current_error() noexcept {
  try {
    try {
      throw;
    } catch (const Error& error) {
      return give(code_of(error), error.what());
    } catch (const std::bad_alloc&) {
      return reinterpret_cast<abi::Error*>(&out_of_memory);
    } catch (const std::exception& error) {
      return give(abi::Code::internal, error.what());
    } catch (...) {
      return give(abi::Code::internal, "an unknown exception");
    }
  } catch (...) {
    return reinterpret_cast<abi::Error*>(&out_of_memory);
  }
}

void destroy(abi::Error* error) noexcept {
  auto* failure = reinterpret_cast<Failure*>(error);
  if (failure != &out_of_memory) delete failure;
}

const std::string& message(const abi::Error* error) { return of_error(error).message; }
abi::Code code(const abi::Error* error) { return of_error(error).code; }

void serve(abi::ErrorCodeArgs& args) {
  if (args.error == nullptr) raise_null_handle();
  args.code = code(args.error);
}

void raise_null_handle() {
  raise<InvalidArgument>({.what = "a null pointer in place of an object of the plugin"});
}

}  // namespace plugin
}  // namespace systolic::inline v0
