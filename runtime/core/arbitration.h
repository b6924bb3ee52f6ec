// SPDX-License-Identifier: Apache-2.0
// Jobs take the data of their accesses, and go on when they have got it; see jobs/access_holders.h.
// A job takes its handles in the order of their addresses, so that two jobs never wait for each
// other.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Takes the job's next access. True: it has it. False: the job is queued on the handle and will be
// given to Ready() when it has got the access; the caller must not touch it any more.
bool AcquireAccess(Job* job, Access& access);
// Takes it only if that is possible at once, without queueing.
bool TryAcquireAccess(Access& access);
// Takes all the job's accesses to data with an arbiter that it does not hold yet, an arbiter at a
// time and all of an arbiter or none. False: the job waits at an arbiter without holding anything
// of it, and will be given to Ready() to try again. After its other accesses, so that whoever holds
// data of an arbiter waits for no other data.
bool AcquireArbitered(Job* job);
bool IsArbitered(const Access& access);
// Gives the access back and hands the data to whoever waits for it.
void ReleaseAccess(Access& access);
// Turns exclusive access into reading, held by `to` from now on; others may read as well.
void Downgrade(Access& from, Access& to);
// Gives back all accesses that the job holds.
void ReleaseAccesses(Job* job);

// An arbiter, for the handles that the program says. None of them is in use when it is destroyed.
starpu_arbiter* NewArbiter();
void DestroyArbiter(starpu_arbiter* arbiter);

}  // namespace tasklens::runtime
