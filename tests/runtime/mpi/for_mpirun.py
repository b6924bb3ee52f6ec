# SPDX-License-Identifier: Apache-2.0
"""What scripts set for Open MPI's mpirun."""

# As root in a container, more ranks than cores, each giving its core away while it waits, over memory alone.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "STARPU_WORKERS_NOBIND": "1",
}
