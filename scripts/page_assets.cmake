# Puts the stylesheet and the script of the HTML pages into a header, with their hashes for the page's
# Content-Security-Policy: src/render/html/page.{css,js} -> render/html_assets.inc in the build folder.

# SHA-256 of a text in Base64, as the policy wants it; CMake knows it in hexadecimal only.
function(page_asset_hash text result)
  string(SHA256 hex "${text}")
  string(APPEND hex "00") # 33 bytes: a multiple of three
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(base64 "")
  foreach(start RANGE 0 60 6)
    string(SUBSTRING ${hex} ${start} 6 three)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND base64 ${digit})
    endforeach()
  endforeach()
  string(REGEX REPLACE ".$" "=" base64 ${base64})
  set(${result} ${base64} PARENT_SCOPE)
endfunction()

function(page_assets folder output)
  set(code "#pragma once\n\n#include <string_view>\n\nnamespace gpusched::render {\n\n")
  foreach(asset Style:css Script:js)
    string(REGEX REPLACE ":.*" "" name ${asset})
    string(REGEX REPLACE ".*:" "" suffix ${asset})
    file(READ ${folder}/page.${suffix} text)
    page_asset_hash("${text}" hash)
    string(APPEND code "inline constexpr std::string_view k${name} = R\"~~(${text})~~\";\n"
      "inline constexpr std::string_view k${name}Hash = \"${hash}\";\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/page.${suffix})
  endforeach()
  string(APPEND code "\n}  // namespace gpusched::render\n")
  set(before "")
  if(EXISTS ${output})
    file(READ ${output} before)
  endif()
  if(NOT before STREQUAL code) # an untouched header builds nothing anew
    file(WRITE ${output} "${code}")
  endif()
endfunction()
