#include "systolic/base/error.h"

#include <cstdlib>
#include <string_view>
#include <utility>

namespace systolic::inline v0 {
namespace {

thread_local std::string_view current_scope;
thread_local SourceLocation current_scope_location;

// A line below 0 with a file: where what is called was made, while the line of the call, which is
// at fault, is known to the catcher only.
bool is_of_callee(SourceLocation location) { return location.line < 0 && *location.file != '\0'; }

// A name from a file may hold anything: what a terminal would obey, or what ends a text in C.
std::string without_controls(const std::string& message) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
      text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      text += c;
    }
  }
  return text;
}

std::string message_of(const ErrorReport& report) {
  std::string text = report.what;
  if (!report.got.empty()) text += str(", got ", report.got);
  if (!report.wanted.empty()) text += str(", expected ", report.wanted);
  text += ".";
  if (!report.hint.empty()) text += str("\n  hint: ", report.hint, ".");
  if (report.location.known() || is_of_callee(report.location)) {
    text += str("\n  at ", report.location.file, ":", std::abs(report.location.line));
  }
  return without_controls(text);
}

}  // namespace

Error::Error(std::string_view kind, ErrorReport report)
    : std::runtime_error(message_of(report)), kind_(kind), report_(std::move(report)) {}

ErrorReport Error::report_within(std::string_view scope, SourceLocation location) const {
  ErrorReport report = report_;
  if (!scope.empty()) report.what = str(scope, ": ", report.what);
  // A line below 0 stands for one that only the catcher knows.
  if (report.location.known() || location.line == 0) return report;
  const SourceLocation callee = std::exchange(report.location, location);
  const bool same_line =
      -callee.line == location.line && std::string_view(callee.file) == location.file;
  if (is_of_callee(callee) && location.known() && !same_line) {
    report.hint += str(report.hint.empty() ? "" : "; ", "the model was made at ", callee.file, ":",
                       -callee.line);
  }
  return report;
}
void Error::throw_within(std::string_view scope, SourceLocation location) const {
  throw Error(kind_, report_within(scope, location));
}

ErrorScope::ErrorScope(std::string_view text, SourceLocation location)
    : previous_(current_scope), previous_location_(current_scope_location) {
  if (text.empty()) return;
  current_scope = text;
  current_scope_location = location;
}
ErrorScope::~ErrorScope() {
  current_scope = previous_;
  current_scope_location = previous_location_;
}
std::string_view ErrorScope::current() { return current_scope; }
SourceLocation ErrorScope::current_location() { return current_scope_location; }

ErrorReport with_scope(ErrorReport report) {
  if (!current_scope.empty()) report.what = str(current_scope, ": ", report.what);
  if (current_scope_location.line != 0) report.location = current_scope_location;
  return report;
}

void ensure(bool condition, std::string_view what, SourceLocation location) {
  if (condition) return;
  raise<Internal>(
      {.what = str("internal error: ", what),
       .hint = "this is a bug in Systolic; please report it with a program that shows it",
       .location = location});
}

template void raise<InvalidArgument>(ErrorReport);
template void raise<FailedPrecondition>(ErrorReport);
template void raise<NotFound>(ErrorReport);
template void raise<PermissionDenied>(ErrorReport);
template void raise<DataLoss>(ErrorReport);
template void raise<Unavailable>(ErrorReport);
template void raise<ResourceExhausted>(ErrorReport);
template void raise<Unimplemented>(ErrorReport);
template void raise<OutOfRange>(ErrorReport);
template void raise<DeadlineExceeded>(ErrorReport);
template void raise<Cancelled>(ErrorReport);
template void raise<FunctionFailed>(ErrorReport);
template void raise<Internal>(ErrorReport);

}  // namespace systolic::inline v0
