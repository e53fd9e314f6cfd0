// SPDX-License-Identifier: Apache-2.0
// For builds with AddressSanitizer. SystemC 2.3.4 announces each switch between its threads, but
// names no stack when it goes back to main()'s. From then on every exception thrown there is taken
// for an overflow. This stands before the sanitizer's own function and fills in the bounds.
#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

extern "C" void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t size) {
    using Function = void (*)(void**, const void*, size_t);
    static const auto announce =
        reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__sanitizer_start_switch_fiber"));
    static void* main_bottom = nullptr;
    static size_t main_size = 0;
    if (bottom == nullptr) {
        if (main_bottom == nullptr) {
            pthread_attr_t attributes;
            pthread_getattr_np(pthread_self(), &attributes);
            pthread_attr_getstack(&attributes, &main_bottom, &main_size);
            pthread_attr_destroy(&attributes);
        }
        bottom = main_bottom;
        size = main_size;
    }
    announce(fake_stack, bottom, size);
}
