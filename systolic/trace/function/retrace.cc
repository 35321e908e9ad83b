#include "systolic/trace/function/retrace.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"

namespace systolic::inline v0 {

std::string type_change(const std::string& input, const ir::Type& before, const ir::Type& now) {
  return str(input, " was ", to_string(before), ", is ", to_string(now));
}

std::string ordinal(size_t number) {
  constexpr const char* endings[] = {"th", "st", "nd", "rd"};
  const bool teen = number / 10 % 10 == 1;
  return str(number, endings[teen || number % 10 > 3 ? 0 : number % 10]);
}

std::string counted(size_t number, const std::string& noun) {
  return str(number, " ", noun, number == 1 ? "" : "s");
}

void report_retrace(const Retrace& retrace, bool strict) {
  const auto line = [](std::string_view before, SourceLocation at, std::string_view after) {
    return at.known() ? str(before, at.file, ":", at.line, after) : std::string();
  };
  const std::string program = retrace.program + line(" (made at ", retrace.made, ")");
  const std::string changes = join(retrace.changes, "; ");
  if (strict) {
    raise<FailedPrecondition>(
        {.what = str(program, " would be compiled again, the ", ordinal(retrace.programs),
                     " program, which strict_shapes forbids: ", changes),
         .hint = retrace.hint,
         .location = retrace.called});
  }
  events::Line said{.text = str(program, " is compiled again", line(" at ", retrace.called, ""),
                                ", ", retrace.programs, " programs so far: ", changes)};
  if (!retrace.hint.empty()) {
    said.level = LogLevel::warning;
    said.text += ". Hint: " + retrace.hint;
  }
  publish(events::Recompilation{.program = retrace.program,
                                .reason = changes,
                                .programs = retrace.programs,
                                .line = std::move(said)});
}

}  // namespace systolic::inline v0
