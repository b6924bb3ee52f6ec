// SPDX-License-Identifier: Apache-2.0
// Student's t: how far means of few values may be apart by chance.
//
// Pure functions; any thread.
#pragma once

namespace tasklens {

// How often chance gives a t of this size or more, either way. REQUIRES: degrees (of freedom) > 0.
double StudentP(double t, double degrees);

// The size of t that chance exceeds as often as `p`. REQUIRES: 0 < p < 1, degrees > 0.
double StudentQuantile(double p, double degrees);

}  // namespace tasklens
