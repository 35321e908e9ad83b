// Errors: one helper makes them all, so that every one says what, where, got, wanted, and what to
// do.
//
//   raise<InvalidArgument>({.what = "input has 3 axes (28, 28, 1)",
//                           .wanted = "4: [batch, height, width, channels]",
//                           .hint = "add the batch axis with expand_dims(x, 0)",
//                           .location = location});
//
// reads, inside `ErrorScope scope("Conv2D 'stage1/conv2'")`:
//
//   Conv2D 'stage1/conv2': input has 3 axes (28, 28, 1), expected 4: [batch, height, width,
//   channels].
//     hint: add the batch axis with expand_dims(x, 0).
//     at examples/mnist.cc:41
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {

// What an error says. Only `what` is required; do not end a part with a full stop.
struct ErrorReport {
  std::string what;              // what is wrong, with the offending numbers
  std::string got = {};          // ", got ..." when `what` does not say it already
  std::string wanted = {};       // ", expected ..."
  std::string hint = {};         // what to do, as a command or a line of code where possible
  SourceLocation location = {};  // the user's line
};

// Base of all errors that Systolic throws. what() is the whole message.
class Error : public std::runtime_error {
 public:
  Error(std::string_view kind, ErrorReport report);
  // "InvalidArgument", "DataLoss", ...
  const std::string& kind() const { return kind_; }
  // The parts, with the scope already in front of `what`.
  const ErrorReport& report() const { return report_; }
  // Throws an error of the same kind whose text starts with "scope: ", for a place that knows more
  // than the one that raised it: which record, which stage. It names `location` where this one
  // names no line.
  [[noreturn]] void rethrow_within(std::string_view scope, SourceLocation location = {}) const {
    throw_within(scope, location);
    throw *this;  // never reached: g++ forgets [[noreturn]] of virtual functions
  }

 protected:
  virtual void throw_within(std::string_view scope, SourceLocation location) const;
  ErrorReport report_within(std::string_view scope, SourceLocation location) const;

 private:
  std::string kind_;
  ErrorReport report_;
};

// One class per way in which a caller would react. `Self::kind_name` is what kind() returns.
template <class Self>
class ErrorOf : public Error {
 public:
  explicit ErrorOf(ErrorReport report) : Error(Self::kind_name, std::move(report)) {}

 protected:
  void throw_within(std::string_view scope, SourceLocation location) const override {
    throw Self(this->report_within(scope, location));
  }
};

// The caller passed something that can never work: shapes, names, values out of range.
struct InvalidArgument : ErrorOf<InvalidArgument> {
  static constexpr std::string_view kind_name = "InvalidArgument";
  using ErrorOf::ErrorOf;
};
// The call is right but not now: a closed writer, a tape on another thread, a model that is not
// compiled.
struct FailedPrecondition : ErrorOf<FailedPrecondition> {
  static constexpr std::string_view kind_name = "FailedPrecondition";
  using ErrorOf::ErrorOf;
};
// What was asked for is not there: a file, a name, a library.
struct NotFound : ErrorOf<NotFound> {
  static constexpr std::string_view kind_name = "NotFound";
  using ErrorOf::ErrorOf;
};
// The system or a server does not allow it.
struct PermissionDenied : ErrorOf<PermissionDenied> {
  static constexpr std::string_view kind_name = "PermissionDenied";
  using ErrorOf::ErrorOf;
};
// Stored data is damaged: a wrong checksum, a truncated file.
struct DataLoss : ErrorOf<DataLoss> {
  static constexpr std::string_view kind_name = "DataLoss";
  using ErrorOf::ErrorOf;
};
// A device or a server cannot be reached now; trying again may help.
struct Unavailable : ErrorOf<Unavailable> {
  static constexpr std::string_view kind_name = "Unavailable";
  using ErrorOf::ErrorOf;
};
// Memory of a device or a stated budget is exceeded.
struct ResourceExhausted : ErrorOf<ResourceExhausted> {
  static constexpr std::string_view kind_name = "ResourceExhausted";
  using ErrorOf::ErrorOf;
};
// The thing asked for exists elsewhere but not here; the hint says what does.
struct Unimplemented : ErrorOf<Unimplemented> {
  static constexpr std::string_view kind_name = "Unimplemented";
  using ErrorOf::ErrorOf;
};
// next() after the last element of a dataset.
struct OutOfRange : ErrorOf<OutOfRange> {
  static constexpr std::string_view kind_name = "OutOfRange";
  using ErrorOf::ErrorOf;
};
// A time limit has passed before the work was done.
struct DeadlineExceeded : ErrorOf<DeadlineExceeded> {
  static constexpr std::string_view kind_name = "DeadlineExceeded";
  using ErrorOf::ErrorOf;
};
// Stopped on request (Ctrl-C, a consumer that went away).
struct Cancelled : ErrorOf<Cancelled> {
  static constexpr std::string_view kind_name = "Cancelled";
  using ErrorOf::ErrorOf;
};
// A function that the user passed in threw something of its own; the text holds its what().
struct FunctionFailed : ErrorOf<FunctionFailed> {
  static constexpr std::string_view kind_name = "FunctionFailed";
  using ErrorOf::ErrorOf;
};
// A bug in Systolic: the message asks for a report.
struct Internal : ErrorOf<Internal> {
  static constexpr std::string_view kind_name = "Internal";
  using ErrorOf::ErrorOf;
};

// Puts the current scope in front of the report and throws.
template <class ErrorKind>
[[noreturn]] void raise(ErrorReport report);

// Internal consistency: throws Internal naming our own line. For what a user cannot cause.
void ensure(bool condition, std::string_view what,
            SourceLocation location = SourceLocation::current());

// While it lives, errors raised on this thread start with its text: "Conv2D 'stage1/conv2': ...".
// Scopes nest; the innermost non-empty one is used. The text must outlive the scope. A known
// `location` replaces those of the errors inside: the line where the user wrote the layer instead
// of one of ours.
class ErrorScope {
 public:
  explicit ErrorScope(std::string_view text, SourceLocation location = {});
  // A text that ends with the statement: give it a name first.
  template <std::same_as<std::string> Text>
  explicit ErrorScope(Text&& text, SourceLocation location = {}) = delete;
  ~ErrorScope();
  ErrorScope(const ErrorScope&) = delete;
  ErrorScope& operator=(const ErrorScope&) = delete;
  static std::string_view current();
  static SourceLocation current_location();

 private:
  std::string_view previous_;
  SourceLocation previous_location_;
};

// The report with the current ErrorScope's name in front, at its line where it has one. raise()
// calls it.
ErrorReport with_scope(ErrorReport report);

template <class ErrorKind>
[[noreturn]] void raise(ErrorReport report) {
  throw ErrorKind(with_scope(std::move(report)));
}

// Compiled once, in error.cc.
extern template void raise<InvalidArgument>(ErrorReport);
extern template void raise<FailedPrecondition>(ErrorReport);
extern template void raise<NotFound>(ErrorReport);
extern template void raise<PermissionDenied>(ErrorReport);
extern template void raise<DataLoss>(ErrorReport);
extern template void raise<Unavailable>(ErrorReport);
extern template void raise<ResourceExhausted>(ErrorReport);
extern template void raise<Unimplemented>(ErrorReport);
extern template void raise<OutOfRange>(ErrorReport);
extern template void raise<DeadlineExceeded>(ErrorReport);
extern template void raise<Cancelled>(ErrorReport);
extern template void raise<FunctionFailed>(ErrorReport);
extern template void raise<Internal>(ErrorReport);

}  // namespace systolic::inline v0
