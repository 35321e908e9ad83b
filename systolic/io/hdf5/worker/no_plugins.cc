// libhdf5 would look for filters in shared libraries. The linker gives it these functions, which
// find none, in the place of the system's (-Wl,--wrap=dlopen).
extern "C" {
void* __wrap_dlopen(const char*, int) { return nullptr; }
void* __wrap_dlsym(void*, const char*) { return nullptr; }
int __wrap_dlclose(void*) { return 0; }
char* __wrap_dlerror() { return nullptr; }
}
