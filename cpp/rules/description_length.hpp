#pragma once
// Bits to send a set of rules and its exceptions (the minimum description length principle as RIPPER uses it).

namespace vaglio {

// What a rule list does to the rows of one class against the rest, by weight.
struct CoverCounts {
    double covered = 0, uncovered = 0;                // rows
    double false_positives = 0, false_negatives = 0;  // covered but of another class; of the class but not covered
};

// Bits to point out k of t things when each is taken with probability p.
double subset_bits(double t, double k, double p);

// Bits to send a rule of k conditions out of `possible` ones, halved because conditions are redundant.
double theory_bits(double k, double possible);

// Bits to point out the errors of a rule list; `expected_fp_share` is the share of false positives among errors that
// sender and receiver expect beforehand.
double exception_bits(double expected_fp_share, const CoverCounts& counts);

}  // namespace vaglio
