#include "systolic/transformers/config/config_fields.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/read_range.h"

namespace systolic::inline v0 {
namespace {

// `fields` over `entries`.
Config with_fields(const Config& entries, const Config::Map& fields) {
  Config result{Config::Map{}};
  const auto given = [&](const std::string& name) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const auto& field) { return field.first == name; });
  };
  for (const auto& [name, value] : entries.map()) {
    if (!given(name)) result.set(name, value);
  }
  for (const auto& [name, value] : fields) result.set(name, value);
  return result;
}

// Enough to recognize what a hostile file holds.
constexpr size_t most_shown = 80;
constexpr uint64_t most_bytes = 16 << 20;  // of a file

std::string shown(const Config& entry) {
  std::string text = entry.text();
  if (text.size() > most_shown) text = text.substr(0, most_shown) + "...";
  return text;
}

}  // namespace

// A file of unknown size, across a network, is read up to the limit only.
Config read_config_file(const std::string& path, SourceLocation location) {
  const std::string text = io::read_file_of_at_most(path, most_bytes, location);
  try {
    return Config::parse(text, location);
  } catch (const Error& error) {
    error.rethrow_within(path, location);
  }
}

ConfigFields::ConfigFields(Config entries, std::string file, SourceLocation location)
    : reads_(true), entries_(std::move(entries)), file_(std::move(file)), location_(location) {
  if (!entries_.is_map()) {
    raise<InvalidArgument>({.what = str(file_, " holds ", shown(entries_)),
                            .wanted = "an object of fields",
                            .location = location_});
  }
}

ConfigFields::ConfigFields(const Config& entries, const Config::Map& given, std::string file,
                           SourceLocation location)
    : ConfigFields(with_fields(entries, given), std::move(file), location) {
  given_ = Config(given);
}

std::string ConfigFields::described(std::string_view name) const {
  const bool given = given_.find(std::string(name)) != nullptr;
  return str(given ? std::string(".config") : file_, ": field '", name, "'");
}

void ConfigFields::fail(std::string_view name, std::string got, std::string wanted) const {
  raise<InvalidArgument>({.what = described(name),
                          .got = std::move(got),
                          .wanted = std::move(wanted),
                          .location = location_});
}

const Config* ConfigFields::entry(const char* name) {
  names_.emplace_back(name);
  return reads_ ? entries_.find(name) : nullptr;
}

int64_t ConfigFields::integer_of(const char* name, const Config& entry, int64_t least,
                                 int64_t most) const {
  const std::string wanted = str("an integer from ", least, " to ", most);
  if (!entry.is_integer()) fail(name, shown(entry), wanted);
  const int64_t value = entry.integer();
  if (value < least || value > most) fail(name, str(value), wanted);
  return value;
}

double ConfigFields::number_of(const char* name, const Config& entry, double least,
                               double most) const {
  const std::string wanted = str("a number from ", least, " to ", most);
  if (!entry.is_number()) fail(name, shown(entry), wanted);
  const double value = entry.number();
  if (!(value >= least && value <= most)) fail(name, shown(entry), wanted);
  return value;
}

void ConfigFields::integer(const char* name, int64_t& value, int64_t least, int64_t most) {
  const Config* found = entry(name);
  if (found != nullptr) value = integer_of(name, *found, least, most);
  if (!reads_) entries_.set(name, value);
}

void ConfigFields::integer(const char* name, std::optional<int64_t>& value, int64_t least,
                           int64_t most) {
  const Config* found = entry(name);
  if (found != nullptr && found->is_null()) value.reset();
  if (found != nullptr && !found->is_null()) value = integer_of(name, *found, least, most);
  if (!reads_) entries_.set(name, value ? Config(*value) : Config());
}

void ConfigFields::number(const char* name, double& value, double least, double most) {
  const Config* found = entry(name);
  if (found != nullptr) value = number_of(name, *found, least, most);
  if (!reads_) entries_.set(name, value);
}

void ConfigFields::number(const char* name, std::optional<double>& value, double least,
                          double most) {
  const Config* found = entry(name);
  if (found != nullptr && found->is_null()) value.reset();
  if (found != nullptr && !found->is_null()) value = number_of(name, *found, least, most);
  if (!reads_) entries_.set(name, value ? Config(*value) : Config());
}

void ConfigFields::only(const char* name, const Config& value) {
  only_names_.emplace_back(name);
  const Config* found = reads_ ? entries_.find(name) : nullptr;
  if (found == nullptr || found->is_null() || *found == value) return;
  raise<Unimplemented>({.what = described(name),
                        .got = shown(*found),
                        .wanted = shown(value),
                        .location = location_});
}

void ConfigFields::none(const char* name, const char* hint) {
  only_names_.emplace_back(name);
  const Config* found = reads_ ? entries_.find(name) : nullptr;
  if (found == nullptr || found->is_null()) return;
  if ((found->is_map() && found->map().empty()) || (found->is_list() && found->list().empty()))
    return;
  raise<Unimplemented>({.what = described(name),
                        .got = shown(*found),
                        .wanted = "none",
                        .hint = hint,
                        .location = location_});
}

