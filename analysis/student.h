// SPDX-License-Identifier: Apache-2.0
// Student's t distribution: how far the means of small samples may differ by chance.
//
// Pure functions; any thread.
#pragma once

namespace tasklens {

// Returns the probability of a t of this size or more, in either direction, by chance. REQUIRES:
// degrees (of freedom) > 0.
double StudentP(double t, double degrees);

// Returns the size of t that chance exceeds with probability `p`. REQUIRES: 0 < p < 1, degrees > 0.
double StudentQuantile(double p, double degrees);

}  // namespace tasklens
