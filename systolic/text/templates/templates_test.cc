// Chat templates against transformers' own rendering: golden/make_templates.py.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/text/chat_template.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

std::string template_error(const std::string& chat_template, const std::string& values = "{}") {
  return error_of([&] { render_chat_template(chat_template, values); });
}

TEST(ChatTemplateTest, WritesWhatTransformersDoes) {
  std::istringstream lines(
      io::read_file(test::source_path("systolic/text/templates/golden/templates.jsonl")));
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::ordered_json::parse(line);
    const auto source = row.at("template").get<std::string>();
    const std::string values = row.at("values").dump();
    const std::string name = str("line ", ++count, ": ", source);
    if (row.contains("fails")) {
      EXPECT_NE(template_error(source, values), "no error") << name;
      continue;
    }
    try {
      EXPECT_EQ(render_chat_template(source, values), row.at("text").get<std::string>()) << name;
    } catch (const Error& error) {
      ADD_FAILURE() << name << "\n" << error.what();
    }
  }
  EXPECT_GT(count, 130);
}

TEST(ChatTemplateTest, ErrorsNameTheLine) {
  const struct {
    const char *source, *error;
  } rows[] = {
      {"a\n{{ raise_exception('roles must alternate') }}",
       "InvalidArgument: apply_chat_template: line 2 of a chat template: it says: roles must "
       "alternate"},
      {"{% include 'x' %}", "line 1 of a chat template: the block 'include'"},
      {"\n\n{{ 'a' | nofilter }}", "line 3 of a chat template: the filter 'nofilter'"},
      {"{{ x.y }}", "'x', which is undefined"},
      {"{% if x %}", "line 1 of a chat template: a block without an end"},
      {"{{ 'a", "a text without an end"},
      {"{{ 1 < 2 < 3 }}", "a comparison of a comparison"},
      {"{% break %}", "break outside of a loop"},
      {"{{ 'é' | upper }}", "the upper-case form of 'é'"},
      {"{{ '\\ud800' }}", "an escape that is no character"},
      {"{{ {} | tojson(sort_keys=true) }}", "tojson(sort_keys=...)"},
      {"{% set d = {} %}{% set d.a = 1 %}", "set of d.a"},
      {"{{ 2 ** 3 }}", "'**', expected the end of the tag"},
      {"{{ open('/etc/passwd') }}", "a call of 'open'"},
      {"{{ [].__class__ }}{{ ''.__class__() }}", "the method '__class__'"},
      {"{{ dict({'a': 1}) }}", "dict of a value"},
  };
  for (const auto& row : rows) EXPECT_CONTAINS(template_error(row.source), row.error);
}

std::string repeated(const std::string& part, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += part;
  return result;
}

// Each ends soon, with an error: what takes time, memory or the stack without bound elsewhere.
TEST(ChatTemplateTest, HostileTemplatesEnd) {
  const std::string doubled = "{% set n = namespace(x='ab') %}{% for i in range(99) %}";
  const struct {
    std::string source, error;
  } rows[] = {
      {"{% for i in range(1000000) %}{% for j in range(1000000) %}{% endfor %}{% endfor %}",
       "too many steps"},
      {"{{ range(9999999999) }}", "range of more than a million numbers"},
      {doubled + "{% set n.x = n.x + n.x %}{% endfor %}", "16 MiB at most"},
      {doubled + "{% set n.x = [n.x, n.x] %}{% endfor %}", "nested too deep"},
      {"{% set n = namespace(x=1) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}"
       "{{ n.x }}",
       "too many steps"},
      {"{% set n = namespace(x=1) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}"
       "{{ n.x == n.x }}",
       "too many steps"},
      {"{% set n = namespace() %}{% set n.x = n %}", "a namespace() in 'x' of a namespace()"},
      {"{% set n = namespace() %}{% set n.x = [n] %}", "a namespace() in 'x' of a namespace()"},
      {"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "calls itself"},
      {"{% macro f(x) %}{{ " + repeated("(", 40) + "f(x)" + repeated(")", 40) +
           repeated(" | trim", 150) + " }}{% endmacro %}{{ f(1) }}",
       "nested too deep"},
      {"{{ " + repeated("(", 100000) + repeated(")", 100000) + " }}", "nested too deep"},
      {"{{ " + repeated("not ", 100000) + "1 }}", "nested too deep"},
      {"{{ 1" + repeated("+1", 100000) + " }}", "too many parts"},
      {"{{ x" + repeated(".y", 100000) + " }}", "too many parts"},
      {"{{ x" + repeated("|trim", 100000) + " }}", "too many parts"},
      {repeated("{% if 1 %}", 100000), "nested too deep"},
      {repeated("{% if 1 %}", 100) + repeated("{% endif %}", 100), "nested too deep"},
      {"{% set x = 'a' * 16000000 %}{% set y = 'a' * 8000000 + 'b' %}"
       "{% for i in range(99) %}{{ y in x }}{% endfor %}",
       "too many steps"},
      {"{% for i in range(99) %}{{ 'ab' * 99999 }}{% endfor %}", "it writes more than 16 MiB"},
      {"{{ [1] * 99999999 }}", "a million elements at most"},
      {"{{ 9223372036854775807 * 2 }}", "the number 9223372036854775807"},
      {"{{ 999999999999999999 * 999 }}", "a result that 64 bits hold"},
      {"{{ 1 // 0 }}", "a division by 0"},
      {std::string(2000000, 'a'), "a chat template of 2000000 bytes"},
  };
  for (const auto& row : rows) {
    EXPECT_CONTAINS(template_error(row.source), row.error) << row.source.substr(0, 100);
  }
}

}  // namespace
}  // namespace systolic