void ConfigFields::check_heads(const char* width_name, int64_t width, const char* heads_name,
                               int64_t heads) {
  if (!reads_ || width % heads == 0) return;
  fail(width_name, str(width, " with ", heads_name, " ", heads), str("a multiple of ", heads));
}

void ConfigFields::size(const char* name, Size2& value, int64_t least, int64_t most) {
  const Config* found = entry(name);
  if (found != nullptr && found->is_list()) {
    const Config::List& both = found->list();
    if (both.size() != 2) fail(name, shown(*found), "a number or a list of two");
    value = {integer_of(name, both[0], least, most), integer_of(name, both[1], least, most)};
  } else if (found != nullptr) {
    value = integer_of(name, *found, least, most);
  }
  if (reads_) return;
  if (value.height == value.width) {
    entries_.set(name, value.height);
  } else {
    entries_.set(name, Config::List{value.height, value.width});
  }
}

template <class Read, class T>
void ConfigFields::list(const char* name, std::vector<T>& values, const char* what,
                        const Read& read) {
  constexpr size_t most = 1024;
  const Config* found = entry(name);
  if (found != nullptr && found->is_list()) {
    const Config::List& all = found->list();
    if (all.empty() || all.size() > most)
      fail(name, str("a list of ", all.size()), str("1 to ", most, " ", what));
    values.clear();
    for (const Config& one : all) values.push_back(read(one));
  } else if (found != nullptr && !found->is_null()) {
    values = {read(*found)};
  }
  if (!reads_) entries_.set(name, Config::List(values.begin(), values.end()));
}

void ConfigFields::integers(const char* name, std::vector<int64_t>& values, int64_t least,
                            int64_t most) {
  list(name, values, "integers",
       [&](const Config& one) { return integer_of(name, one, least, most); });
}

void ConfigFields::numbers(const char* name, std::vector<double>& values, double least,
                           double most) {
  list(name, values, "numbers",
       [&](const Config& one) { return number_of(name, one, least, most); });
}

void ConfigFields::texts(const char* name, std::vector<std::string>& values,
                         const std::vector<std::string>& choices) {
  list(name, values, "texts", [&](const Config& one) {
    const bool known = one.is_text() &&
                       std::find(choices.begin(), choices.end(), one.text_value()) != choices.end();
    if (!known) fail(name, shown(one), str("one of ", join(choices)));
    return one.text_value();
  });
}

void ConfigFields::refuse_unnamed() const {
  for (const auto& [name, value] : entries_.map()) {
    const bool named = std::any_of(names_.begin(), names_.end(),
                                   [&own = name](const std::string& one) { return one == own; });
    if (named || std::find(only_names_.begin(), only_names_.end(), name) != only_names_.end())
      continue;
    raise<Unimplemented>({.what = described(name.substr(0, most_shown)),
                          .got = shown(value),
                          .wanted = str("some of ", join(names_)),
                          .location = location_});
  }
}

void ConfigFields::part(const char* name, const std::function<void(ConfigFields&)>& transfer) {
  object_of(name, transfer, false);
}

void ConfigFields::object(const char* name, const std::function<void(ConfigFields&)>& transfer) {
  object_of(name, transfer, true);
}

void ConfigFields::object_of(const char* name, const std::function<void(ConfigFields&)>& transfer,
                             bool names_all) {
  const Config* found = entry(name);
  if (!reads_) {
    ConfigFields inside;
    transfer(inside);
    entries_.set(name, inside.entries());
    return;
  }
  if (found == nullptr || found->is_null()) return;
  if (!found->is_map()) fail(name, shown(*found), "an object of fields");
  ConfigFields inside(*found, described(name), location_);
  transfer(inside);
  if (names_all) inside.refuse_unnamed();
}

void ConfigFields::boolean(const char* name, bool& value) {
  const Config* found = entry(name);
  if (found != nullptr && !found->is_boolean()) fail(name, shown(*found), "true or false");
  if (found != nullptr) value = found->boolean();
  if (!reads_) entries_.set(name, value);
}

void ConfigFields::boolean(const char* name, std::optional<bool>& value) {
  const Config* found = entry(name);
  if (found != nullptr && found->is_null()) {
    value.reset();
  } else if (found != nullptr) {
    if (!found->is_boolean()) fail(name, shown(*found), "true or false");
    value = found->boolean();
  }
  if (!reads_) entries_.set(name, value ? Config(*value) : Config());
}

void ConfigFields::text(const char* name, std::string& value) {
  const Config* found = entry(name);
  if (found != nullptr && !found->is_text()) fail(name, shown(*found), "text");
  if (found != nullptr) value = found->text_value();
  if (!reads_) entries_.set(name, value);
}

void ConfigFields::json(const char* name, Config& value) {
  const Config* found = entry(name);
  if (found != nullptr) value = *found;
  if (!reads_) entries_.set(name, value);
}

void ConfigFields::choice(const char* name, std::string& value,
                          const std::vector<std::string>& choices) {
  text(name, value);
  if (!reads_) return;  // as it is, for a reader to check
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  fail(name, shown(value), str("one of ", join(choices)));
}

}  // namespace systolic::inline v0
