#pragma once
// How many processors this process may use.

namespace vaglio {

// The processors of its affinity mask, and no more than its cgroup's quota. Where a system has neither, all of them.
int allowed_threads();

// The most threads a loop is given, whatever is asked for: eight per processor. More would only wait for each other.
int most_threads();

}  // namespace vaglio
