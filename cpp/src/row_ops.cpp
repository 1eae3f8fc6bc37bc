#include "vaglio/row_ops.hpp"

#include "vaglio/levels.hpp"

namespace vaglio {

namespace v1 {
RowOps row_table();
}
#ifdef VAGLIO_X86_LEVELS
namespace v3 {
RowOps row_table();
}
namespace v4 {
RowOps row_table();
}
#endif

namespace {

RowOps choose() {
#ifdef VAGLIO_X86_LEVELS
    if (x86_level() == 4) return v4::row_table();
    if (x86_level() == 3) return v3::row_table();
#endif
    return v1::row_table();
}

}  // namespace

const RowOps& row_ops() {
    static const RowOps chosen = choose();
    return chosen;
}

}  // namespace vaglio
