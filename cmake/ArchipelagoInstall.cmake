# SPDX-License-Identifier: Apache-2.0
# The target archipelago_package builds what is installed, archipelago_twins the twins beside it, which may be missing.
# `cmake --install build/release --prefix P` then makes a package that may be moved as a whole:
#   P/bin/archipelago                   the command
#   P/include/archipelago/              archipelago.h and every header under its project path
#   P/lib/libarchipelago_*.a            the chip's libraries
#   P/lib/libarchipelago_ctm_device.so  archipelago::ctm_device, for C programs (amDeviceManaged.h)
#   P/lib/archipelago/                  the Verilog twins for the command, when they are built
#   P/lib/cmake/archipelago/            find_package(archipelago) -> archipelago::archipelago
#                                   and archipelago_verilog(), for Verilog of one's own
#   P/lib/python3/dist-packages/        the Python package `archipelago`: sweep, report, profile, regress
#   P/lib/pythonX.Y/dist-packages/      archipelago.pth, by which Python finds it where P is /usr/local
#   P/share/archipelago/configs/        chip descriptions, timing, microcode, register and ISA databases
include(CMakePackageConfigHelpers)

# The one library of a user: everything a chip needs.
add_library(archipelago_archipelago INTERFACE)
add_library(archipelago::archipelago ALIAS archipelago_archipelago)
set_target_properties(archipelago_archipelago PROPERTIES EXPORT_NAME archipelago)
target_link_libraries(archipelago_archipelago INTERFACE archipelago_statistics archipelago_adapters)
target_include_directories(archipelago_archipelago INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
# Tells config_folder() where this package's chips are, wherever it was moved.
set(_configs ${CMAKE_INSTALL_DATADIR}/archipelago/configs)
target_compile_definitions(archipelago_archipelago INTERFACE
  $<INSTALL_INTERFACE:ARCHIPELAGO_PACKAGED_CONFIGS="$<INSTALL_PREFIX>/${_configs}">)
install(TARGETS archipelago_archipelago EXPORT archipelago-targets)

get_property(_packaged GLOBAL PROPERTY ARCHIPELAGO_PACKAGED)
add_custom_target(archipelago_package)
add_dependencies(archipelago_package archipelago_command archipelago_ctm_device archipelago_pin_table_file ${_packaged})

set(_headers ${CMAKE_INSTALL_INCLUDEDIR}/archipelago)
install(FILES include/archipelago.h include/amDeviceManaged.h DESTINATION ${_headers})
install(DIRECTORY models tlm DESTINATION ${_headers} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY rtl-bridge/pins rtl-bridge/adapters rtl-bridge/verilated DESTINATION ${_headers}/rtl-bridge
  FILES_MATCHING PATTERN "*.h")
# Generated: register names and fields, opcodes, pins.
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/ DESTINATION ${_headers}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
install(DIRECTORY configs/ DESTINATION ${_configs} FILES_MATCHING PATTERN "*.yaml" PATTERN "*.afuc")
install(DIRECTORY python/archipelago DESTINATION ${ARCHIPELAGO_PYTHON_DIR} FILES_MATCHING PATTERN "*.py" PATTERN "*.css" PATTERN "*.js"
  PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
# Debian's Python looks there under /usr alone; under /usr/local in a folder of its version, which points there.
execute_process(COMMAND ${ARCHIPELAGO_PYTHON} -c "import sys; print('python%d.%d' % sys.version_info[:2])"
  OUTPUT_VARIABLE _python_version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/archipelago.pth "../../python3/dist-packages\n")
install(FILES ${PROJECT_BINARY_DIR}/CMakeFiles/archipelago.pth DESTINATION lib/${_python_version}/dist-packages)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/archipelago)
install(EXPORT archipelago-targets NAMESPACE archipelago:: DESTINATION ${_package})
configure_package_config_file(cmake/archipelago-config.cmake.in
  ${PROJECT_BINARY_DIR}/archipelago-config.cmake
  INSTALL_DESTINATION ${_package} PATH_VARS _configs)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/archipelago-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/archipelago-config.cmake
              ${PROJECT_BINARY_DIR}/archipelago-config-version.cmake
              cmake/ArchipelagoVerilog.cmake cmake/ArchipelagoVerilator.cmake cmake/verilate.cmake
  DESTINATION ${_package})
install(DIRECTORY cmake/rtl_build DESTINATION ${_package})
install(DIRECTORY rtl-bridge/rtl ${PROJECT_BINARY_DIR}/generated/rtl DESTINATION ${_package}
  FILES_MATCHING PATTERN "*.sv*" PATTERN uses.txt)
install(PROGRAMS scripts/verilog-wrapper DESTINATION ${_package})
install(FILES scripts/verilog_design.py scripts/verilog_place.py scripts/verilog_uses.py scripts/verilator_options.py scripts/yaml_nodes.py
  DESTINATION ${_package})
