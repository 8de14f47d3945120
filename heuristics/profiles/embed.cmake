# Writes OUTPUT: the array of heuristics/profiles.h from the JSON files of PROFILES under ROOT.
set(entries "")
foreach(profile ${PROFILES})
    file(READ ${ROOT}/${profile} text)
    string(APPEND entries "    R\"json(${text})json\",\n")
endforeach()
file(WRITE ${OUTPUT}
"#include \"heuristics/profiles.h\"

namespace tenon::heuristics {
namespace {
constexpr std::string_view kProfiles[] = {
${entries}};
}  // namespace

std::span<const std::string_view> profile_texts() { return kProfiles; }

}  // namespace tenon::heuristics
")
