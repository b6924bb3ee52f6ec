// SPDX-License-Identifier: Apache-2.0
// Acquires and releases the data of jobs; see jobs/access_holders.h. A job acquires its handles in
// the order of their addresses, so that two jobs never wait for each other.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Acquires the job's next access. Returns false if the job is queued on the handle: it is passed to
// Ready() once it holds the access, and the caller must not touch it any more.
bool AcquireAccess(Job* job, Access& access);
// Acquires the access only if that is possible at once, without queueing.
bool TryAcquireAccess(Access& access);
// Acquires the job's accesses to arbitered data that it does not hold yet, one arbiter at a time:
// all data of an arbiter or none. Returns false if the job waits at an arbiter, where it then holds
// nothing; it is passed to Ready() to try again. Called after the job's other accesses are held, so
// that a job that holds data of an arbiter waits for no other data.
bool AcquireArbitered(Job* job);
bool IsArbitered(const Access& access);
// Releases the access and passes the data on to the jobs that wait for it.
void ReleaseAccess(Access& access);
// Turns the exclusive access `from` into the read access `to`; other jobs may read as well.
void Downgrade(Access& from, Access& to);
// Releases all accesses that the job holds.
void ReleaseAccesses(Job* job);

// Makes an arbiter, to which the program assigns handles. REQUIRES for destroying it: none of its
// handles is in use.
starpu_arbiter* NewArbiter();
void DestroyArbiter(starpu_arbiter* arbiter);

}  // namespace tasklens::runtime
