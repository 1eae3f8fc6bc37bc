#pragma once
// One pool of threads for all kernels, started when first needed and rebuilt after fork; and how many threads a process
// may use.
#include <cstddef>
#include <functional>

namespace vaglio {

// Calls body(item, worker) for every item in [0, count), on at most `threads` threads of which the caller is one.
// Items are handed out one by one in order; `worker` is in [0, threads) and names a thread's own scratch space.
// The first exception thrown by a body ends the loop early and is thrown here. Inside a body, a nested call runs
// serially on the worker that makes it.
void parallel_for(int threads, std::size_t count, const std::function<void(std::size_t item, int worker)>& body);

// True on a thread that is working for parallel_for.
bool inside_parallel();

// The processors of the affinity mask of this process, and no more than its cgroup's quota. Where a system has neither,
// all of them.
int allowed_threads();

// The most threads a loop is given, whatever is asked for: eight per processor. More would only wait for each other.
int most_threads();

}  // namespace vaglio
