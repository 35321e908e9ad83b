#include "systolic/monitor/crash/build_ids.h"

#include <elf.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr size_t most_modules = 512;

struct NotedBuild {
  uintptr_t code = 0;  // an address of its code
  std::array<char, 65> id = {};
};
// Written by one thread at a time, and never moved: a handler reads the first `noted_count`.
std::array<NotedBuild, most_modules> noted;
std::atomic<size_t> noted_count{0};
std::mutex noting;

int note_module(dl_phdr_info* module, size_t, void* loaded) {
  // How many have been loaded in all: the same as last time, so that each run asks for little.
  if (module->dlpi_adds == *static_cast<const unsigned long long*>(loaded)) return 1;
  uintptr_t code = 0;
  std::string id;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& head = module->dlpi_phdr[i];
    const uintptr_t address = module->dlpi_addr + head.p_vaddr;
    if (head.p_type == PT_LOAD && (head.p_flags & PF_X) != 0 && code == 0) code = address;
    if (head.p_type != PT_NOTE || !id.empty()) continue;
    id = build_id_of_notes({reinterpret_cast<const char*>(address), head.p_memsz});
  }
  const size_t count = noted_count;
  if (code == 0 || id.empty() || count == most_modules) return 0;
  for (size_t i = 0; i < count; ++i) {
    if (noted[i].code == code) return 0;
  }
  noted[count].code = code;
  id.copy(noted[count].id.data(), noted[count].id.size() - 1);
  noted_count = count + 1;
  return 0;
}

}  // namespace

std::string build_id_of_notes(std::string_view notes) {
  constexpr size_t longest = 32;
  const auto padded = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
  Elf64_Nhdr head{};
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    notes.remove_prefix(sizeof head);
    const size_t name = padded(head.n_namesz), bytes = padded(head.n_descsz);
    if (name > notes.size() || bytes > notes.size() - name) return "";
    const bool is_id =
        head.n_type == NT_GNU_BUILD_ID && notes.substr(0, 4) == std::string_view("GNU\0", 4);
    if (is_id && head.n_descsz <= longest) {
      std::string text;
      for (const char one : notes.substr(name, head.n_descsz)) {
        constexpr std::string_view digits = "0123456789abcdef";
        text += digits[static_cast<unsigned char>(one) >> 4];
        text += digits[static_cast<unsigned char>(one) & 15];
      }
      return text;
    }
    notes.remove_prefix(name + bytes);
  }
  return "";
}

void note_build_ids() {
  const std::lock_guard lock(noting);
  static unsigned long long loaded = 0;
  const auto count = [](dl_phdr_info* module, size_t, void* to) {
    *static_cast<unsigned long long*>(to) = module->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(note_module, &loaded);
  dl_iterate_phdr(count, &loaded);
}

const char* build_id_between(uintptr_t begin, uintptr_t end) {
  for (size_t i = 0; i < noted_count; ++i) {
    if (noted[i].code >= begin && noted[i].code < end) return noted[i].id.data();
  }
  return "";
}

}  // namespace monitor
}  // namespace systolic::inline v0
