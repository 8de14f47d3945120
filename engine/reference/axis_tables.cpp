#include "engine/reference/axis_tables.h"

#include "engine/reference/number.h"

namespace tenon::engine {
namespace {

class TableCopy {
  public:
    TableCopy(const Source& source, const Sink& sink, const AxisTables& tables, double fill)
        : source_(source), sink_(sink), tables_(tables), fill_(fill) {}

    /// Fills the part of the output that axes from `axis` on span, given the offsets of the axes before.
    void copy(size_t axis, int64_t from, int64_t to) const {
        if (axis == tables_.size()) return from == kOutside ? put_fill(to) : copy_element(source_, from, sink_, to);
        for (const int64_t step : tables_[axis]) {
            copy(axis + 1, from == kOutside || step == kOutside ? kOutside : from + step, to);
            to += sink_.value.strides[axis];
        }
    }

  private:
    void put_fill(int64_t to) const { store(sink_.memory, sink_.value.type, to, fill_); }

    const Source& source_;
    const Sink& sink_;
    const AxisTables& tables_;
    double fill_;
};

}  // namespace

void copy_by_tables(const Source& source, const Sink& sink, const AxisTables& tables, double fill) {
    TableCopy(source, sink, tables, fill).copy(0, 0, 0);
}

}  // namespace tenon::engine
