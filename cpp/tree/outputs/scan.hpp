#pragma once
// The best threshold of a numeric feature for several outputs.
#include "tree/threshold/order_scan.hpp"

namespace vaglio {

// With scratch.left and scratch.right as the sums of the two sides before the first row moves. The absolute error is
// not among the criteria: its fits are found beforehand, for one output as for several.
Best scan_outputs(const Request& request, ScanScratch& scratch);

}  // namespace vaglio
