# Writes OUTPUT: the array of codegen/device/device_library.h from the files HEADERS under ROOT.
set(entries "")
set(all "")
foreach(header ${HEADERS})
    file(READ ${ROOT}/${header} text)
    string(APPEND all "${header}\n${text}\n")
    # String literals are limited to 64 KiB in the standard; adjacent pieces are joined by the compiler.
    string(LENGTH "${text}" length)
    set(pieces "")
    set(at 0)
    while(at LESS length)
        string(SUBSTRING "${text}" ${at} 8000 piece)
        string(APPEND pieces "R\"cuda(${piece})cuda\"\n")
        math(EXPR at "${at} + 8000")
    endwhile()
    string(APPEND entries "    {\"${header}\", ${pieces}},\n")
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUTPUT}
"#include \"codegen/device/device_library.h\"

namespace tenon::codegen {
namespace {
const DeviceHeader kHeaders[] = {
${entries}};
}  // namespace

std::span<const DeviceHeader> device_library() { return kHeaders; }
std::string_view device_library_hash() { return \"${hash}\"; }

}  // namespace tenon::codegen
")
