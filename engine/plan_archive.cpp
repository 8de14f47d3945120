#include "engine/plan_archive.h"

namespace tenon::engine {
namespace {

/// In the place of a constant's number.
constexpr int64_t kNoConstant = -1;

}  // namespace

void PlanWriter::write(const std::shared_ptr<const Bytes>& data) {
    if (data == nullptr) return out_.number<int64_t>(kNoConstant);
    const auto [number, is_new] = numbers_.try_emplace(data.get(), static_cast<int64_t>(constants_.size()));
    if (is_new) constants_.push_back(data);
    out_.number<int64_t>(number->second);
}

std::string PlanWriter::bytes() const {
    ByteWriter file;
    file.number<uint64_t>(constants_.size());
    for (const std::shared_ptr<const Bytes>& data : constants_)
        file.text({reinterpret_cast<const char*>(data->data()), data->size()});
    file.raw(out_.bytes());
    return file.bytes();
}

PlanReader::PlanReader(std::string_view bytes) : in_(bytes) {
    for (uint64_t left = in_.count(); left > 0 && in_.is_ok(); --left) {
        const std::string_view data = in_.text();
        const auto* begin = reinterpret_cast<const std::byte*>(data.data());
        constants_.push_back(std::make_shared<const Bytes>(begin, begin + data.size()));
    }
}

void PlanReader::read(std::shared_ptr<const Bytes>& data) {
    const auto number = in_.number<int64_t>();
    if (!in_.is_ok() || number == kNoConstant) return;
    if (number < 0 || number >= static_cast<int64_t>(constants_.size())) return in_.fail();
    data = constants_[static_cast<size_t>(number)];
}

}  // namespace tenon::engine
