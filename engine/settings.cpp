#include <tenon/settings.h>

#include <cstdlib>

namespace tenon {

Settings Settings::from_environment() {
    const auto read = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value != nullptr ? value : "");
    };
    Settings settings;
    if (std::getenv("TENON_CACHE_DIR") != nullptr) {
        settings.cache_folder = read("TENON_CACHE_DIR");
    } else if (!read("XDG_CACHE_HOME").empty()) {
        settings.cache_folder = read("XDG_CACHE_HOME") + "/tenon";
    } else if (!read("HOME").empty()) {
        settings.cache_folder = read("HOME") + "/.cache/tenon";
    }
    return settings;
}

}  // namespace tenon
