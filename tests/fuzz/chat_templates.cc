// Chat templates, which folders bring along.
#include <stdexcept>
#include <string>

#include "systolic/text/chat_template.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {

void chat_template(std::string_view bytes) {
  const size_t end = bytes.find('\0');
  const std::string source(bytes.substr(0, end));
  const std::string values(end == std::string_view::npos ? "{}" : bytes.substr(end + 1));
  attempt([&] {
    if (systolic::render_chat_template(source, values).size() > size_t{1} << 24)
      throw std::logic_error("a text that is longer than 16 MiB");
  });
}

}  // namespace fuzz
