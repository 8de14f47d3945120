// Versions, errors, blobs, targets and compilers of the C interface.

#include "engine/c_api/handles.h"
#include "frontend/status_macros.h"

namespace tenon::c_api {
namespace {

/// Fixed room, so that reporting needs no memory.
struct LastError {
    char text[2048] = "";
};
thread_local LastError last_error;

}  // namespace

tenon_status report(tenon_status code, const std::string& message) noexcept {
    const size_t size = std::min(message.size(), sizeof(last_error.text) - 1);
    std::memcpy(last_error.text, message.data(), size);
    last_error.text[size] = '\0';
    return code;
}

Status give_blob(std::string bytes, tenon_blob** blob) {
    if (blob == nullptr) return missing("blob");
    *blob = new tenon_blob{std::move(bytes)};
    return {};
}

namespace {

Status give_target(Result<Target> target, tenon_target** handle) {
    if (handle == nullptr) return missing("target");
    if (!target.is_ok()) return target.status();
    *handle = new tenon_target{std::move(*target)};
    return {};
}

Result<Settings> settings_of(const tenon_compiler_desc* given) {
    tenon_compiler_desc desc;
    TENON_TRY(read_struct(given, desc));
    Settings settings;
    settings.cache_folder = text_of(desc.cache_folder);
    if (desc.cache_bytes > 0) settings.cache_bytes = desc.cache_bytes;
    settings.threads = desc.threads;
    settings.strict = desc.strict != 0;
    settings.nvrtc = text_of(desc.nvrtc);
    if (desc.log != nullptr)
        settings.log = [log = desc.log, user = desc.user](std::string_view line) {
            log(user, std::string(line).c_str());
        };
    if (desc.progress != nullptr)
        settings.progress = [ask = desc.progress, user = desc.user](const Progress& progress) {
            return ask(user, std::string(progress.what).c_str(), progress.done, progress.total) == 0;
        };
    return settings;
}

}  // namespace
}  // namespace tenon::c_api

using namespace tenon;
using namespace tenon::c_api;

const char* tenon_version(void) { return kVersion.data(); }
uint32_t tenon_abi_version(void) { return 1; }
const char* tenon_status_name(tenon_status status) {
    return status == TENON_INTERNAL ? "INTERNAL" : to_string(static_cast<ErrorCode>(status));
}

size_t tenon_last_error(char* buffer, size_t capacity) {
    const size_t needed = std::strlen(last_error.text) + 1;
    if (buffer != nullptr && capacity > 0) {
        const size_t size = std::min(needed, capacity) - 1;
        std::memcpy(buffer, last_error.text, size);
        buffer[size] = '\0';
    }
    return needed;
}

const char* tenon_blob_data(const tenon_blob* blob) { return blob != nullptr ? blob->bytes.c_str() : nullptr; }
size_t tenon_blob_size(const tenon_blob* blob) { return blob != nullptr ? blob->bytes.size() : 0; }
void tenon_blob_destroy(tenon_blob* blob) { delete blob; }

tenon_status tenon_target_current(tenon_target** target) {
    return guarded([&] { return give_target(Target::current(), target); });
}

tenon_status tenon_target_named(const char* name, tenon_target** target) {
    return guarded([&] { return give_target(Target::named(text_of(name)), target); });
}

tenon_status tenon_target_from_json(const char* text, tenon_target** target) {
    return guarded([&] { return give_target(Target::from_json(text_of(text)), target); });
}

tenon_status tenon_target_to_json(const tenon_target* target, tenon_blob** text) {
    return guarded([&] { return target != nullptr ? give_blob(target->target.to_json(), text) : missing("target"); });
}

void tenon_target_destroy(tenon_target* target) { delete target; }

tenon_status tenon_compiler_create(const tenon_compiler_desc* desc, tenon_compiler** compiler) {
    return guarded([&]() -> Status {
        if (compiler == nullptr) return missing("compiler");
        TENON_ASSIGN(Settings settings, settings_of(desc));
        *compiler = new tenon_compiler{Compiler(std::move(settings))};
        return {};
    });
}

void tenon_compiler_destroy(tenon_compiler* compiler) { delete compiler; }
