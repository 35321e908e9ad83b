#include "systolic/monitor/crash/symbol_table.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "systolic/monitor/crash/build_ids.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr uint64_t most_symbols = uint64_t{1} << 24, most_note_bytes = 4096;
constexpr size_t longest_name = 2048;

template <class Value>
bool read_at(const Descriptor& file, uint64_t offset, Value* values, size_t count) {
  const size_t bytes = count * sizeof(Value);
  return static_cast<int64_t>(offset) >= 0 &&
         pread(file.number(), values, bytes, static_cast<off_t>(offset)) ==
             static_cast<ssize_t>(bytes);
}

// A file that others could have made to mislead is not looked at.
bool is_trusted(const Descriptor& file) {
  struct stat found {};
  return file.is_open() && fstat(file.number(), &found) == 0 && S_ISREG(found.st_mode) &&
         (found.st_uid == 0 || found.st_uid == getuid()) && (found.st_mode & S_IWOTH) == 0;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool here = text.substr(at).starts_with(from);
    result += here ? to : text.substr(at, 1);
    at += here ? from.size() : 1;
  }
  return result;
}

}  // namespace

SymbolTable::SymbolTable(const std::string& path)
    : file_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  Elf64_Ehdr head{};
  if (!is_trusted(file_) || !read_at(file_, 0, &head, 1)) return;
  const bool known = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                     head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_ident[EI_DATA] == ELFDATA2LSB &&
                     head.e_phentsize == sizeof(Elf64_Phdr);
  if (!known) return;
  read_segments(head.e_phoff, head.e_phnum);
  if (head.e_shentsize == sizeof(Elf64_Shdr)) read_functions(head.e_shoff, head.e_shnum);
}

void SymbolTable::read_segments(uint64_t table, uint16_t count) {
  std::vector<Elf64_Phdr> heads(count);
  if (!read_at(file_, table, heads.data(), heads.size())) return;
  for (const Elf64_Phdr& head : heads) {
    if (head.p_type == PT_LOAD) segments_.push_back({head.p_offset, head.p_filesz, head.p_vaddr});
    if (head.p_type == PT_NOTE) read_build_id(head.p_offset, head.p_filesz);
  }
}

void SymbolTable::read_build_id(uint64_t offset, uint64_t bytes) {
  std::array<unsigned char, most_note_bytes> notes{};
  const auto size = static_cast<size_t>(std::min(bytes, most_note_bytes));
  if (!read_at(file_, offset, notes.data(), size)) return;
  const std::string id = build_id_of_notes({reinterpret_cast<const char*>(notes.data()), size});
  if (!id.empty()) build_id_ = id;
}

// From the table of all symbols where there is one, else from that of those that other files use.
void SymbolTable::read_functions(uint64_t table, uint16_t count) {
  std::vector<Elf64_Shdr> heads(count);
  if (!read_at(file_, table, heads.data(), heads.size())) return;
  const auto find = [&](uint32_t type) {
    return std::find_if(heads.begin(), heads.end(),
                        [&](const Elf64_Shdr& head) { return head.sh_type == type; });
  };
  auto symbols = find(SHT_SYMTAB);
  if (symbols == heads.end()) symbols = find(SHT_DYNSYM);
  if (symbols == heads.end() || symbols->sh_link >= heads.size()) return;
  names_ = heads[symbols->sh_link].sh_offset;
  std::vector<Elf64_Sym> piece(4096);
  const uint64_t all = std::min(symbols->sh_size / sizeof(Elf64_Sym), most_symbols);
  for (uint64_t done = 0; done < all; done += piece.size()) {
    piece.resize(static_cast<size_t>(std::min<uint64_t>(piece.size(), all - done)));
    if (!read_at(file_, symbols->sh_offset + done * sizeof(Elf64_Sym), piece.data(), piece.size()))
      break;
    for (const Elf64_Sym& one : piece) {
      if (ELF64_ST_TYPE(one.st_info) != STT_FUNC || one.st_shndx == SHN_UNDEF) continue;
      functions_.push_back({one.st_value, one.st_size, one.st_name});
    }
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& a, const Function& b) { return a.address < b.address; });
}

std::string SymbolTable::text_at(uint64_t offset) const {
  std::array<char, longest_name> text{};
  const ssize_t got =
      static_cast<int64_t>(offset) < 0
          ? -1
          : pread(file_.number(), text.data(), text.size(), static_cast<off_t>(offset));
  if (got <= 0) return "";
  const std::string_view read(text.data(), static_cast<size_t>(got));
  const size_t end = read.find('\0');
  return end == read.npos ? "" : std::string(read.substr(0, end));
}

std::string SymbolTable::name_at(uint64_t offset) const {
  const auto segment = std::find_if(segments_.begin(), segments_.end(), [&](const Segment& one) {
    return offset >= one.offset && offset - one.offset < one.bytes;
  });
  if (segment == segments_.end()) return "";
  const uint64_t address = offset - segment->offset + segment->address;
  auto after =
      std::upper_bound(functions_.begin(), functions_.end(), address,
                       [](uint64_t wanted, const Function& one) { return wanted < one.address; });
  if (after == functions_.begin()) return "";
  const Function& found = *--after;
  if (found.bytes > 0 && address - found.address >= found.bytes) return "";
  return short_function_name(demangled(text_at(names_ + found.name)));
}

std::string short_function_name(std::string_view demangled) {
  const std::string text = replaced(
      replaced(replaced(demangled, "(anonymous namespace)::", ""), "systolic::v0::", "systolic::"),
      "operator()", "operator call");
  std::string name;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char one = text[i];
    const bool of_operator = name.ends_with("operator") || name.ends_with("operator<") ||
                             name.ends_with("operator>") || name.ends_with("operator-");
    const bool opens = one == '(' || (one == '<' && !of_operator);
    const bool closes = one == ')' || (one == '>' && (depth > 0 || !of_operator));
    if (opens) ++depth;
    if (depth == 0) name += one;
    if (closes && depth > 0) --depth;
  }
  // What it returns stands before it, and " const" or " [clone .cold]" after it.
  name = name.substr(0, name.find(" ["));
  while (name.ends_with(' ')) name.pop_back();
  if (name.ends_with(" const")) name.resize(name.size() - 6);
  name = replaced(name, "operator call", "operator()");
  const size_t space = name.find("operator ") == name.npos ? name.rfind(' ') : name.npos;
  return space == name.npos ? name : name.substr(space + 1);
}

}  // namespace monitor
}  // namespace systolic::inline v0
