#include "systolic/io/tensors/torch/pickle.h"

#include <bit>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Kind = PickleValue::Kind;

constexpr size_t most_bytes = size_t{32} << 20;
constexpr size_t most_values = 4'000'000;

// Opcodes of more than ASCII.
enum Op : uint8_t {
  proto = 0x80,
  newobj,
  ext1,
  ext2,
  ext4,
  tuple1,
  tuple2,
  tuple3,
  newtrue,
  newfalse,
  long1,
  long4,
  short_binunicode,
  binunicode8,
  binbytes8,
  stack_global = 0x93,
  memoize,
  frame
};

}  // namespace

// The machine that runs pickles: a stack, marks on it, and a memo.
class PickleReader {
 public:
  PickleReader(Pickle& pickle, std::string_view bytes, const std::string& name,
               FunctionRef<bool(std::string_view)> is_known, SourceLocation location)
      : pickle_(pickle), bytes_(bytes), name_(name), is_known_(is_known), location_(location) {}

  void read() {
    for (;;) {
      if (at_ > most_bytes) too_much(str(most_bytes, " bytes"));
      const auto op = static_cast<uint8_t>(take(1)[0]);
      if (op == '.') break;
      if (!read_constant(op) && !read_container(op) && !read_memo(op) && !read_call(op))
        refuse_opcode(op);
    }
    pickle_.root_ = pop();
    if (!stack_.empty() || !marks_.empty()) damaged("values are left when it ends");
    pickle_.size_ = at_;
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    raise<DataLoss>({.what = str("pickle '", name_, "' at byte ", at_, ": ", what),
                     .hint = "the file is damaged or forged: fetch it again",
                     .location = location_});
  }
  [[noreturn]] void too_much(const std::string& what) const {
    raise<ResourceExhausted>({.what = str("pickle '", name_, "' has more than ", what),
                              .wanted = "the names and shapes of a model's weights",
                              .location = location_});
  }
  [[noreturn]] void refuse(const std::string& what) const {
    raise<InvalidArgument>(
        {.what =
             str("pickle '", name_, "' at byte ", at_, " asks for ", what, ", which is not run"),
         .wanted = "tensors in dictionaries",
         .hint = "a pickle is a program: load only files of those you trust, and save them again "
                 "as safetensors",
         .location = location_});
  }
  [[noreturn]] void refuse_opcode(uint8_t op) const {
    constexpr std::string_view hex = "0123456789abcdef";
    refuse(str("opcode 0x", hex[op >> 4], hex[op & 15]));
  }

  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_) damaged("it ends in the middle");
    const std::string_view result = bytes_.substr(at_, count);
    at_ += count;
    return result;
  }
  uint64_t take_number(size_t bytes) {
    const std::string_view text = take(bytes);
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
    return value;
  }
  std::string_view take_line() {
    constexpr size_t most_in_line = 1000;
    const size_t end = bytes_.substr(0, at_ + most_in_line).find('\n', at_);
    if (end == std::string_view::npos) damaged("a name without end");
    const std::string_view line = take(end - at_);
    take(1);
    return line;
  }

  PickleValue& push(Kind kind) {
    if (pickle_.values_.size() >= most_values) too_much(str(most_values, " values"));
    PickleValue& value = pickle_.values_.emplace_back();
    value.kind = kind;
    stack_.push_back(&value);
    return value;
  }
  void push_integer(Kind kind, int64_t integer) { push(kind).integer = integer; }
  void push_text(std::string_view text) { push(Kind::text).text = text; }

  // What lies above the last mark is out of reach for opcodes that do not ask for the mark.
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleValue& top() const {
    if (stack_.size() <= floor()) damaged("the stack is empty");
    return *stack_.back();
  }
  PickleValue* pop() {
    PickleValue* value = &top();
    stack_.pop_back();
    return value;
  }
  std::vector<const PickleValue*> pop_count(size_t count) {
    if (stack_.size() - floor() < count) damaged("the stack is empty");
    std::vector<const PickleValue*> values(stack_.end() - static_cast<ptrdiff_t>(count),
                                           stack_.end());
    stack_.resize(stack_.size() - count);
    return values;
  }
  std::vector<const PickleValue*> pop_to_mark() {
    if (marks_.empty()) damaged("a mark is missing");
    std::vector<const PickleValue*> values = pop_count(stack_.size() - marks_.back());
    marks_.pop_back();
    return values;
  }

  bool read_constant(uint8_t op) {
    switch (op) {
      case 'N':
        push(Kind::none);
        return true;
      case newtrue:
      case newfalse:
        push_integer(Kind::boolean, op == newtrue ? 1 : 0);
        return true;
      case 'J':
        push_integer(Kind::integer, static_cast<int32_t>(take_number(4)));
        return true;
      case 'K':
      case 'M':
        push_integer(Kind::integer, static_cast<int64_t>(take_number(op == 'K' ? 1 : 2)));
        return true;
      case long1:
      case long4:
        push_long(take(take_number(op == long1 ? 1 : 4)));
        return true;
      case 'G':
        push_double(take(8));
        return true;
      case 'U':
      case 'C':
      case short_binunicode:
        push_text(take(take_number(1)));
        return true;
      case 'X':
      case 'T':
      case 'B':
        push_text(take(take_number(4)));
        return true;
      case binunicode8:
      case binbytes8:
        push_text(take(take_number(8)));
        return true;
      default:
        return false;
    }
  }
  void push_long(std::string_view bytes) {
    if (bytes.size() > 8) return push_text(bytes);
    const bool negative = !bytes.empty() && static_cast<unsigned char>(bytes.back()) >= 128;
    uint64_t value = negative ? ~uint64_t{0} : 0;
    for (size_t i = bytes.size(); i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    push_integer(Kind::integer, static_cast<int64_t>(value));
  }
  void push_double(std::string_view big_endian) {
    uint64_t bits = 0;
    for (const char c : big_endian) bits = bits << 8 | static_cast<unsigned char>(c);
    push(Kind::number).number = std::bit_cast<double>(bits);
  }

  bool read_container(uint8_t op) {
    switch (op) {
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case '0':
        pop();
        return true;
      case '1':
        pop_to_mark();
        return true;
      case ')':
      case ']':
      case '}':
        push(op == ')' ? Kind::tuple : op == ']' ? Kind::list : Kind::dictionary);
        return true;
      case tuple1:
      case tuple2:
      case tuple3:
        push_items(Kind::tuple, pop_count(op - tuple1 + size_t{1}));
        return true;
      case 't':
      case 'l':
      case 'd':
        push_items(op == 't'   ? Kind::tuple
                   : op == 'l' ? Kind::list
                               : Kind::dictionary,
                   pop_to_mark());
        return true;
      case 'a':
      case 'e':
        append(op == 'a' ? pop_count(1) : pop_to_mark());
        return true;
      case 's':
      case 'u':
        set_items(op == 's' ? pop_count(2) : pop_to_mark());
        return true;
      default:
        return false;
    }
  }
  void push_items(Kind kind, std::vector<const PickleValue*> items) {
    if (kind == Kind::dictionary && items.size() % 2 != 0) damaged("a key without a value");
    push(kind).items = std::move(items);
  }
  void append(const std::vector<const PickleValue*>& items) {
    PickleValue& list = top();
    if (!list.is(Kind::list)) damaged(str("an item put into a ", to_string(list.kind)));
    list.items.insert(list.items.end(), items.begin(), items.end());
  }
  void set_items(const std::vector<const PickleValue*>& items) {
    PickleValue& target = top();
    if (!target.is(Kind::dictionary) && !target.is(Kind::call))
      damaged(str("a key put into a ", to_string(target.kind)));
    if (items.size() % 2 != 0) damaged("a key without a value");
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  bool read_memo(uint8_t op) {
    switch (op) {
      case 'q':
      case 'r':
        memo_[take_number(op == 'q' ? 1 : 4)] = &top();
        break;
      case memoize:
        memo_[memo_.size()] = &top();
        break;
      case 'h':
      case 'j': {
        const auto found = memo_.find(take_number(op == 'h' ? 1 : 4));
        if (found == memo_.end()) damaged("a value that was never remembered");
        stack_.push_back(found->second);
        break;
      }
      case '2':
        stack_.push_back(&top());
        break;
      default:
        return false;
    }
    if (memo_.size() > most_values) too_much(str(most_values, " remembered values"));
    return true;
  }

  bool read_call(uint8_t op) {
    switch (op) {
      case proto:
        if (take_number(1) > 5) refuse("a protocol above 5");
        return true;
      case frame:
        take_number(8);
        return true;
      case 'c': {
        const std::string_view module = take_line();
        push_global(module, take_line());
        return true;
      }
      case stack_global: {
        const auto names = pop_count(2);
        if (!names[0]->is(Kind::text) || !names[1]->is(Kind::text)) damaged("a name of no text");
        push_global(names[0]->text, names[1]->text);
        return true;
      }
      case 'R':
        push_call();
        return true;
      case newobj:
        push_call();
        objects_.insert(&top());
        return true;
      case 'Q': {
        const PickleValue* id = pop();
        push(Kind::persistent).items = {id};
        return true;
      }
      case 'b':
        set_state();
        return true;
      case 'i': {
        const std::string_view module = take_line();
        refuse(str("an instance of ", global_name(module, take_line())));
      }
      case ext1:
      case ext2:
      case ext4:
        refuse(str("what is registered as number ", take_number(size_t{1} << (op - ext1))));
      default:
        return false;
    }
  }
  // As text for people: names come from the file.
  static std::string global_name(std::string_view module, std::string_view name) {
    std::string text = str(module.substr(0, 200), ".", name.substr(0, 200));
    for (char& c : text) {
      if (c < ' ' || c > '~') c = '?';
    }
    return text;
  }
  void push_global(std::string_view module, std::string_view name) {
    std::string global = str(module, ".", name);
    if (!is_known_(global)) refuse(global_name(module, name));
    push(Kind::global).text = pickle_.names_.emplace_back(std::move(global));
  }
  void push_call() {
    const auto parts = pop_count(2);
    if (!parts[0]->is(Kind::global)) refuse(str("a call of a ", to_string(parts[0]->kind)));
    if (!parts[1]->is(Kind::tuple)) damaged("a call without arguments");
    PickleValue& call = push(Kind::call);
    call.text = parts[0]->text;
    call.arguments = parts[1];
  }
  // An OrderedDict's attributes, such as the _metadata of PyTorch's modules: tensors have none.
  // Attributes: an object's are kept, an OrderedDict's say nothing of what is in it.
  void set_state() {
    const PickleValue* state = pop();
    if (objects_.count(&top()) > 0 && state->is(Kind::dictionary)) return set_items(state->items);
    if (!top().is_call("collections.OrderedDict") || !state->is(Kind::dictionary))
      refuse(str("a state for a ",
                 top().is(Kind::call) ? std::string(top().text) : to_string(top().kind)));
  }

  Pickle& pickle_;
  std::string_view bytes_;
  const std::string& name_;
  FunctionRef<bool(std::string_view)> is_known_;
  SourceLocation location_;
  size_t at_ = 0;
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PickleValue*> memo_;
  std::unordered_set<const PickleValue*> objects_;  // of classes, without arguments or with some
};

Pickle::Pickle(std::string_view bytes, const std::string& name,
               FunctionRef<bool(std::string_view)> is_known, SourceLocation location) {
  PickleReader(*this, bytes, name, is_known, location).read();
}

const PickleValue* PickleValue::find(std::string_view key) const {
  for (size_t i = items.size(); i >= 2; i -= 2) {
    if (items[i - 2]->is(Kind::text) && items[i - 2]->text == key) return items[i - 1];
  }
  return nullptr;
}

std::string to_string(PickleValue::Kind kind) {
  constexpr const char* names[] = {"None", "bool", "integer", "float", "text",      "tuple",
                                   "list", "dict", "global",  "call",  "storage id"};
  return names[static_cast<size_t>(kind)];
}

}  // namespace io
}  // namespace systolic::inline v0
