# Finds the compression library brotli, as Brotli::Brotli. Installed, because programs that link a static module need it too.
find_path(Brotli_INCLUDE_DIR brotli/encode.h)
find_library(Brotli_ENCODER_LIBRARY NAMES brotlienc brotlienc-static)
find_library(Brotli_DECODER_LIBRARY NAMES brotlidec brotlidec-static)
find_library(Brotli_COMMON_LIBRARY NAMES brotlicommon brotlicommon-static)
mark_as_advanced(Brotli_INCLUDE_DIR Brotli_ENCODER_LIBRARY Brotli_DECODER_LIBRARY Brotli_COMMON_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Brotli REQUIRED_VARS Brotli_ENCODER_LIBRARY Brotli_DECODER_LIBRARY Brotli_COMMON_LIBRARY
                                                       Brotli_INCLUDE_DIR)
if(Brotli_FOUND AND NOT TARGET Brotli::Brotli)
  add_library(Brotli::Brotli INTERFACE IMPORTED)
  target_include_directories(Brotli::Brotli INTERFACE ${Brotli_INCLUDE_DIR})
  target_link_libraries(Brotli::Brotli INTERFACE ${Brotli_ENCODER_LIBRARY} ${Brotli_DECODER_LIBRARY} ${Brotli_COMMON_LIBRARY})
endif()
