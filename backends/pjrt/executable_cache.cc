#include "backends/pjrt/executable_cache.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "systolic/base/error.h"
#include "systolic/base/log.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "systolic executable 1\n";
constexpr uint64_t most_bytes = uint64_t{4} << 30;

// FNV-1a: names files and finds damage; keys are compared whole.
uint64_t hash(std::string_view bytes) {
  uint64_t value = 0xcbf29ce484222325;
  for (char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

// After the magic text: sizes of key and bytes, and the hash of the bytes.
using Head = std::array<uint64_t, 3>;

std::string read_file(const std::string& path) {
  std::error_code none;
  const uint64_t size = fs::file_size(path, none);
  if (none || size > most_bytes) return {};
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

std::string key_of(const DeviceClient& client, std::string_view program,
                   const std::string& options) {
  std::string key = str(client.api()->plugin(), "\n", client.api()->version(), "\n",
                        client.platform_name(), "\n", client.platform_version(), "\n");
  for (const auto& device : client.devices()) key += str(device.description.kind, "\n");
  return str(key, options.size(), "\n", options, program);
}

std::string folder_in_environment() {
  const char* folder = std::getenv("SYSTOLIC_COMPILE_CACHE");
  return folder == nullptr ? "" : folder;
}

}  // namespace

std::string ExecutableCache::path_of(std::string_view key) const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name;
  for (uint64_t value = hash(key), i = 0; i < 16; ++i, value >>= 4) name += digits[value & 15];
  return str(folder_, "/", name, ".pjrt");
}

std::optional<std::string> ExecutableCache::find(std::string_view key) const {
  if (!on()) return std::nullopt;
  const std::string file = read_file(path_of(key));
  std::string_view rest = file;
  Head head;
  if (rest.substr(0, magic.size()) != magic || rest.size() < magic.size() + sizeof(head)) {
    return std::nullopt;
  }
  rest.remove_prefix(magic.size());
  std::memcpy(head.data(), rest.data(), sizeof(head));
  rest.remove_prefix(sizeof(head));
  if (head[0] != key.size() || head[0] > rest.size() || rest.size() - head[0] != head[1]) {
    return std::nullopt;
  }
  const std::string_view bytes = rest.substr(head[0]);
  if (rest.substr(0, head[0]) != key || hash(bytes) != head[2]) return std::nullopt;
  return std::string(bytes);
}

void ExecutableCache::store(std::string_view key, std::string_view bytes) const {
  if (!on()) return;
  static std::atomic<int> count{0};
  const std::string path = path_of(key);
  const std::string part = str(path, ".", getpid(), ".", count++);
  const Head head = {key.size(), bytes.size(), hash(bytes)};
  std::error_code error;
  fs::create_directories(folder_, error);
  std::ofstream file(part, std::ios::binary);
  file << magic;
  file.write(reinterpret_cast<const char*>(head.data()), sizeof(head));
  file << key << bytes;
  file.close();
  // Under its name only when it is whole.
  if (file.good()) fs::rename(part, path, error);
  if (!file.good() || error) {
    fs::remove(part, error);
    log_once(LogLevel::warning, str("SYSTOLIC_COMPILE_CACHE: cannot write ", path));
  }
}

std::shared_ptr<LoadedProgram> compile_cached(const DeviceClient& client, std::string_view program,
                                              const std::string& options) {
  const ExecutableCache cache(folder_in_environment());
  if (!cache.on()) return client.compile(program, options);
  const std::string key = key_of(client, program, options);
  if (const std::optional<std::string> bytes = cache.find(key)) {
    try {
      return client.load(*bytes);
    } catch (const Error& error) {
      log_info(str("A program in SYSTOLIC_COMPILE_CACHE is compiled again: ", error.what()));
    }
  }
  auto loaded = client.compile(program, options);
  try {
    cache.store(key, loaded->compiled().serialize());
  } catch (const Error& error) {
    log_once(LogLevel::warning, str("SYSTOLIC_COMPILE_CACHE stores nothing: ", error.what()));
  }
  return loaded;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
