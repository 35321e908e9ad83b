#include "systolic/text/chat_template.h"

#include "systolic/base/error.h"
#include "systolic/text/pieces/json_view.h"
#include "systolic/text/special_tokens.h"
#include "systolic/text/templates/interpreter.h"
#include "systolic/text/templates/parser.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace {

using text::Value;
using text::ValueList;
using text::ValueMap;

std::string rendered(const std::string& chat_template, const ValueMap& values,
                     SourceLocation location) {
  try {
    return text::run_template(text::parse_template(chat_template), values);
  } catch (const Error& error) {
    error.rethrow_within("apply_chat_template", location);
  }
}

Value parsed(const std::string& json, const char* what, SourceLocation location) {
  try {
    return text::value_from_json(json, what);
  } catch (const Error& error) {
    error.rethrow_within("apply_chat_template", location);
  }
}

std::string template_of(const Tokenizer& tokenizer, const std::string& given,
                        SourceLocation location) {
  if (given.find('{') != std::string::npos) return given;
  const std::string found = tokenizer.chat_template(given.empty() ? "default" : given);
  if (!found.empty()) return found;
  raise<FailedPrecondition>(
      {.what = str("apply_chat_template of a tokenizer without a template",
                   given.empty() ? "" : str(" '", given.substr(0, 40), "'")),
       .wanted =
           "chat_template.jinja, or \"chat_template\" in tokenizer_config.json, in its folder",
       .hint = "give one: {.chat_template = \"{% for message in messages %}...\"}",
       .location = location});
}

std::string applied(const Tokenizer& tokenizer, Value messages, const ChatOptions& options,
                    SourceLocation location) {
  ValueMap values{{"messages", std::move(messages)},
                  {"tools", Value::None{}},
                  {"documents", Value::None{}},
                  {"add_generation_prompt", options.add_generation_prompt}};
  for (const char* role : text::token_roles) {
    if (const auto token = tokenizer.special_token(role)) values.emplace_back(role, *token);
  }
  if (!options.tools.empty()) values[1].second = parsed(options.tools, "tools", location);
  if (!options.values.empty()) {
    const Value others = parsed(options.values, "values", location);
    if (!others.is_map())
      raise<InvalidArgument>({.what = str("ChatOptions::values is ", others.kind()),
                              .wanted = "an object of JSON, {\"name\": value}",
                              .location = location});
    for (const auto& [name, value] : others.map()) text::put_into(values, name, value);
  }
  return rendered(template_of(tokenizer, options.chat_template, location), values, location);
}

}  // namespace

std::string Tokenizer::chat_template(const std::string& name) const {
  if (!state_->chat_template.empty() && name == "default") return state_->chat_template;
  if (state_->config.empty()) return "";
  const auto file = text::JsonFile::parse(state_->config, "tokenizer_config.json");
  if (!file->root().has("chat_template")) return "";
  const text::JsonView found = file->root().at("chat_template");
  if (found.is_string()) return name == "default" ? found.string() : "";
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].string_or("name", "") == name) return found[i].string_or("template", "");
  }
  return "";
}

std::string apply_chat_template(const Tokenizer& tokenizer,
                                const std::vector<ChatMessage>& messages,
                                const ChatOptions& options, SourceLocation location) {
  ValueList list;
  for (const ChatMessage& one : messages)
    list.emplace_back(ValueMap{{"role", one.role}, {"content", one.content}});
  return applied(tokenizer, std::move(list), options, location);
}

std::string apply_chat_template(const Tokenizer& tokenizer, const std::string& messages,
                                const ChatOptions& options, SourceLocation location) {
  return applied(tokenizer, parsed(messages, "messages", location), options, location);
}

std::string render_chat_template(const std::string& chat_template, const std::string& values,
                                 SourceLocation location) {
  const Value all = parsed(values, "values", location);
  if (!all.is_map())
    raise<InvalidArgument>({.what = str("values of a chat template are ", all.kind()),
                            .wanted = "an object of JSON, {\"name\": value}",
                            .location = location});
  return rendered(chat_template, all.map(), location);
}

}  // namespace systolic::inline v0
