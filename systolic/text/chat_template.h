// Conversations as the texts that models of chats were trained on (apply_chat_template).
//
//   const auto tokenizer = AutoTokenizer::from_pretrained("smollm2-instruct/");
//   const std::string text = apply_chat_template(
//       tokenizer, {{"user", "Where does the boat sail?"}}, {.add_generation_prompt = true});
//   model.generate(tokenizer(text, {.add_special_tokens = false}));
//
// The template, Jinja, is that of the folder: chat_template.jinja, or the "chat_template" of
// tokenizer_config.json. It is rendered as `transformers` 5.23 does, with what such templates use:
// if, for, break, continue, set, macro, filter, raw and generation; namespace(), range(), dict(),
// raise_exception() and strftime_now(); slices, and the filters, tests and methods of texts and
// maps that are usual. Another part is an error that names it. A template is not trusted: it reads
// what it is given and nothing else, within bounds of steps, memory and nesting.
#pragma once

#include <string>
#include <vector>

#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {

// One turn of a conversation: ChatMessage{"user", "Where does the boat sail?"}.
struct ChatMessage {
  std::string role;     // "system", "user", "assistant"
  std::string content;  // what is said
};

// What a call of apply_chat_template says besides: {.add_generation_prompt = true}.
struct ChatOptions {
  // The text ends with what an assistant's answer begins with.
  bool add_generation_prompt = false;
  // In the place of the folder's, or the name of one of several that a folder has.
  std::string chat_template = {};
  // JSON: descriptions of tools, [{"type": "function", "function": {"name": "weather", ...}}].
  std::string tools = {};
  // JSON: other values that the template knows, such as {"enable_thinking": false}.
  std::string values = {};
};

// The text of a conversation, to be tokenized without special tokens: the template writes them.
// FailedPrecondition where the tokenizer has no template; InvalidArgument, naming the line, for a
// template that is none, needs too much, or says that it cannot write such a conversation;
// Unimplemented for a filter, test or method that is not known.
//   apply_chat_template(tokenizer, {{"user", "Hello"}}, {.add_generation_prompt = true});
std::string apply_chat_template(const Tokenizer& tokenizer,
                                const std::vector<ChatMessage>& messages,
                                const ChatOptions& options = {},
                                SourceLocation location = SourceLocation::current());
// Messages with more than a role and a text, as JSON: [{"role": "user", "content": [...]}, ...].
std::string apply_chat_template(const Tokenizer& tokenizer, const std::string& messages,
                                const ChatOptions& options = {},
                                SourceLocation location = SourceLocation::current());

// The same by a template and values alone, {"messages": [...], "bos_token": "<s>", ...} in JSON.
//   render_chat_template("{{ name | upper }}", R"({"name": "boat"})");  // BOAT
std::string render_chat_template(const std::string& chat_template, const std::string& values,
                                 SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
