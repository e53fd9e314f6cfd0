// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/shared_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace archipelago::adapters {

SharedModule::SharedModule(const std::string& file) {
    // A name without a slash would be looked for in the system's folders.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    // The loader would wait for the writer of a FIFO.
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
        throw std::runtime_error(file + ": cannot load it as Verilog: is no regular file");
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
        throw std::runtime_error(file + ": cannot load it as Verilog: " + dlerror());
}

void* SharedModule::address(const char* name) const {
    return dlsym(handle_, name);
}

}  // namespace archipelago::adapters
