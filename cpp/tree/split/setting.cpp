// How much of the machine a node is worth.
#include "tree/split/setting.hpp"

namespace vaglio {

int helpers(const Team& team, const GrowNode& node, std::size_t columns) {
    // Some tens of microseconds of work: below this, waking other threads costs more than it saves.
    constexpr std::size_t shared_cells = 1u << 16;
    return static_cast<std::size_t>(node.size) * columns >= shared_cells ? team.threads : 1;
}

}  // namespace vaglio
