#include "systolic/text/processors/renewed.h"

#include <nlohmann/json.hpp>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {
namespace {

using Json = nlohmann::ordered_json;
using IdOf = FunctionRef<std::optional<int32_t>(const std::string& token)>;

int32_t id_in(IdOf id_of, const std::string& token) {
  if (const auto id = id_of(token)) return *id;
  raise<InvalidArgument>(
      {.what = str("the vocabulary has no '", token, "', which the post-processor adds to texts"),
       .hint = str("name it among .special_tokens = {\"", token, "\"}")});
}

// ["[CLS]", 101]
void renew_pair(Json& pair, IdOf id_of) { pair[1] = id_in(id_of, pair[0].get<std::string>()); }

void renew(Json& processor, IdOf id_of) {
  const std::string type = processor.at("type").get<std::string>();
  if (type == "Sequence") {
    for (Json& part : processor.at("processors")) renew(part, id_of);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    renew_pair(processor.at("sep"), id_of);
    renew_pair(processor.at("cls"), id_of);
  } else if (type == "TemplateProcessing") {
    for (auto& [name, special] : processor.at("special_tokens").items()) {
      for (size_t i = 0; i < special.at("tokens").size(); ++i)
        special.at("ids")[i] = id_in(id_of, special.at("tokens")[i].get<std::string>());
    }
  }
}

}  // namespace

// Its own JSON was checked when it was read.
std::unique_ptr<PostProcessor> renewed(const PostProcessor& processor, IdOf id_of) {
  Json json = Json::parse(processor.config);
  renew(json, id_of);
  return make_post_processor(JsonFile::parse(json.dump(), "post_processor")->root());
}

}  // namespace text
}  // namespace systolic::inline v0
