// Modules and functions.
#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/parse/parser.h"

namespace systolic::inline v0 {
namespace stablehlo {

// "#name = attribute", "!name = type"
void Parser::alias_definition() {
  const bool is_type = scan_.accept("!");
  if (!is_type) scan_.expect("#");
  const std::string_view name = scan_.suffix();
  scan_.expect("=");
  if (is_type) {
    type_aliases_[name] = type();
  } else {
    Attribute value = attribute();
    const bool location = value.kind == Attribute::Kind::opaque && value.text.substr(0, 3) == "loc";
    if (location) program_.locations.emplace_back(name, value.text);
    const int64_t count = attribute_count(value);
    attribute_aliases_.insert_or_assign(name, std::pair(count, std::move(value)));
  }
}

void Parser::parse_program() {
  while (scan_.peek() == '#' || scan_.peek() == '!') alias_definition();
  if (scan_.accept("module") || scan_.accept("builtin.module")) {
    module_header();
    module_body(true);
    optional_location();
  } else if (scan_.next_is("\"builtin.module\"")) {
    generic_module();
  } else {
    module_body(false);
  }
  while (scan_.peek() == '#' || scan_.peek() == '!') alias_definition();
  if (scan_.next_is("{-#")) resource_section();
  if (!scan_.at_end()) scan_.fail("the end of the text");
}

// {-# dialect_resources: { builtin: { name: "0x04000000..." } } #-}
void Parser::resource_section() {
  const size_t start = scan_.position();
  scan_.expect("{-#");
  resource_entries("#-}", 0, true);
  program_.resource_section = scan_.from(start);
}

// "name: value, ..." up to and with the closing sign, in as many braces as `level`; `of_builtin`
// while all that they are in are on the way to builtin's.
void Parser::resource_entries(std::string_view closing, int level, bool of_builtin) {
  const Scanner::Depth depth(scan_);
  if (scan_.accept(closing)) return;
  do {
    const std::string_view name =
        scan_.peek() == '"' ? scan_.string() : scan_.expect_word("the name of a resource");
    scan_.expect(":");
    const size_t start = scan_.position();
    if (scan_.accept("{")) {
      const bool on_the_way =
          (level == 0 && name == "dialect_resources") || (level == 1 && name == "builtin");
      resource_entries("}", level + 1, of_builtin && on_the_way);
    } else if (scan_.peek() != '"') {
      scan_.expect_word("'{', a string, a number, true or false");
    } else {
      const std::string_view bytes = scan_.string();
      const bool ours = of_builtin && level == 2;
      if (ours && !program_.resources.emplace(name, bytes).second) {
        scan_.fail_at(start, "each name once",
                      str("resource ", excerpt(name, 100), " is defined here again"));
      }
    }
  } while (scan_.accept(","));
  scan_.expect(closing);
}

void Parser::module_header() {
  if (scan_.peek() == '@') program_.name = symbol();
  if (scan_.accept("attributes")) attribute_dictionary(program_.attributes);
  scan_.expect("{");
}

void Parser::module_body(bool braces) {
  while (!(braces ? scan_.accept("}") : scan_.at_end() || scan_.next_is("{-#"))) {
    if (scan_.next_is("#") || scan_.next_is("!")) {
      alias_definition();
    } else if (scan_.accept("func.func") || scan_.accept("func")) {
      function_definition();
    } else if (scan_.next_is("\"func.func\"")) {
      generic_function();
    } else if (scan_.peek() == '"') {
      module_operation();
    } else if (scan_.accept("sdy.mesh")) {
      mesh();
    } else {
      scan_.fail(braces ? "func.func or '}'" : "module or func.func");
    }
  }
}

// An op of the module in the generic form; it neither takes nor gives values.
void Parser::module_operation() {
  Function none;
  function_ = &none;
  values_.clear();
  defined_.clear();
  const size_t start = scan_.position();
  Operation op = operation();
  function_ = nullptr;
  if (!none.values.empty() || !op.regions.empty()) {
    scan_.fail_at(start, "func.func, or an op without values", str(op.name, " in a module"));
  }
  program_.operations.push_back(std::move(op));
}

// sdy.mesh @name = <["x"=2, "y"=4]>
void Parser::mesh() {
  Operation op;
  op.name = "sdy.mesh";
  op.offset = scan_.position();
  NamedAttribute name, mesh;
  name.name = "sym_name";
  name.value.kind = Attribute::Kind::string;
  name.value.text = symbol();
  scan_.expect("=");
  mesh.name = "mesh";
  mesh.value.kind = Attribute::Kind::opaque;
  mesh.value.offset = scan_.position();
  scan_.expect("<");
  scan_.until_closing('<', '>');
  mesh.value.text = implied(str("#sdy.mesh", scan_.from(mesh.value.offset)));
  op.attributes = {name, mesh};
  attribute_dictionary(op.attributes);
  op.location = optional_location();
  program_.operations.push_back(std::move(op));
}

void Parser::begin_function(size_t offset) {
  function_ = &program_.functions.emplace_back();
  function_->offset = offset;
  values_.clear();
  defined_.clear();
}

void Parser::name_function(std::string name, size_t offset) {
  if (!function_names_.insert(name).second) {
    scan_.fail_at(offset, "another name", str("function @", name, " is defined a second time"));
  }
  function_->name = std::move(name);
}

void Parser::function_definition() {
  begin_function(scan_.position());
  Function& function = *function_;
  for (std::string_view visibility : {"public", "private", "nested"}) {
    if (scan_.accept(visibility)) function.visibility = visibility;
  }
  const size_t start = scan_.position();
  name_function(std::string(symbol()), start);
  function_arguments(function.declared_only);
  if (scan_.accept("->")) function_results();
  if (scan_.accept("attributes")) attribute_dictionary(function.attributes);
  if (!scan_.accept("{")) {
    function.declared_only = true;
    function.location = optional_location();
    return;
  }
  const size_t start_of_body = scan_.position(), count = function.body.arguments.size();
  region_body(function.body);
  if (function.body.arguments.size() != count) {
    scan_.fail_at(start_of_body, "':' after the block's name",
                  "the arguments of a function are declared in its head");
  }
  function.location = optional_location();
}

void Parser::function_arguments(bool& declared_only) {
  scan_.expect("(");
  if (scan_.accept(")")) return;
  do {
    const size_t start = scan_.position();
    std::string_view name;
    if (scan_.accept("%")) {
      name = scan_.suffix();
      scan_.expect(":");
    } else {
      declared_only = true;
    }
    function_->body.arguments.push_back(define(name, type(), start));
    attribute_dictionary(function_->argument_attributes.emplace_back());
    optional_location();
  } while (scan_.accept(","));
  scan_.expect(")");
}

void Parser::function_results() {
  if (!scan_.accept("(")) {
    function_->result_types = {type()};
    function_->result_attributes.emplace_back();
    return;
  }
  if (scan_.accept(")")) return;
  do {
    function_->result_types.push_back(type());
    attribute_dictionary(function_->result_attributes.emplace_back());
  } while (scan_.accept(","));
  scan_.expect(")");
}

namespace {

Program parse_from(std::string text, std::string file, int first_line) {
  Program program;
  program.source = std::make_shared<const std::string>(std::move(text));
  program.file = std::move(file);
  program.first_line = first_line;
  Parser(program).parse_program();
  return program;
}

}  // namespace

Program parse(std::string text, std::string file) {
  return parse_from(std::move(text), std::move(file), 1);
}

std::vector<Program> parse_all(const std::string& text, const std::string& file) {
  constexpr std::string_view separator = "// -----";
  std::vector<Program> programs;
  size_t start = 0;
  int line = 1, first_line = 1;
  for (size_t at = 0; at <= text.size(); ++line) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const bool splits = text.compare(at, separator.size(), separator) == 0;
    if (splits || end == text.size()) {
      programs.push_back(parse_from(text.substr(start, splits ? at - start : std::string::npos),
                                    file, first_line));
      start = end + 1;
      first_line = line + 1;
    }
    at = end + 1;
  }
  return programs;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
