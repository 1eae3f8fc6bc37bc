#include "base/distinct.hpp"
#include "support.hpp"

namespace {

nb::tuple distinct_items(const Array2<std::uint8_t>& items) {
    require(items.shape(1) > 0, "items must have a size");
    auto found = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::distinct_items(items.data(), items.shape(0), items.shape(1), control);
        },
        steps_of({items.shape(0), items.shape(1)}));
    return nb::make_tuple(to_numpy(std::move(found.first)), to_numpy(std::move(found.code)));
}

}  // namespace

void register_distinct(nb::module_& m) {
    using namespace nb::literals;
    m.def("distinct_items", &distinct_items, "items"_a,
          "Where each distinct row of bytes occurs first, and which of them each row is.");
}
