// The limits that systems and containers set. Only Linux has an affinity mask and cgroups that a process can read
// without help; elsewhere the number of processors is all there is.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <thread>

#include "base/parallel.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace vaglio {
namespace {

int all_processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

#ifdef __linux__

int affinity_limit() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : all_processors();
}

// The first numbers in a file, up to two; false where there is none.
bool read_numbers(const char* path, double& first, double& second) {
    std::FILE* file = std::fopen(path, "r");
    if (!file) return false;
    const int count = std::fscanf(file, "%lf %lf", &first, &second);
    std::fclose(file);
    return count > 0;
}

// The quota of cgroups version 2, or else of version 1, in whole processors.
int cgroup_limit() {
    double quota = -1, period = 100000, unused = 0;  // microseconds; 100000 is the default of the system
    if (!read_numbers("/sys/fs/cgroup/cpu.max", quota, period)) {
        read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, unused);
        read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, unused);
    }
    const bool limited = quota > 0 && period > 0;
    return limited ? static_cast<int>(std::ceil(quota / period)) : std::numeric_limits<int>::max();
}

int system_limit() { return std::min(affinity_limit(), cgroup_limit()); }

#else

int system_limit() { return all_processors(); }

#endif

}  // namespace

int allowed_threads() { return std::max(1, system_limit()); }

int most_threads() {
    static const int most = 8 * allowed_threads();
    return most;
}

}  // namespace vaglio
