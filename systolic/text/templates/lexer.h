// The pieces of a template, with Jinja's rules for space around blocks (trim_blocks,
// lstrip_blocks). Internal to text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {
namespace text {

struct TemplateToken {
  enum class Kind : uint8_t {
    text,          // outside of {{ }} and {% %}
    begin_output,  // {{
    begin_block,   // {%
    end,           // }} or %}
    name,
    literal,  // a text between quotes, unescaped
    whole,    // 7
    number,   // 7.5
    symbol,   // + == ( ...
    last,     // after all
  };
  Kind kind = Kind::last;
  std::string text = {};
  int line = 1;
};

// InvalidArgument, naming the line, for what is no template.
std::vector<TemplateToken> template_tokens(std::string_view source);
[[noreturn]] void fail_in_template(int line, std::string what, std::string wanted = {});

}  // namespace text
}  // namespace systolic::inline v0
