// Where templates come from, and what they know; templates/templates_test.cc has the language.
#include "systolic/text/chat_template.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/text/files/auto_tokenizer.h"

namespace systolic {
namespace {

constexpr const char* tokenizer_json = R"({"model": {"type": "WordLevel", "unk_token": "<unk>",
  "vocab": {"<unk>": 0, "<s>": 1, "</s>": 2, "boat": 3}}})";

// A tokenizer of a folder with these files.
Tokenizer tokenizer_with(const std::string& config, const std::string& jinja = "") {
  const TemporaryFolder folder;
  io::write_file(folder / "tokenizer.json", tokenizer_json);
  io::write_file(folder / "tokenizer_config.json", config);
  if (!jinja.empty()) io::write_file(folder / "chat_template.jinja", jinja);
  return AutoTokenizer::from_pretrained(folder / "");
}

const std::vector<ChatMessage> chat = {{"user", "Where?"}, {"assistant", "There."}};
constexpr const char* joined =
    R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "chat_template":
        "{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}{{ eos_token }}"})";

TEST(ApplyChatTemplate, TakesThatOfTheFolder) {
  EXPECT_EQ(apply_chat_template(tokenizer_with(joined), chat),
            "<s>user:Where?;assistant:There.;</s>");
  EXPECT_EQ(apply_chat_template(tokenizer_with(joined, "{{ messages | length }}"), chat), "2");
  const Tokenizer several = tokenizer_with(
      R"({"chat_template": [{"name": "default", "template": "{{ 1 }}"},
                            {"name": "tool_use", "template": "{{ tools[0].name }}"}]})");
  EXPECT_EQ(apply_chat_template(several, chat), "1");
  EXPECT_EQ(apply_chat_template(several, chat,
                                {.chat_template = "tool_use", .tools = R"([{"name": "weather"}])"}),
            "weather");
  EXPECT_EQ(several.chat_template("none"), "");
}

TEST(ApplyChatTemplate, KnowsWhatTheCallGives) {
  const Tokenizer tokenizer = tokenizer_with(R"({"bos_token": "<s>"})");
  const auto applied = [&](const std::string& source, ChatOptions options = {}) {
    options.chat_template = source;
    return apply_chat_template(tokenizer, chat, options);
  };
  EXPECT_EQ(applied("{{ add_generation_prompt }}{{ tools }}{{ documents }}{{ bos_token }}"),
            "FalseNoneNone<s>");
  EXPECT_EQ(applied("{{ add_generation_prompt }}", {.add_generation_prompt = true}), "True");
  EXPECT_EQ(applied("{{ think }}{{ bos_token }}", {.values = R"({"think": 1, "bos_token": 2})"}),
            "12");
  EXPECT_EQ(apply_chat_template(tokenizer, R"([{"role": "user", "content": [{"type": "image"}]}])",
                                {.chat_template = "{{ messages[0].content[0].type }}"}),
            "image");
}

TEST(ApplyChatTemplate, ErrorsNameWhatIsMissing) {
  const Tokenizer tokenizer = tokenizer_with("{}");
  expect_parts(error_of([&] {
                 apply_chat_template(tokenizer, chat, {}, {"user.cc", 7});
               }),
               {"FailedPrecondition", "without a template", "chat_template.jinja", "user.cc:7"});
  expect_parts(error_of([&] { apply_chat_template(tokenizer, chat, {.chat_template = "tool"}); }),
               {"FailedPrecondition", "'tool'"});
  expect_parts(error_of([&] {
                 apply_chat_template(tokenizer, "[{", {.chat_template = "{{ 1 }}"}, {"user.cc", 7});
               }),
               {"DataLoss", "messages", "user.cc:7"});
  expect_parts(error_of([&] {
                 apply_chat_template(tokenizer, chat, {.chat_template = "{{ 1 }}", .values = "[]"});
               }),
               {"ChatOptions::values is a list"});
}

}  // namespace
}  // namespace systolic
