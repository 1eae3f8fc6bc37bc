#include "ops.hpp"

#include "vaglio/levels.hpp"

namespace vaglio::sieve {

namespace v1 {
Ops table();
}
#ifdef VAGLIO_X86_LEVELS
namespace v3 {
Ops table();
}
namespace v4 {
Ops table();
}
#endif

namespace {

Ops choose() {
#ifdef VAGLIO_X86_LEVELS
    if (x86_level() == 4) return v4::table();
    if (x86_level() == 3) return v3::table();
#endif
    return v1::table();
}

}  // namespace

const Ops& ops() {
    static const Ops chosen = choose();
    return chosen;
}

}  // namespace vaglio::sieve
