// SPDX-License-Identifier: Apache-2.0
// A shared library opened while the program runs. It sees its own symbols only and stays loaded, so
// what it has made may outlive this object.
#pragma once

#include <string>

namespace archipelago::adapters {

class SharedModule {
  public:
    // Throws std::runtime_error with the reason.
    explicit SharedModule(const std::string& file);

    // Null when nothing is exported under the name. T: a pointer to what is.
    template <class T>
    T find(const char* name) const {
        return reinterpret_cast<T>(address(name));
    }

  private:
    void* address(const char* name) const;
    void* handle_;
};

}  // namespace archipelago::adapters
