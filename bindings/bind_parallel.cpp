#include "base/parallel.hpp"
#include "support.hpp"

void register_parallel(nb::module_& m) {
    m.def("allowed_threads", &vaglio::allowed_threads,
          "CPUs this process may use, by its affinity mask and cgroup quota.");
    m.def("most_threads", &vaglio::most_threads, "The most threads a kernel uses, whatever is asked for.");
}
